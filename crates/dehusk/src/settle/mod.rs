//! What belongs together is decided together: coherence, clutter, the main heading. Decisions end here.

pub(crate) mod clutter;
pub(crate) mod coherence;
pub(crate) mod main_heading;

use crate::detection::Detection;
use crate::dom::Document;

pub use main_heading::Heading;

/// Makes the decisions of a detector consistent, whichever detector it was.
pub fn settle(document: &Document, detection: &mut Detection) {
    coherence::make_coherent(document, detection);
    clutter::drop_clutter(document, detection);
}
