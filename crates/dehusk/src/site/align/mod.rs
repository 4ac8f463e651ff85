//! Align: the template as the sequence of tags and texts that the pages of one site have in common.
//!
//! Pages become sequences of tokens (`tokens.rs`); two sequences are aligned globally (`pairwise.rs`); some pages are
//! aligned two by two until one sequence is left (`consensus.rs`); what stands on half of them is the template
//! (`learner.rs`); one more alignment finds it on a page (`detect.rs`). Geraci, Maggini: A Multi-sequence Alignment
//! Algorithm for Web Template Detection (KDIR 2011).

mod align_detector;
mod align_learner;
mod align_lines;
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
pub use consensus::{Pair, Profile, Rounds};
pub use page_tokens::{PageTokens, Token, TokenKind};
pub use pairwise::{AlignAlgorithm, AlignLimits, align, align_by, align_score};
pub use steps::{Alignment, Step};
