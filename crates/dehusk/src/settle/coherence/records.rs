//! Records keep their name, price, author and date.
//!
//! A record is one of several similar elements whose text is kept: a post, a comment, a product of a list. The page says what
//! its name, price, author and date are, by elements, `itemprop`, `rel`, class names, or links to profiles.

use super::revision::Revision;
use crate::dom::elements::heading_level;
use crate::dom::{Document, Name, NodeId};
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

/// A part of a record that a reader needs to make use of its text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Field {
    Name,
    Price,
    Author,
    Date,
}

/// Keeps a name, price, author and date of every record: the first, or of several links to a profile the one that is named like its
/// address. The others are pictures of the author.
///
/// Which one is chosen depends on the page only and not on what is kept, so that keeping more of a page never drops a field.
pub(super) fn keep_records(page: &mut Revision<'_>) {
    let fields = fields_of_page(page);
    if fields.iter().all(|(id, _)| page.kept_text(*id) == page.text(*id)) {
        return;
    }
    let mut chosen: FxHashMap<(NodeId, Field), (NodeId, bool)> = FxHashMap::default();
    for (id, field) in &fields {
        let is_named = *field == Field::Author && is_named_like_address(page, *id);
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
fn fields_of_page(page: &Revision<'_>) -> Vec<(NodeId, Field)> {
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

/// The field that an element is, as far as the page says so.
fn field_of(document: &Document, id: NodeId) -> Option<Field> {
    let name = document.html_name(id);
    if name == Name::TIME {
        return Some(Field::Date);
    }
    if heading_level(name).is_some() {
        return Some(Field::Name);
    }
    for attribute in document.attributes(id) {
        let value = document.value(attribute);
        let field = match attribute.name {
            Name::ITEMPROP => field_of_property(value),
            Name::REL if value.eq_ignore_ascii_case("author") => Some(Field::Author),
            Name::HREF if name == Name::A && is_profile(value) => Some(Field::Author),
            Name::CLASS => field_of_class(value),
            _ => None,
        };
        if field.is_some() {
            return field;
        }
    }
    None
}

fn field_of_property(property: &str) -> Option<Field> {
    match property {
        "headline" => Some(Field::Name),
        "price" => Some(Field::Price),
        "author" | "creator" => Some(Field::Author),
        "datePublished" | "dateCreated" => Some(Field::Date),
        _ => None,
    }
}

/// The field that a class such as `post-author` names.
fn field_of_class(classes: &str) -> Option<Field> {
    let mut words = classes.as_bytes().split(|byte| matches!(byte, b'-' | b'_') || byte.is_ascii_whitespace());
    words.find_map(|word| match word {
        b"price" => Some(Field::Price),
        b"author" | b"byline" | b"username" | b"postauthor" | b"poster" => Some(Field::Author),
        b"date" | b"timestamp" | b"datetime" | b"postdate" => Some(Field::Date),
        _ => None,
    })
}

/// Whether a link leads to the profile of a user, by the usual addresses of forums.
fn is_profile(url: &str) -> bool {
    let url = url.as_bytes();
    (0..url.len()).any(|at| match url[at] {
        b'/' => match &url[at + 1..] {
            [b'u', rest @ ..] => [&b"/"[..], b"ser/", b"sers/"].iter().any(|part| rest.starts_with(part)),
            [b'p', rest @ ..] => rest.starts_with(b"rofile/"),
            [b'm', rest @ ..] => rest.starts_with(b"embers/"),
            _ => false,
        },
        b'?' => url[..at].ends_with(b"profile.php") || url[..at].ends_with(b"member.php"),
        _ => false,
    })
}
