//! Align: the template as the sequence of tags and texts that the pages of one site have in common.
//!
//! Pages become sequences of tokens (`tokens.rs`); two sequences are aligned globally (`pairwise.rs`); some pages are
//! aligned two by two until one sequence is left (`consensus.rs`); what stands on half of them is the template
//! (`learner.rs`); one more alignment finds it on a page (`detect.rs`). Geraci, Maggini: A Multi-sequence Alignment
//! Algorithm for Web Template Detection (KDIR 2011).

mod anchors;
mod consensus;
mod detect;
mod divide;
mod file;
mod learner;
mod matrix;
mod pairwise;
mod steps;
mod tokens;
mod wavefront;

pub use consensus::{Pair, Profile, Rounds};
pub use detect::detect_align;
pub use learner::{AlignLearner, AlignSettings, AlignTemplate, Consensus};
pub use pairwise::{AlignLimits, AlignPath, align, align_by, align_score};
pub use steps::{Alignment, Step};
pub use tokens::{PageTokens, Token, TokenKind};
