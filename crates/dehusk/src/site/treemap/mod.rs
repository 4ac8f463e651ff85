//! TreeMap: templates as the common tree of several pages.
//!
//! Represents the pages of a site as trees (`page_tree.rs`), maps them to each other from the root down
//! (`mapping.rs`), keeps the nodes that all of them share (`template_search.rs`) and finds these on a page in one
//! pass (`child_alignment.rs` aligns the children). A site may have several templates; a page gets the one that
//! covers most of it, or none. Vieira et al., "A fast and robust method for web page template detection and removal"
//! (CIKM 2006).

mod child_alignment;
mod mapping;
#[cfg(test)]
mod oracle;
mod page_tree;
mod template_search;
mod treemap_detector;
mod treemap_learner;
mod treemap_lines;
mod treemap_settings;

pub use mapping::{TreeMapping, map_trees, mapping_distance, mapping_similarity};
pub use page_tree::PageTree;
pub use treemap_detector::{TreeMapTemplates, detect_tree_map};
pub use treemap_learner::TreeMapLearner;
pub use treemap_settings::TreeMapSettings;
