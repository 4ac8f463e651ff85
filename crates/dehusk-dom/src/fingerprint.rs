//! Fingerprints of subtrees: 64-bit hashes that identify a subtree that appears on several pages.
//!
//! Three variants: `exact` (names, attributes, text), `structure` (names, classes, ids,
//! attribute names, no text) and `text` (lower-case words only). Values that change per request are left out: comments,
//! scripts, styles, white space, nonces, tokens, session and cache-busting numbers, and the class of the active menu item.
//! Any change here invalidates template files: raise the number in [`FINGERPRINT_SCHEME`].

use crate::document::{Attribute, Document, NodeId, NodeKind};
use crate::hash::mix;
use crate::names::{KNOWN_NAMES, Name};
use std::sync::LazyLock;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The version of the fingerprints. Template files with another version cannot be used.
pub const FINGERPRINT_SCHEME: &str = "fingerprint-1";

/// The fingerprints of all nodes of a document, by node number; 0 for a subtree with nothing to hash.
#[derive(Clone, Debug, Default)]
pub struct Fingerprints {
    /// Names, attributes and text.
    pub exact: Vec<u64>,
    /// Names, classes, ids and attribute names.
    pub structure: Vec<u64>,
    /// The words, in lower case.
    pub text: Vec<u64>,
    /// Prefix hashes over the words of the page.
    words: Vec<u64>,
    /// For each node and the end, the number of words before it.
    word_at: Vec<u32>,
    /// Powers of the base of the word hash.
    powers: Vec<u64>,
    scratch: String,
}

static KNOWN_HASHES: LazyLock<Vec<u64>> =
    LazyLock::new(|| KNOWN_NAMES.iter().map(|text| xxh3_64(text.as_bytes())).collect());

/// Hashes single nodes, without their descendants, by the rules of the fingerprints.
pub struct NodeHasher<'a> {
    document: &'a Document,
    names: NameHashes,
    scratch: String,
    lower: String,
}

impl<'a> NodeHasher<'a> {
    /// Creates a hasher for the nodes of a document.
    pub fn new(document: &'a Document) -> NodeHasher<'a> {
        NodeHasher { document, names: NameHashes::of(document), scratch: String::new(), lower: String::new() }
    }

    /// Hashes the name of an element, without its attributes.
    pub fn name(&self, id: NodeId) -> u64 {
        self.names.hash(self.document.name(id))
    }

    /// Hashes the start tag of an element: its name and attributes, with the stable values of all attributes (`exact`) or
    /// of class and id only (`structure`).
    pub fn start_tag(&mut self, id: NodeId, exact: bool) -> u64 {
        let (with_values, without) = self.names.element(self.document, id, &mut self.scratch);
        if exact { with_values } else { without }
    }

    /// Hashes a text in lower case with white space collapsed; 0 if it is only white space.
    pub fn text(&mut self, id: NodeId) -> u64 {
        self.lower.clear();
        let text = self.document.text(id);
        if text.is_ascii() {
            self.lower.push_str(text);
            self.lower.make_ascii_lowercase();
        } else {
            self.lower.extend(text.chars().flat_map(char::to_lowercase));
        }
        text_hash(&self.lower, &mut self.scratch)
    }
}

/// Mixes a hash with the kind of its token, so that a tag and a text never have the same hash.
pub fn tagged(hash: u64, kind: u64) -> u64 {
    mix(hash, kind)
}

impl Fingerprints {
    /// Computes all variants of the fingerprints of a document.
    pub fn of(document: &Document) -> Fingerprints {
        let mut fingerprints = Fingerprints::default();
        fingerprints.compute(document);
        fingerprints.compute_text(document);
        fingerprints
    }

    /// Computes the `exact` and `structure` variants, reusing the buffers. `text` is left empty: hashing words costs as
    /// much as both others together, and not every detector needs it.
    pub fn compute(&mut self, document: &Document) {
        let nodes = document.len();
        self.text.clear();
        for column in [&mut self.exact, &mut self.structure] {
            column.clear();
            column.resize(nodes, 0);
        }
        let names = NameHashes::of(document);
        let name_hash = |name: Name| names.hash(name);
        // From the last node to the first, children come before their parent. Until a node's turn, its columns
        // accumulate the hashes of its children.
        for at in (0..nodes).rev() {
            let id = NodeId(at as u32);
            let node = document.node(id);
            let (exact, structure) = match node.kind {
                // The same words as a heading and as a link in a list must have different hashes.
                NodeKind::Text => match text_hash(document.text(id), &mut self.scratch) {
                    0 => (0, 0),
                    hash => (mix(hash, name_hash(document.nodes[node.parent as usize].name)), 0),
                },
                NodeKind::Element if is_script_or_style(document, id) => (0, 0),
                NodeKind::Element => {
                    let name = name_hash(node.name);
                    let (exact, structure) = attributes_hash(document, id, &name_hash, &mut self.scratch);
                    let inner = (self.exact[at], self.structure[at]);
                    (mix(mix(name, exact), inner.0), mix(mix(name, structure), inner.1))
                }
                NodeKind::Document | NodeKind::Fragment => (self.exact[at], self.structure[at]),
                _ => (0, 0),
            };
            self.exact[at] = exact;
            self.structure[at] = structure;
            if at > 0 {
                let parent = node.parent as usize;
                // Scripts, comments and white space have the hash 0 and leave no trace in their parent.
                for (column, hash) in [(&mut self.exact, exact), (&mut self.structure, structure)] {
                    if hash != 0 {
                        column[parent] = mix(column[parent], hash);
                    }
                }
            }
        }
    }

