//! `best`: the cut of the page's tree that a model likes best.
//!
//! `part_features.rs` describes the parts of a page, `part_context.rs` those of the second pass, and `tree_cut.rs` cuts the tree.

pub(crate) mod content_scores;
pub(crate) mod part_context;
pub(crate) mod part_features;
pub(crate) mod part_table;
pub(crate) mod tree_cut;
