//! Pages that models learn from: read from files, or made from pages of sites.

pub(crate) mod block_sample;
pub(crate) mod corrected_pages;
pub(crate) mod data_pages;
pub(crate) mod folds;
pub(crate) mod marked_pages;
pub(crate) mod name_changes;
pub(crate) mod read_pages;
pub(crate) mod reference;
pub(crate) mod replaced_content;
pub(crate) mod site_pages;
pub(crate) mod source_tags;
