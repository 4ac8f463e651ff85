//! What the pages of one site share: learning it and finding it again.

pub mod align;
mod blocks;
mod decide;
mod sitelevel;
mod template;

pub use sitelevel::{SiteLevel, SiteLevelLearner, detect_site_level, page_evidence};
pub use template::SiteTemplate;
