//! Detectors that look at one page alone and need no other page of its site.

mod block;
mod isotonic;
mod pagelevel;
mod pagelevel_model;
mod scored_nodes;

pub(crate) use crate::features::nodes::host_of;
pub use block::{Block, BlockClassifier, BlockModel, BlockScores, OperatingPoint, detect_block, score_blocks};
pub use isotonic::{LEVELS, ScoredTree, smooth_exact, smooth_quantized};
pub use pagelevel::{PageLevel, PageScores, PageSection, Weighed, append_weighed, detect_page_level, score_page};
pub use pagelevel_model::{BANDS, ModelSettings, PageLevelModel};
pub use scored_nodes::{JudgedPage, LEAST_AREA};
