//! Detectors that need nothing but the page.

mod isotonic;
mod pagelevel;
mod pagelevel_model;

pub use isotonic::{LEVELS, ScoredTree, smooth_exact, smooth_quantized};
pub use pagelevel::{LEAST_AREA, PageLevel, PageScores, PageSection, Weighed, detect_page_level, score_page, score_page_by};
pub use pagelevel_model::{BANDS, PageLevelModel};
