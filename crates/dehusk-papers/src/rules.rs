//! Which of our rules TreeMap and Align follow, beside what their papers describe.

use crate::dom::{Document, NodeId};
use dehusk::detection::Detection;

/// The rules that TreeMap and Align follow. docs/treemap.md and docs/align.md list those that are ours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rules {
    /// All of them.
    #[default]
    All,
    /// All but those for slots that a template fills differently from page to page, and for alternatives.
    NoSlots,
    /// None: the method as its paper describes it.
    Paper,
}

/// Drops every node that is template as a whole, without regard to the text around it.
pub(crate) fn drop_nodes(document: &Document, is_template: &impl Fn(NodeId) -> bool, detection: &mut Detection) {
    let mut at = NodeId::DOCUMENT;
    while at.index() < document.len() {
        if is_template(at) {
            detection.drop_subtree(document, at);
            at = document.end(at);
        } else {
            at.0 += 1;
        }
    }
}