    /// Computes the `text` variant.
    pub fn compute_text(&mut self, document: &Document) {
        self.hash_words(document);
        self.text.clear();
        for (at, node) in document.nodes.iter().enumerate() {
            let hash = self.words_hash(at, node.end as usize);
            self.text.push(hash);
        }
    }

    /// Computes prefix hashes over the words of the page, from which the hash of any subtree follows in constant time.
    fn hash_words(&mut self, document: &Document) {
        self.words.clear();
        self.words.push(0);
        self.word_at.clear();
        let mut unseen_until = 0;
        for (at, node) in document.nodes.iter().enumerate() {
            self.word_at.push(self.words.len() as u32 - 1);
            let id = NodeId(at as u32);
            match node.kind {
                NodeKind::Fragment => unseen_until = unseen_until.max(node.end as usize),
                NodeKind::Element if is_script_or_style(document, id) => {
                    unseen_until = unseen_until.max(node.end as usize)
                }
                NodeKind::Text if at >= unseen_until => {
                    for word in document.text(id).split_whitespace() {
                        let last = self.words[self.words.len() - 1];
                        self.words.push(modular(last, BASE, lower_hash(word, &mut self.scratch)));
                    }
                }
                _ => {}
            }
        }
        self.word_at.push(self.words.len() as u32 - 1);
        if self.powers.is_empty() {
            self.powers.push(1);
        }
        // The powers are the same for every page, so those of earlier pages are kept.
        while self.powers.len() < self.words.len() {
            let last = self.powers[self.powers.len() - 1];
            self.powers.push(modular(last, BASE, 0));
        }
    }

    fn words_hash(&self, start: usize, end: usize) -> u64 {
        let (from, to) = (self.word_at[start] as usize, self.word_at[end] as usize);
        if from == to {
            return 0;
        }
        let before = modular(self.words[from], self.powers[to - from], 0);
        let hash = (self.words[to] + MODULUS - before) % MODULUS;
        mix(hash, (to - from) as u64)
    }
}

/// The word hash is a polynomial modulo a Mersenne prime: with 64-bit overflow arithmetic, hostile texts could collide.
const MODULUS: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0fd5_17fd_89ab_3ce7 % MODULUS;

fn modular(value: u64, factor: u64, addend: u64) -> u64 {
    let product = value as u128 * factor as u128 + addend as u128;
    let folded = (product & MODULUS as u128) as u64 + (product >> 61) as u64;
    let folded = (folded & MODULUS) + (folded >> 61);
    if folded >= MODULUS { folded - MODULUS } else { folded }
}

/// The hashes of the names of one document.
pub struct NameHashes {
    own: Vec<u64>,
}

impl NameHashes {
    /// Hashes the names of a document.
    pub fn of(document: &Document) -> NameHashes {
        NameHashes { own: document.names.iter().map(|name| xxh3_64(name.as_bytes())).collect() }
    }

    fn hash(&self, name: Name) -> u64 {
        let number = name.0 as usize;
        KNOWN_HASHES.get(number).copied().unwrap_or_else(|| self.own[number - KNOWN_NAMES.len()])
    }

