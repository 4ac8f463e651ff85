//! Detectors that look at one page alone and need no other page of its site.

mod block;

pub use block::{Block, BlockClassifier, BlockModel, BlockScores, OperatingPoint, detect_block, score_blocks};
