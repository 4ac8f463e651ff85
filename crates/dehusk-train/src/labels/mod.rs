//! Training targets: of nodes and blocks by what the pages of a site share, and of text blocks by reference texts and corrections.

pub(crate) mod fusion_examples;
pub(crate) mod requested_decisions;
pub(crate) mod site_labels;
pub(crate) mod word_measures;
