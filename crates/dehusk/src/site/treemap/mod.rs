//! TreeMap: templates as the common tree of a few pages.
//!
//! Takes pages of one site as trees (`tree.rs`), maps them to each other from the root down (`mapping.rs`), keeps what all of them
//! share (`find.rs`) and finds it again in a page by one pass (`align.rs` aligns the children). A site may have
//! several templates; a page gets the one that covers most of it, or none. Vieira et al., "A fast and robust method for web page
//! template detection and removal" (CIKM 2006).

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
