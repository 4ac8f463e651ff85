//! What a detector gives: score, decision and reason for every node of a page.

mod detectors;
mod node_decisions;
mod page_type;

pub use detectors::Detectors;
pub(crate) use node_decisions::shown_words_up_to;
pub use node_decisions::{Decision, Detection, PageVerdict, Reason, TemplateFit};
pub use page_type::PageType;
