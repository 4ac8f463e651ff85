//! What the pages of one site share: learning it and finding it again.

pub(crate) mod align;
mod auto;
mod combine;
mod drawing;
mod drift;
mod file;
mod group;
mod kind_learner;
mod learner;
mod lines;
mod method;
mod places;
mod sample;
mod shape;
mod sitelevel;
mod skeleton;
mod template;
mod templates;
mod treemap;

pub use drawing::render_templates;
pub use drift::{Drift, DriftCounter, TemplateDrift, Verdict};
pub use learner::{KEPT_PAGES, SiteLearner};
pub use method::{Method, Rule};
pub use sample::page_source;
pub use sitelevel::{SiteLevel, SiteLevelLearner, detect_site_level, page_evidence};
pub use skeleton::{Part, PartKind, Skeleton};
pub use template::SiteTemplate;
pub use templates::{KindTemplate, SiteTemplates};
pub use treemap::{
    PageTree, TreeMap, TreeMapLearner, TreeMapTemplates, TreeMapping, detect_tree_map, map_trees, mapping_distance,
    mapping_similarity,
};
