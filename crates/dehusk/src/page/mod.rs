//! Detectors that classify a page by itself, without other pages of its site.

mod block_detector;
mod isotonic;
mod pagelevel;
mod pagelevel_model;
mod scored_nodes;

pub(crate) use crate::features::nodes::host_of;
pub use block_detector::{Block, BlockClassifier, BlockModel, BlockScores, OperatingPoint, detect_block, score_blocks};
pub use isotonic::{LEVELS, ScoredTree, smooth_exact, smooth_quantized};
pub use pagelevel::{
    FeatureContribution, PageLevel, PageScores, PageSection, append_contributions, detect_page_level, score_page,
};
pub use pagelevel_model::{BANDS, ModelSettings, PageLevelModel};
pub use scored_nodes::{MIN_AREA, ScoredNodes};
