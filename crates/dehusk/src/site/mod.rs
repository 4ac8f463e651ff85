//! What the pages of one site share: learning it, and finding it on a page.
//!
//! `learn/` is the fold over pages, `templates/` is what it gives and how that is found on a page, `mapping/` compares trees. A site
//! method decides which nodes are template; `decide.rs` turns that into decisions about whole units (`units.rs`). `drift.rs` compares
//! recent pages with those that were learned from.

pub(crate) mod decide;
pub(crate) mod drift;
pub(crate) mod learn;
pub(crate) mod mapping;
pub(crate) mod slots;
pub(crate) mod templates;
pub(crate) mod units;

pub use decide::decide;
pub use drift::{Drift, DriftCounter, TemplateDrift, Verdict};
pub use learn::bounded_sample::BoundedSample;
pub use learn::min_support::min_support;
pub use learn::sample_page::page_source;
pub use learn::site_learner::{MAX_SAMPLE_PAGES, SiteLearner};
pub use learn::skeleton::{Skeleton, SkeletonLine, SkeletonLineKind};
pub use mapping::child_alignment::{ChildLists, align_children};
pub use mapping::increasing::longest_increasing;
pub use mapping::page_tree::{NO_NODE, PageTree, TreeNode};
pub use mapping::tree_mapping::{MAX_CELLS, TreeMapping, common_tree, map_trees, mapping_distance, mapping_similarity};
pub use slots::{Filled, FilledText, SlotText, TextForm, filled_slots, match_filled_blocks};
pub use templates::line_format::{LineReader, append_hashes, damaged, parse_hash};
pub use templates::preview::render_templates;
pub use templates::site_method::{Combination, SiteMethod, Template, TemplateLearner, TemplateMethod};
pub use templates::site_templates::{KindTemplate, SiteTemplates};
pub use templates::sitelevel::{SiteLevelLearner, SiteLevelSettings, detect_site_level, page_evidence};
pub use templates::sitelevel_template::SiteLevelTemplate;
