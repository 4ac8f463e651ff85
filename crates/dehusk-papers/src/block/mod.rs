//! Block: template blocks of pages of any site, by a model over the features of blocks.
//!
//! `elements.rs` finds the blocks of a page, `features.rs` and the files beside it describe them, `detect.rs` scores them
//! and decides, and `detector.rs` is the plug-in. Kolcz and Yih: Site-Independent Template-Block Detection (PKDD 2007).

mod context;
mod detect;
mod detector;
pub mod elements;
mod feature_row;
pub mod features;
pub mod page_words;
mod scratch;

pub use context::each_name_word;
pub use detect::{BlockClassifier, BlockModel, BlockScores, BlockSettings, OperatingPoint, detect_block, score_blocks};
pub use detector::Block;