    /// The `exact` and `structure` hashes of one element without its descendants: its name and its attributes, without values
    /// that change per request.
    pub fn element(&self, document: &Document, id: NodeId, scratch: &mut String) -> (u64, u64) {
        let name = self.hash(document.name(id));
        let (exact, structure) = attributes_hash(document, id, &|name| self.hash(name), scratch);
        (mix(name, exact), mix(name, structure))
    }
}

/// Scripts and styles are invisible and change per request. The fingerprints hash all other elements, even ones a reader
/// never sees: see the module docs of [`elements`](crate::elements).
fn is_script_or_style(document: &Document, id: NodeId) -> bool {
    matches!(document.html_name(id), Name::SCRIPT | Name::STYLE)
}

fn lower_hash(word: &str, scratch: &mut String) -> u64 {
    scratch.clear();
    if word.is_ascii() {
        scratch.push_str(word);
        scratch.make_ascii_lowercase();
    } else {
        scratch.extend(word.chars().flat_map(char::to_lowercase));
    }
    xxh3_64(scratch.as_bytes()) & MODULUS
}

/// The hash of a text with white space collapsed; 0 if it is only white space.
pub fn text_hash(text: &str, scratch: &mut String) -> u64 {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return 0;
    }
    let needs_collapsing = trimmed
        .bytes()
        .zip(trimmed.bytes().skip(1))
        .any(|(one, two)| two.is_ascii_whitespace() && (two != b' ' || one.is_ascii_whitespace()));
    // Most texts can be hashed where they are. Texts outside ASCII may have white space that the test above does not see.
    if !needs_collapsing && trimmed.is_ascii() {
        return xxh3_64(trimmed.as_bytes());
    }
    scratch.clear();
    for word in trimmed.split_whitespace() {
        if !scratch.is_empty() {
            scratch.push(' ');
        }
        scratch.push_str(word);
    }
    xxh3_64(scratch.as_bytes())
}

/// Hashes the attributes for `exact` and `structure`. The hashes are sums, because the order of attributes is irrelevant.
fn attributes_hash(
    document: &Document,
    id: NodeId,
    name_hash: &impl Fn(Name) -> u64,
    scratch: &mut String,
) -> (u64, u64) {
    let (mut exact, mut structure) = (0u64, 0u64);
    let hidden_field = document.html_name(id) == Name::INPUT
        && document.attribute(id, Name::TYPE).is_some_and(|kind| kind == "hidden");
    for attribute in document.attributes(id) {
        let name = name_hash(attribute.name);
        let value = document.value(attribute);
        match attribute.name {
            Name::ARIA_CURRENT | Name::ARIA_EXPANDED | Name::NONCE => {}
            // Hidden fields carry tokens and state.
            Name::VALUE if hidden_field => {}
            Name::CLASS => {
                let classes = value.split_ascii_whitespace().filter(|class| !is_state_class(class));
                let hash = classes.fold(0u64, |sum, class| {
                    sum.wrapping_add(xxh3_64_with_seed(without_number(class).as_bytes(), name))
                });
                if hash != 0 {
                    exact = exact.wrapping_add(hash);
                    structure = structure.wrapping_add(hash);
                }
            }
            Name::ID => {
                let hash = xxh3_64_with_seed(without_number(value).as_bytes(), name);
                exact = exact.wrapping_add(hash);
                structure = structure.wrapping_add(hash);
            }
            _ => {
                exact = exact.wrapping_add(value_hash(document, attribute, value, name, scratch));
                structure = structure.wrapping_add(name);
            }
        }
    }
    (exact, structure)
}

fn value_hash(document: &Document, attribute: &Attribute, value: &str, name: u64, scratch: &mut String) -> u64 {
    let text = match attribute.name {
        Name::HREF | Name::SRC | Name::ACTION | Name::SRCSET => stable_url(value, scratch),
        Name::CONTENT | Name::ALT | Name::VALUE | Name::STYLE | Name::PLACEHOLDER => value,
        _ if document.name_text(attribute.name).starts_with("data-") && is_volatile(value) => "",
        _ => without_number(value),
    };
    xxh3_64_with_seed(text.as_bytes(), name)
}

/// Whether a class marks the active item of a menu.
fn is_state_class(class: &str) -> bool {
    matches!(
        class,
        "active"
            | "is-active"
            | "current"
            | "is-current"
            | "selected"
            | "is-selected"
            | "open"
            | "expanded"
            | "here"
            | "on"
            | "current-menu-item"
            | "current_page_item"
            | "current-menu-ancestor"
            | "current_page_ancestor"
            | "current-menu-parent"
            | "current_page_parent"
            | "current-cat"
            | "menu-item-active"
            | "active-trail"
    )
}

/// A value without a trailing long number or hexadecimal code: `comment-1048813` becomes `comment-`.
fn without_number(value: &str) -> &str {
    let digits = value.bytes().rev().take_while(u8::is_ascii_digit).count();
    if digits >= 4 {
        return &value[..value.len() - digits];
    }
    let code = value.bytes().rev().take_while(u8::is_ascii_hexdigit).count();
    let tail = &value[value.len() - code..];
    // A code mixes digits and letters; words such as `deadbeef` are rare.
    if code >= 8
        && tail.bytes().any(|byte| byte.is_ascii_digit())
        && tail.bytes().any(|byte| byte.is_ascii_alphabetic())
    {
        return &value[..value.len() - code];
    }
    value
}

