//! Block: template blocks of pages of any site, by a model over the features of blocks.
//!
//! `block_elements.rs` finds the blocks of a page, `block_features.rs` and the files beside it describe them, `detect.rs` scores them
//! and decides, and `detector.rs` is the plug-in. Cardoso, Laber and others: an efficient, site-independent template detector.

mod block_context;
pub mod block_elements;
pub mod block_features;
mod block_row;
mod block_scratch;
mod detect;
mod detector;
pub mod page_words;

pub use block_context::each_name_word;
pub use detect::{BlockClassifier, BlockModel, BlockScores, BlockSettings, OperatingPoint, detect_block, score_blocks};
pub use detector::Block;
