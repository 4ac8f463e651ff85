//! Records keep their name, price, author and date.
//!
//! A record is one of several similar elements whose text is kept: a post, a comment, a product of a list. The page says what
//! its name, price, author and date are, by elements, `itemprop`, `rel`, class names, or links to profiles.

use super::revision::Revision;
use crate::dom::{Document, Name, NodeId};
use crate::records::field_hints::{KnownField, field_of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashMap;

/// A record is kept with its name, price, author and date if at least this share of its text is kept.
const MIN_KEPT_SHARE: f32 = 0.5;
/// Minimum number of similar elements with kept text for them to be records.
const MIN_RECORDS: u32 = 2;
/// Maximum length of a name, price, author or date, in bytes. Longer ones contain more than that.
const MAX_FIELD: u32 = 80;
/// Maximum number of elements between a field and its record.
const MAX_DEPTH: usize = 8;

/// Keeps a name, price, author and date of every record: the first, or of several links to a profile the one that is named like its
/// address. The others are pictures of the author.
///
/// Which one is chosen depends on the page only and not on what is kept, so that keeping more of a page never drops a field.
pub(super) fn keep_records(page: &mut Revision<'_>) {
    let fields = fields_of_page(page);
    if fields.iter().all(|(id, _)| page.kept_text(*id) == page.text(*id)) {
        return;
    }
    let mut chosen: FxHashMap<(NodeId, KnownField), (NodeId, bool)> = FxHashMap::default();
    for (id, field) in &fields {
        let is_named = *field == KnownField::Author && is_named_like_address(page, *id);
        for outer in around(page, *id) {
            let first = chosen.entry((outer, *field)).or_insert((*id, is_named));
            if is_named && !first.1 {
                *first = (*id, true);
            }
        }
    }
    let mut similar = SimilarSiblings::default();
    for (id, field) in fields {
        let is_record = |outer: &NodeId| {
            chosen.get(&(*outer, field)).is_some_and(|first| first.0 == id)
                && is_mostly_kept(page, *outer)
                && similar.kept(page, *outer) >= MIN_RECORDS
        };
        if page.kept_text(id) < page.text(id)
            && let Some(record) = around(page, id).find(is_record)
        {
            page.keep(id, record);
        }
    }
}

/// The names, prices, authors and dates that a page marks.
fn fields_of_page(page: &Revision<'_>) -> Vec<(NodeId, KnownField)> {
    let document = page.document;
    let mut fields = Vec::new();
    let mut at = page.body;
    while at < document.end(page.body) {
        let is_short = document.is_element(at) && (1..=MAX_FIELD).contains(&page.text(at));
        if let Some(field) = is_short.then(|| field_of(document, at)).flatten() {
            fields.push((at, field));
            at = document.end(at);
        } else {
            at.0 += 1;
        }
    }
    fields
}

/// The elements around a field that may be its record, from the innermost outwards.
fn around<'a>(page: &Revision<'a>, field: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
    let body = page.body;
    page.document.ancestors(field).take_while(move |outer| *outer > body).take(MAX_DEPTH)
}

/// Whether the text of a link is the last part of its address, ignoring case and punctuation.
fn is_named_like_address(page: &Revision<'_>, id: NodeId) -> bool {
    let document = page.document;
    let plain =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    let nodes = || document.subtree(id).map(|at| NodeId(at as u32));
    let link = nodes().find(|inner| document.html_name(*inner) == Name::A);
    let Some(address) = link.and_then(|link| document.attribute(link, Name::HREF)) else { return false };
    let last = address.trim_end_matches('/').rsplit(['/', '=']).next().unwrap_or_default();
    let texts = nodes().filter(|inner| document.is_text(*inner));
    let text: String = texts.map(|inner| plain(document.text(inner))).collect();
    !text.is_empty() && text == plain(last)
}

/// Whether an element has text besides the field, and most of it is kept.
fn is_mostly_kept(page: &Revision<'_>, id: NodeId) -> bool {
    let kept = page.kept_text(id);
    kept > 0 && kept as f32 >= MIN_KEPT_SHARE * page.text(id) as f32
}

/// For the children of an element: how many siblings with the same name and first class have mostly kept text, itself included.
#[derive(Default)]
struct SimilarSiblings {
    read: FxHashSet<NodeId>,
    kept: FxHashMap<NodeId, u32>,
}

impl SimilarSiblings {
    fn kept(&mut self, page: &Revision<'_>, id: NodeId) -> u32 {
        let document = page.document;
        let Some(parent) = document.parent(id) else { return 0 };
        if self.read.insert(parent) {
            let mut counts: HashMap<(Name, &str), u32> = HashMap::new();
            for child in document.children(parent).filter(|child| is_mostly_kept(page, *child)) {
                *counts.entry(kind_of(document, child)).or_default() += 1;
            }
            for child in document.children(parent) {
                let count = counts.get(&kind_of(document, child)).copied().unwrap_or(0);
                self.kept.insert(child, count);
            }
        }
        self.kept.get(&id).copied().unwrap_or(0)
    }
}

/// What similar elements have in common: their name and their first class.
fn kind_of(document: &Document, id: NodeId) -> (Name, &str) {
    let classes = document.attribute(id, Name::CLASS).unwrap_or_default();
    (document.html_name(id), classes.split_ascii_whitespace().next().unwrap_or_default())
}
