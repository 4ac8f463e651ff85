//! What the pages of one site share: learning it, and finding it on a page.

pub(crate) mod align;
mod auto_choice;
mod bounded_sample;
mod combine;
mod drift;
mod group_learner;
mod increasing;
mod line_format;
mod method;
mod min_support;
mod page_groups;
mod page_shape;
mod preview;
mod rules;
mod sample_page;
mod site_learner;
mod site_templates;
mod sitelevel;
mod sitelevel_template;
mod skeleton;
mod slots;
mod templates_file;
mod treemap;

pub use drift::{Drift, DriftCounter, TemplateDrift, Verdict};
pub use method::{Combination, Method};
pub use preview::render_templates;
pub use rules::Rules;
pub use sample_page::page_source;
pub use site_learner::{MAX_SAMPLE_PAGES, SiteLearner};
pub use site_templates::{GroupTemplate, SiteTemplates};
pub use sitelevel::{SiteLevelLearner, SiteLevelSettings, detect_site_level, page_evidence};
pub use sitelevel_template::SiteLevelTemplate;
pub use skeleton::{Skeleton, SkeletonLine, SkeletonLineKind};
pub use treemap::{
    PageTree, TreeMapLearner, TreeMapSettings, TreeMapTemplates, TreeMapping, detect_tree_map, map_trees,
    mapping_distance, mapping_similarity,
};
