//! Counts of punctuation and elements for every subtree, the containers of each element, and the odds of its names.
//!
//! One pass over the nodes and one over their texts; prefix sums make the counts of a subtree one subtraction. The features of
//! the block detector read it.

use super::page_words::PageWords;
use crate::dom::elements::is_unseen;
use crate::dom::elements::{heading_level, is_hidden};
use crate::dom::{Document, Name, NodeId, NodeKind};
use dehusk::model::WordOdds;

/// Counts of a node and its descendants.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BlockCounts {
    pub(crate) sentence_ends: u32,
    pub(crate) commas: u32,
    pub(crate) digits: u32,
    pub(crate) capitals: u32,
    pub(crate) separators: u32,
    pub(crate) copyrights: u32,
    pub(crate) texts: u32,
    pub(crate) paragraphs: u32,
    pub(crate) items: u32,
    pub(crate) breaks: u32,
    pub(crate) headings: u32,
    pub(crate) images: u32,
    pub(crate) controls: u32,
    pub(crate) cells: u32,
    pub(crate) outward_links: u32,
    pub(crate) times: u32,
}

macro_rules! each_field {
    ($one:expr, $two:expr, $operator:tt, $($field:ident),*) => { BlockCounts { $($field: $one.$field $operator $two.$field),* } };
}

impl BlockCounts {
    fn minus(self, other: BlockCounts) -> BlockCounts {
        each_field!(self, other, -, sentence_ends, commas, digits, capitals, separators, copyrights, texts, paragraphs,
            items, breaks, headings, images, controls, cells, outward_links, times)
    }
}

/// The containers an element can be in, as bits.
pub(crate) mod inside {
    pub(crate) const NAV: u16 = 1;
    pub(crate) const HEADER: u16 = 2;
    pub(crate) const FOOTER: u16 = 4;
    pub(crate) const ASIDE: u16 = 8;
    pub(crate) const MAIN: u16 = 16;
    pub(crate) const ARTICLE: u16 = 32;
    pub(crate) const LIST: u16 = 64;
    pub(crate) const TABLE: u16 = 128;
    pub(crate) const FORM: u16 = 256;
    pub(crate) const HIDDEN: u16 = 512;
    pub(crate) const SECTION: u16 = 1024;
}

/// Counts, containers and name odds of all nodes of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockContext {
    sums: Vec<BlockCounts>,
    /// The containers each node is or is inside.
    pub(crate) inside: Vec<u16>,
    /// The log-odds that the names of each node (class, id, role) are those of templates.
    pub(crate) name_odds: Vec<f32>,
    /// The same summed with those of the ancestors, each with half the weight of the one below.
    pub(crate) path_odds: Vec<f32>,
}

impl BlockContext {
    /// Describes the nodes of a page, reusing the buffers.
    pub(crate) fn fill(&mut self, document: &Document, names: &WordOdds) {
        let nodes = document.len();
        self.sums.clear();
        self.sums.reserve(nodes + 1);
        self.inside.clear();
        self.name_odds.clear();
        self.path_odds.clear();
        let mut sum = BlockCounts::default();
        self.sums.push(sum);
        let mut unseen_until = 0;
        for id in document.ids() {
            let parent = document.parent(id).map(NodeId::index);
            let (mut inside, mut path) = parent.map_or((0, 0.0), |at| (self.inside[at], self.path_odds[at]));
            let mut own = 0.0;
            match document.kind(id) {
                NodeKind::Element => {
                    let name = document.html_name(id);
                    if is_unseen(name) {
                        unseen_until = unseen_until.max(document.end(id).index());
                    }
                    if id.index() >= unseen_until {
                        count_element(document, id, name, &mut sum);
                    }
                    inside |= containers_of(document, id, name);
                    own = odds_of_names(document, id, names);
                    path = path * 0.5 + own;
                }
                NodeKind::Fragment => unseen_until = unseen_until.max(document.end(id).index()),
                NodeKind::Text if id.index() >= unseen_until => count_text(document.text(id), &mut sum),
                _ => {}
            }
            self.inside.push(inside);
            self.name_odds.push(own);
            self.path_odds.push(path);
            self.sums.push(sum);
        }
    }

    pub(crate) fn subtree(&self, document: &Document, id: NodeId) -> BlockCounts {
        self.sums[document.end(id).index()].minus(self.sums[id.index()])
    }
}

fn count_element(document: &Document, id: NodeId, name: Name, sum: &mut BlockCounts) {
    match name {
        Name::P => sum.paragraphs += 1,
        Name::LI | Name::DT | Name::DD | Name::OPTION => sum.items += 1,
        Name::BR => sum.breaks += 1,
        Name::IMG | Name::PICTURE | Name::VIDEO => sum.images += 1,
        Name::INPUT | Name::BUTTON | Name::SELECT | Name::TEXTAREA | Name::LABEL => sum.controls += 1,
        Name::TD | Name::TH => sum.cells += 1,
        Name::TIME => sum.times += 1,
        Name::A => {
            let url = document.attribute(id, Name::HREF).unwrap_or_default();
            sum.outward_links += u32::from(url.starts_with("http") || url.starts_with("//"));
        }
        name if heading_level(name).is_some() => sum.headings += 1,
        _ => {}
    }
}

