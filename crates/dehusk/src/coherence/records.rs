//! Records keep their name, price, author and date.
//!
//! A record is one of several similar elements whose text is kept: a post, a comment, a product of a list. The page says what
//! its name, price, author and date are, by elements, `itemprop`, `rel`, class names, or links to profiles.

use super::revision::Revision;
use crate::dom::elements::heading_level;
use crate::dom::{Document, Name, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A record is kept with its name, price, author and date if at least this share of its text is kept.
const MIN_KEPT_SHARE: f32 = 0.5;
/// Minimum number of similar elements with kept text for them to be records.
const MIN_RECORDS: u32 = 2;
/// Maximum length of a name, price, author or date, in bytes. Longer ones contain more than that.
const MAX_FIELD: u32 = 80;
/// Maximum number of elements between a field and its record.
const MAX_DEPTH: usize = 16;

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
pub(super) fn keep_records(page: &mut Revision<'_>) {
    let document = page.document;
    let mut similar = SimilarSiblings::default();
    let mut places: FxHashMap<(NodeId, Field), usize> = FxHashMap::default();
    let mut chosen: Vec<(NodeId, NodeId, bool)> = Vec::new();
    let mut at = page.body;
    while at < document.end(page.body) {
        let is_short = document.is_element(at) && (1..=MAX_FIELD).contains(&page.text(at));
        if let Some(field) = is_short.then(|| field_of(document, at)).flatten() {
            if let Some(record) = record_of(page, at, &mut similar) {
                let is_named = field == Field::Author && is_named_like_address(page, at);
                let place = *places.entry((record, field)).or_insert(chosen.len());
                match chosen.get_mut(place) {
                    None => chosen.push((at, record, is_named)),
                    Some(before) if is_named && !before.2 => *before = (at, record, true),
                    _ => {}
                }
            }
            at = document.end(at);
        } else {
            at.0 += 1;
        }
    }
    for (field, record, _) in chosen {
        if page.kept_text(field) < page.text(field) {
            page.keep(field, record);
        }
    }
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

/// The innermost record around a field.
fn record_of(page: &Revision<'_>, field: NodeId, similar: &mut SimilarSiblings) -> Option<NodeId> {
    let document = page.document;
    let mut around = document.ancestors(field).take_while(|outer| *outer > page.body).take(MAX_DEPTH);
    around.find(|outer| is_mostly_kept(page, *outer) && similar.kept(page, *outer) >= MIN_RECORDS)
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
            let mut counts: FxHashMap<(Name, &str), u32> = FxHashMap::default();
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