/// Whether a value looks specific to one request: a long number, a token, a time.
fn is_volatile(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    (value.len() >= 6 && digits == value.len())
        || (value.len() >= 16 && digits >= 3 && !value.contains([' ', '/']))
        || (value.len() >= 8 && digits >= 1 && value.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A URL without query values that change per request and without a session id in its path. A relative URL is reduced to
/// its last segment, because the same target has one more `../` on a page one folder deeper.
fn stable_url<'a>(url: &'a str, scratch: &'a mut String) -> &'a str {
    let (path, query) = url.split_at(url.find(['?', ';', '#']).unwrap_or(url.len()));
    let path = match path.starts_with('/') || path.contains(':') {
        true => path,
        false => path.trim_end_matches('/').rsplit('/').next().unwrap_or(path),
    };
    if query.is_empty() {
        return path;
    }
    scratch.clear();
    scratch.push_str(path);
    for part in query.split_inclusive(['?', ';', '&', '#']) {
        let (pair, delimiter) = match part.char_indices().next_back() {
            Some((at, delimiter @ ('?' | ';' | '&' | '#'))) => (&part[..at], Some(delimiter)),
            _ => (part, None),
        };
        match pair.split_once('=') {
            Some((key, value)) if is_volatile(value) || is_request_key(key) => scratch.push_str(key),
            // `style.css?20240512`
            None if is_volatile(pair) => {}
            _ => scratch.push_str(pair),
        }
        scratch.extend(delimiter);
    }
    scratch
}

/// Whether a query parameter carries a version, session, token or referring page.
fn is_request_key(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    matches!(
        &*lower,
        "v" | "ver"
            | "version"
            | "t"
            | "ts"
            | "time"
            | "timestamp"
            | "_"
            | "cb"
            | "rnd"
            | "rand"
            | "sid"
            | "nonce"
            | "token"
            | "csrf"
            | "phpsessid"
            | "jsessionid"
            | "return"
            | "returnto"
            | "return_to"
            | "returnurl"
            | "redirect"
            | "redirect_to"
            | "back"
            | "backurl"
            | "destination"
            | "referer"
            | "ref"
            | "from"
            | "next"
            | "url"
            | "u"
    ) || lower.ends_with("session")
        || lower.ends_with("token")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    fn print(page: &str) -> (u64, u64, u64) {
        let document = Parser::default().parse(page).unwrap();
        let prints = Fingerprints::of(&document);
        let at = document.children(document.find(Name::BODY).unwrap()).next().unwrap().index();
        (prints.exact[at], prints.structure[at], prints.text[at])
    }

    #[test]
    fn values_that_change_per_request_are_left_out() {
        let one = print("<div class='menu active' id=x><a href='/a?sid=ab12cd34ef&q=1'>Home  page</a><!-- 1 --></div>");
        let two =
            print("<div id=x class=menu>\n<a href='/a?sid=99aa88bb77&q=1'>Home\npage</a><script>2</script></div>");
        assert_eq!(one, two);
        assert_eq!(print("<p><a href='../b/c.html#x'>c</a></p>").0, print("<p><a href='c.html#x'>c</a></p>").0);
        assert_ne!(print("<p><a href='/b/c.html'>c</a></p>").0, print("<p><a href='/c.html'>c</a></p>").0);
        assert_eq!(print("<p data-time=1718000000>x</p>"), print("<p data-time=1718000001>x</p>"));
        assert_eq!(print("<p id=post-10481>x</p>").0, print("<p id=post-10482>x</p>").0);
    }

    #[test]
    fn visible_differences_count() {
        assert_ne!(print("<div>a</div>").0, print("<div>b</div>").0);
        assert_ne!(print("<div><a href='/x?q=1'>a</a></div>").0, print("<div><a href='/x?q=2'>a</a></div>").0);
        assert_ne!(print("<div><b>a</b><i>b</i></div>").0, print("<div><i>b</i><b>a</b></div>").0);
        assert_eq!(print("<div>a</div>").1, print("<div>b</div>").1);
        assert_ne!(print("<div><b></b></div>").1, print("<div><i></i></div>").1);
    }

    #[test]
    fn the_text_variant_depends_on_words_only() {
        assert_eq!(print("<div><b>One</b> two</div>").2, print("<p>one <i>TWO</i></p>").2);
        assert_ne!(print("<div>one two</div>").2, print("<div>two one</div>").2);
        assert_eq!(print("<div><img></div>").2, 0);
    }
}
