//! Pages as labelled trees, and the restricted top-down mapping between two of them.
//!
//! `page_tree.rs` makes a small tree of a page, `tree_mapping.rs` maps two trees from the root down, aligning children
//! (`child_alignment.rs`). Kinds of pages are found by it, and the method TreeMap builds on it. Vieira et al., "A fast and robust
//! method for web page template detection and removal" (CIKM 2006).

pub(crate) mod child_alignment;
pub(crate) mod increasing;
#[cfg(test)]
#[path = "../../../tests/support/trees.rs"]
mod oracle;
pub(crate) mod page_tree;
pub(crate) mod tree_mapping;

#[cfg(test)]
use crate::dom::NodeId;
#[cfg(test)]
use crate::site::slots::TextForm;
#[cfg(test)]
use page_tree::{NO_NODE, PageTree, TreeNode};
