//! A heading goes with what it heads.

use super::revision::Revision;
use crate::detection::Reason;
use crate::dom::elements::{heading_level, is_preformatted};
use crate::dom::{Document, Name, NodeId};

/// Minimum length of the text under a dropped heading for the heading to be kept, in bytes: a sentence or two.
const MIN_PROSE: u32 = 80;
/// Maximum length of a heading, in bytes. Longer ones are texts in a heading element: a slogan, a summary.
const MAX_HEADING: u32 = 80;

/// The headings of a page that show text, with their levels. A heading inside another one is part of it.
fn headings(page: &Revision<'_>) -> Vec<(NodeId, u8)> {
    let document = page.document;
    let mut found = Vec::new();
    let mut end = page.body;
    for id in page.elements.headings.iter().copied() {
        if id >= end
            && let Some(level) = heading_level(document.html_name(id))
            && page.text(id) > 0
        {
            found.push((id, level));
            end = document.end(id);
        }
    }
    found
}

/// Whether a heading heads a section. The title of a page heads everything; no rule here keeps or drops it.
fn is_section_heading(page: &Revision<'_>, id: NodeId, level: u8) -> bool {
    level > 1 && page.text(id) <= MAX_HEADING
}

/// Keeps dropped headings right above kept prose or code.
pub(super) fn keep_headings(page: &mut Revision<'_>) {
    let document = page.document;
    for (id, level) in headings(page) {
        if !is_section_heading(page, id, level) || page.kept_text(id) == page.text(id) {
            continue;
        }
        let end = document.end(id);
        let Some(next) = page.text_from(end).filter(|text| !page.is_dropped(*text)) else { continue };
        let Some(outer) = document.parent(id) else { continue };
        // What it heads is beside it, or beside the element around it.
        let section = if page.text(outer) == page.text(id) { document.parent(outer).unwrap_or(outer) } else { outer };
        if !document.contains(section, next) || is_in_heading(document, next) {
            continue;
        }
        let Some(block) = document.ancestors(next).take_while(|at| *at != section).last() else { continue };
        let is_code = document.ancestors(next).any(|outer| is_preformatted(document.html_name(outer)));
        if is_code || page.kept_text_between(next, document.end(block)) >= MIN_PROSE {
            page.keep(id, section);
        }
    }
}

fn is_in_heading(document: &Document, text: NodeId) -> bool {
    document.ancestors(text).any(|at| heading_level(document.html_name(at)).is_some())
}

/// Drops kept headings whose text on the page was dropped up to the next heading of the same or a higher level. Headings that are a field of
/// records, given their texts in page order, were decided for all records alike.
pub(super) fn drop_empty_headings(page: &mut Revision<'_>, fields: &[NodeId]) {
    let document = page.document;
    let headings = headings(page);
    // For each level the next heading of this or a higher level.
    let mut next = [document.end(page.body); 7];
    let mut empty = Vec::new();
    for (id, level) in headings.into_iter().rev() {
        let (start, end) = (document.end(id), next[level as usize]);
        next[level as usize..].fill(id);
        let is_linked = document.descendants(id).any(|inner| document.html_name(inner) == Name::A)
            || document.ancestors(id).any(|outer| document.html_name(outer) == Name::A);
        let is_field = || page.text_from(id).is_some_and(|text| fields.binary_search(&text).is_ok());
        if !page.is_dropped(id)
            && is_section_heading(page, id, level)
            && !is_linked
            && page.text_between(start, end) > 0
            && page.kept_text_between(start, end) == 0
            && !is_field()
            && !shows_media(page, start, end)
        {
            empty.push(id);
        }
    }
    for id in empty {
        page.drop(id, Reason::EmptyHeading);
    }
}

/// Whether something other than text is kept between two nodes.
fn shows_media(page: &Revision<'_>, start: NodeId, end: NodeId) -> bool {
    let document = page.document;
    (start.0..end.0).map(NodeId).any(|id| {
        !page.is_dropped(id)
            && matches!(document.html_name(id), Name::IMG | Name::VIDEO | Name::AUDIO | Name::IFRAME | Name::OBJECT)
    })
}
