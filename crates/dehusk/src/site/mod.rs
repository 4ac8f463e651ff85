//! What the pages of one site share: learning it and finding it again.

pub mod align;
mod blocks;
pub(crate) mod decide;
mod sitelevel;
mod template;
mod treemap;

pub use sitelevel::{SiteLevel, SiteLevelLearner, detect_site_level, page_evidence};
pub use template::SiteTemplate;
pub use treemap::{
    PageTree, TreeMap, TreeMapLearner, TreeMapTemplates, TreeMapping, detect_tree_map, map_trees, mapping_distance,
    mapping_similarity,
};
