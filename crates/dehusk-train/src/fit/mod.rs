//! One file for each model: from labelled pages to a model with its card.

pub(crate) mod adapt_fusion;
pub(crate) mod block;
pub(crate) mod block_table;
mod card;
pub(crate) mod fusion;
pub(crate) mod fusion_folds;
pub(crate) mod fusion_parts;
pub(crate) mod page_type;
pub(crate) mod pagelevel;
pub(crate) mod segment;
mod segment_trees;
