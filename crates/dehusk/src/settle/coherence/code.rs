//! Code is kept with the text around it.

use super::revision::Revision;
use crate::dom::{Document, NodeId};

/// The dropped part of a page that contains the code must consist of code by at least this share, so that it is not a
/// section with code in it.
const MIN_CODE_SHARE: f32 = 0.5;
/// Bytes of dropped text that may be between the code and the kept text: a file name, a button.
const MAX_BETWEEN: u32 = 60;

/// Keeps dropped code if the text before or after it is kept, and all of a block of code of which a part is kept.
pub(super) fn keep_code(page: &mut Revision<'_>) {
    let document = page.document;
    let mut codes = std::mem::take(&mut page.elements.codes);
    codes.retain(|id| page.kept_text(*id) < page.text(*id) && !is_line_numbers(document, *id));
    // Forwards for code after kept code, then backwards.
    for id in &codes {
        keep_if_framed(page, *id);
    }
    for id in codes.iter().rev() {
        keep_if_framed(page, *id);
    }
}

fn keep_if_framed(page: &mut Revision<'_>, code: NodeId) {
    let document = page.document;
    if page.kept_text(code) > 0 {
        page.keep(code, code);
        return;
    }
    let Some(first) = page.text_from(code) else { return };
    if !page.is_dropped(first) {
        return;
    }
    // The outermost dropped element around it.
    let mut outer = code;
    while let Some(parent) = document.parent(outer).filter(|parent| page.is_dropped(*parent)) {
        outer = parent;
    }
    if (page.text(code) as f32) < MIN_CODE_SHARE * page.text(outer) as f32 {
        return;
    }
    if let Some(text) = kept_before(page, code).or_else(|| kept_after(page, document.end(code))) {
        page.keep(code, document.parent(text).unwrap_or(text));
    }
}

/// The kept text before a node, if only a little dropped text is between the two.
fn kept_before(page: &Revision<'_>, id: NodeId) -> Option<NodeId> {
    let mut at = id;
    while let Some(text) = page.text_ahead_of(at) {
        if !page.is_dropped(text) {
            return Some(text);
        }
        if page.text_between(text, id) > MAX_BETWEEN {
            return None;
        }
        at = text;
    }
    None
}

/// The kept text from a node on, if only a little dropped text is between the two.
fn kept_after(page: &Revision<'_>, id: NodeId) -> Option<NodeId> {
    let mut at = id;
    while let Some(text) = page.text_from(at) {
        if !page.is_dropped(text) {
            return Some(text);
        }
        if page.text_between(id, NodeId(text.0 + 1)) > MAX_BETWEEN {
            return None;
        }
        at = NodeId(text.0 + 1);
    }
    None
}

/// Whether an element consists of the line numbers of a code block next to it.
fn is_line_numbers(document: &Document, id: NodeId) -> bool {
    let mut texts = document.descendants(id).filter(|id| document.is_text(*id));
    texts.all(|id| document.text(id).bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace()))
}
