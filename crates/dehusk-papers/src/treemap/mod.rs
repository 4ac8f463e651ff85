//! TreeMap: templates as the common tree of several pages.
//!
//! The core represents pages as trees and maps them to each other from the root down. `template_search.rs` keeps the nodes that all
//! pages share, and `treemap_detector.rs` finds these on a page in one pass. A site may have several templates; a page gets the one
//! that covers most of it, or none. Vieira et al., "A fast and robust method for web page template detection and removal" (CIKM 2006).

mod template_search;
mod treemap_detector;
mod treemap_learner;
mod treemap_lines;
mod treemap_method;
mod treemap_settings;

pub use dehusk::site::{PageTree, TreeMapping, map_trees, mapping_distance, mapping_similarity};
pub use treemap_detector::{TreeMapTemplates, detect_tree_map};
pub use treemap_learner::TreeMapLearner;
pub use treemap_method::TreeMap;
pub use treemap_settings::TreeMapSettings;