/// The containers an element is, by its name, role and visibility.
///
/// PageLevel has a table of its own (`pagelevel/features/role_hints.rs`), which also reads classes and ids: the two define features
/// of different fitted models.
fn containers_of(document: &Document, id: NodeId, name: Name) -> u16 {
    let role = document.attribute(id, Name::ROLE).unwrap_or_default();
    let by_name = match name {
        Name::NAV => inside::NAV,
        Name::HEADER => inside::HEADER,
        Name::FOOTER => inside::FOOTER,
        Name::ASIDE => inside::ASIDE,
        Name::MAIN => inside::MAIN,
        Name::ARTICLE => inside::ARTICLE,
        Name::UL | Name::OL | Name::MENU => inside::LIST,
        Name::TABLE => inside::TABLE,
        Name::FORM => inside::FORM,
        Name::SECTION => inside::SECTION,
        _ => 0,
    };
    let by_role = match role {
        "navigation" | "menu" | "menubar" => inside::NAV,
        "banner" => inside::HEADER,
        "contentinfo" => inside::FOOTER,
        "complementary" => inside::ASIDE,
        "main" => inside::MAIN,
        "article" => inside::ARTICLE,
        _ => 0,
    };
    by_name | by_role | if is_hidden(document, id) { inside::HIDDEN } else { 0 }
}

/// The maximum number of bytes read of a class, id or role. Longer values are generated, and their words carry no information.
const MAX_NAME_BYTES: usize = 200;

/// Calls `each` with the hash of every word in the class, id and role of an element, split at every byte that is not a letter.
///
/// Fusion splits names in its own way: it also splits at capital letters and joins the parts. Each defines features of a
/// fitted model.
pub fn each_name_word(document: &Document, id: NodeId, mut each: impl FnMut(u32)) {
    for name in [Name::CLASS, Name::ID, Name::ROLE] {
        let Some(value) = document.attribute(id, name) else { continue };
        let bytes = &value.as_bytes()[..value.len().min(MAX_NAME_BYTES)];
        for word in bytes.split(|byte| !byte.is_ascii_alphabetic()) {
            // Single letters come from generated names.
            if word.len() > 1 {
                // ASCII letters are always valid UTF-8.
                PageWords::of_text(std::str::from_utf8(word).unwrap_or_default()).into_iter().for_each(&mut each);
            }
        }
    }
}

fn odds_of_names(document: &Document, id: NodeId, names: &WordOdds) -> f32 {
    let mut sum = 0.0;
    each_name_word(document, id, |word| sum += names.odds(word).unwrap_or(0.0));
    // One clear name is as much evidence as five.
    sum.clamp(-4.0, 4.0)
}

/// Counts the characters of a text.
///
/// PageLevel counts other sets of separators and sentence ends (`pagelevel/features/page_counts.rs`): each set defines features of a
/// fitted model.
fn count_text(text: &str, sum: &mut BlockCounts) {
    let mut seen = false;
    if text.is_ascii() {
        for byte in text.bytes() {
            seen |= !byte.is_ascii_whitespace();
            match byte {
                b'.' | b'!' | b'?' => sum.sentence_ends += 1,
                b',' | b';' => sum.commas += 1,
                b'0'..=b'9' => sum.digits += 1,
                b'A'..=b'Z' => sum.capitals += 1,
                b'|' | b'/' | b'>' | b'-' | b'&' => sum.separators += 1,
                _ => {}
            }
        }
    } else {
        for character in text.chars() {
            seen |= !character.is_whitespace();
            match character {
                '.' | '!' | '?' | '。' | '！' | '？' | '…' | '।' | '؟' => sum.sentence_ends += 1,
                ',' | ';' | '，' | '、' | '；' | '،' => sum.commas += 1,
                '|' | '/' | '>' | '-' | '&' | '»' | '›' | '·' | '•' | '«' | '‹' | '→' | '←' | '–' => {
                    sum.separators += 1
                }
                '©' => sum.copyrights += 1,
                '0'..='9' => sum.digits += 1,
                other if other.is_uppercase() => sum.capitals += 1,
                _ => {}
            }
        }
    }
    sum.texts += u32::from(seen);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;
    use dehusk::model::word_key;

    #[test]
    fn subtrees_are_counted_with_their_containers() {
        let page = "<body><nav class='top-menu x'><ul><li>One, two. <b>Three!</b><li><a href='http://a.example/'>4</a></ul></nav>
            <script>a.b,c;</script><main hidden><p>© 2024 — Größe</p></main>";
        let document = Parser::default().parse(page).unwrap();
        let mut context = BlockContext::default();
        context.fill(&document, &WordOdds::new(vec![(word_key("menu"), 3.0), (word_key("top"), 2.0)]));
        let nav = document.find(Name::NAV).unwrap();
        let found = context.subtree(&document, nav);
        let expected = BlockCounts {
            sentence_ends: 2,
            commas: 1,
            digits: 1,
            capitals: 2,
            texts: 3,
            items: 2,
            outward_links: 1,
            ..BlockCounts::default()
        };
        assert_eq!(found, expected);
        let paragraph = document.find(Name::P).unwrap();
        assert_eq!(context.subtree(&document, paragraph).copyrights, 1);
        assert_eq!(context.inside[paragraph.index()], inside::MAIN | inside::HIDDEN);
        let list = document.find(Name::UL).unwrap();
        assert_eq!(context.inside[list.index()], inside::NAV | inside::LIST);
        assert_eq!(context.name_odds[nav.index()], 4.0);
        assert_eq!(context.path_odds[list.index()], 2.0);
        let all = context.subtree(&document, NodeId::DOCUMENT);
        assert_eq!((all.commas, all.sentence_ends), (1, 2));
    }
}
