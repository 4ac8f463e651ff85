//! Lists keep their items, and items their lists.

use super::revision::Revision;
use crate::dom::elements::{heading_level, is_block};
use crate::dom::{Name, NodeId};

/// All items of a list are kept if at least this share of its items and of its text is kept.
const MIN_KEPT_SHARE: f32 = 0.5;
/// Longer items contain more than one kind of text, such as a comment and its buttons. In bytes.
const MAX_ITEM: u32 = 400;

/// Keeps all items of a list if most are kept, lists inside kept items, and the terms of kept definitions.
pub(super) fn keep_lists(page: &mut Revision<'_>) {
    let document = page.document;
    for id in std::mem::take(&mut page.elements.lists) {
        if document.html_name(id) == Name::DL {
            keep_list(page, id, |name| matches!(name, Name::DT | Name::DD));
            keep_terms(page, id);
        } else {
            keep_nested_list(page, id);
            keep_list(page, id, |name| name == Name::LI);
        }
    }
}

fn keep_list(page: &mut Revision<'_>, id: NodeId, is_item: impl Fn(Name) -> bool) {
    let document = page.document;
    let (text, kept) = (page.text(id), page.kept_text(id));
    if kept == text || (kept as f32) < MIN_KEPT_SHARE * text as f32 {
        return;
    }
    let items = document.children(id).filter(|item| is_item(document.html_name(*item)) && page.text(*item) > 0);
    let items: Vec<NodeId> = items.collect();
    let dropped: Vec<NodeId> = items.iter().copied().filter(|item| page.kept_text(*item) == 0).collect();
    // Items of one block only: of others, a part could be kept, and keeping more of a page must not drop the rest.
    let is_plain = |item: &NodeId| {
        let whole = page.text(*item);
        let is_one_block = |inner: NodeId| {
            !is_block(document.html_name(inner)) || matches!(page.text(inner), text if text == 0 || text == whole)
        };
        whole <= MAX_ITEM
            && document.descendants(*item).all(|inner| is_one_block(inner) && !is_structured(document.html_name(inner)))
    };
    if (items.len() - dropped.len()) as f32 >= MIN_KEPT_SHARE * items.len() as f32 && dropped.iter().all(is_plain) {
        for item in dropped {
            page.keep(item, id);
        }
    }
}

/// Keeps a list inside a kept item: without it the item is half a statement.
fn keep_nested_list(page: &mut Revision<'_>, id: NodeId) {
    let document = page.document;
    let item = document.parent(id).filter(|item| document.html_name(*item) == Name::LI);
    let Some(item) = item.filter(|_| page.kept_text(id) < page.text(id)) else { return };
    let own = page.text_between(item, id);
    let is_plain = !document.descendants(id).any(|inner| is_structured(document.html_name(inner)));
    let is_kept = own > 0 && page.text_from(item).is_some_and(|text| text < id && !page.is_dropped(text));
    if is_kept && is_plain {
        page.keep(id, item);
    }
}

/// Elements of cards and menus rather than of a list item.
fn is_structured(name: Name) -> bool {
    heading_level(name).is_some() || matches!(name, Name::FORM | Name::NAV | Name::ASIDE | Name::ARTICLE)
}

/// Keeps the terms of kept definitions. Terms and definitions can be in groups.
fn keep_terms(page: &mut Revision<'_>, list: NodeId) {
    let document = page.document;
    let mut terms: Vec<NodeId> = Vec::new();
    let mut is_after_term = false;
    let groups = document.children(list).flat_map(|child| {
        let is_group = document.html_name(child) == Name::DIV;
        std::iter::once(child).chain(document.children(child).filter(move |_| is_group))
    });
    for item in groups {
        match document.html_name(item) {
            Name::DT => {
                if !is_after_term {
                    terms.clear();
                }
                terms.push(item);
                is_after_term = true;
            }
            Name::DD => {
                is_after_term = false;
                if page.kept_text(item) > 0 {
                    for term in terms.drain(..) {
                        page.keep(term, list);
                    }
                }
            }
            _ => {}
        }
    }
}
