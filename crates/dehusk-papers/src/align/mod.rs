//! Align: the template as the sequence of tags and texts that the pages of a site have in common.
//!
//! Pages become sequences of tokens (`page_tokens.rs`). Two sequences are aligned globally (`pairwise.rs`). Several
//! pages are aligned in pairs until one sequence is left (`consensus.rs`); the tokens that enough pages contain are
//! the template (`align_learner.rs`). One more alignment finds it on a page (`align_detector.rs`). Geraci, Maggini: A
//! Multi-sequence Alignment Algorithm for Web Template Detection (KDIR 2011).

mod align_detector;
mod align_learner;
mod align_lines;
mod align_method;
mod anchors;
mod consensus;
mod divide_and_conquer;
mod matrix;
mod page_tokens;
mod pairwise;
mod steps;
mod wavefront;

pub use align_detector::detect_align;
pub use align_learner::{AlignLearner, AlignSettings, AlignTemplate, Consensus};
pub use align_method::Align;
pub use consensus::{Pair, Profile, Rounds};
pub use page_tokens::{PageTokens, Token, TokenKind};
pub use pairwise::{AlignAlgorithm, AlignLimits, align, align_by, align_score};
pub use steps::{Alignment, Step};
