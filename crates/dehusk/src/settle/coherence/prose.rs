//! The text of one author is kept whole.
//!
//! Paragraphs, lists, tables and headings without a class, side by side, were written as one text; what a template adds to it has a class
//! or is in an element of its own. If nearly all of such a text is kept, the rest is a short line, a licence, a list of links.

use super::revision::Revision;
use crate::dom::elements::{heading_level, is_list};
use crate::dom::{Document, Name, NodeId};

/// A text is kept whole if at least this share of it is kept.
const MIN_KEPT_SHARE: f32 = 0.97;
/// Minimum length of such a text, in bytes: a few paragraphs.
const MIN_TEXT: u32 = 1_000;

/// Keeps the dropped parts of texts of which nearly all is kept.
pub(super) fn keep_prose(page: &mut Revision<'_>) {
    let document = page.document;
    for parent in document.descendants(page.body) {
        if !document.is_element(parent)
            || page.kept_text(parent) < MIN_TEXT
            || page.kept_text(parent) == page.text(parent)
        {
            continue;
        }
        let written: Vec<NodeId> = document.children(parent).filter(|child| is_written(document, *child)).collect();
        let sum = |of: &dyn Fn(NodeId) -> u32| written.iter().map(|child| of(*child)).sum::<u32>();
        let (text, kept) = (sum(&|child| page.text(child)), sum(&|child| page.kept_text(child)));
        if kept < MIN_TEXT || (kept as f32) < MIN_KEPT_SHARE * text as f32 {
            continue;
        }
        for child in written {
            if page.kept_text(child) < page.text(child) {
                page.keep(child, parent);
            }
        }
    }
}

/// Whether an element is one that an author writes, and has no class or other name.
fn is_written(document: &Document, id: NodeId) -> bool {
    let name = document.html_name(id);
    let is_text = matches!(name, Name::P | Name::TABLE | Name::DL | Name::BLOCKQUOTE) || is_list(name);
    (is_text || heading_level(name).is_some_and(|level| level > 1)) && document.attribute(id, Name::CLASS).is_none()
}
