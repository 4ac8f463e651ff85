//! PageLevel: templateness of the nodes of a single page.
//!
//! `features/` describes nodes, `model.rs` scores them by four logistic regressions, `isotonic.rs` smooths the scores over the tree,
//! `detect.rs` makes sections and decisions of them, and `detector.rs` is the plug-in. Chakrabarti, Kumar and Punera: Page-level
//! Template Detection via Isotonic Smoothing (WWW 2007).

mod detect;
mod detector;
pub mod features;
mod isotonic;
mod model;
mod scored_nodes;

pub use detect::{
    FeatureContribution, PageLevelSettings, PageScores, PageSection, append_contributions, detect_page_level,
    score_page,
};
pub use detector::PageLevel;
pub use isotonic::{LEVELS, ScoredTree, smooth_exact, smooth_quantized};
pub use model::{BANDS, ModelSettings, PageLevelModel};
pub use scored_nodes::{MIN_AREA, ScoredNodes};
