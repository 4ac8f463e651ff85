//! What the fusion model sees of a whole page: its size, its make-up, what its head says.

use super::blocks::{PageBlocks, TextBlock};
use super::echo::Said;
use super::hints::{HINTS, Hints, hints_of};
use super::row::Take;
use crate::dom::{Document, Name, NodeId};
use std::sync::LazyLock;

/// Kinds of things that structured data and Open Graph name, in the order of their bits: a name and what they are called there.
const KINDS: [(&str, &[&str]); 8] = [
    ("article", &["article", "newsarticle", "blogposting", "reportagenewsarticle", "techarticle", "scholarlyarticle"]),
    ("product", &["product", "offer", "aggregateoffer", "productgroup"]),
    ("forum", &["discussionforumposting", "qapage", "question", "comment"]),
    ("list", &["itemlist", "collectionpage", "searchresultspage", "category"]),
    ("record", &["recipe", "event", "jobposting", "book", "movie", "course", "howto"]),
    ("organization", &["organization", "localbusiness", "service", "professionalservice", "corporation", "store"]),
    ("page", &["website", "webpage"]),
    ("profile", &["faqpage", "aboutpage", "contactpage", "profilepage", "person"]),
];

/// What is worked out once for a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageFacts {
    title_words: TitleWords,
    /// The block most like the page's title.
    pub(crate) title_block: Option<u32>,
    pub(crate) first_h1: Option<u32>,
    kinds: u8,
    graph_kinds: u8,
    body_hints: Hints,
    values: Vec<(&'static str, f32)>,
}

impl PageFacts {
    /// Reads the head of a page, in memory that is used again.
    pub(crate) fn read_head(&mut self, document: &Document, said: &mut Said) {
        let mut title_words = std::mem::take(&mut self.title_words);
        title_words.clear();
        let values = std::mem::take(&mut self.values);
        *self = PageFacts { title_words, values, ..PageFacts::default() };
        said.clear();
        let mut title = None;
        for id in document.ids() {
            if !document.is_element(id) {
                continue;
            }
            match document.html_name(id) {
                Name::TITLE if title.is_none() => {
                    title = Some(NodeId(id.0 + 1)).filter(|text| document.end(id) > *text)
                }
                Name::META => self.read_meta(document, id, said),
                Name::SCRIPT if document.attribute(id, Name::TYPE) == Some("application/ld+json") => {
                    for text in document.children(id) {
                        self.kinds |= kinds_in(document.text(text));
                        said.add_data(document.text(text));
                    }
                }
                Name::BODY => self.body_hints = hints_of(document, id),
                _ => {}
            }
        }
        if let Some(title) = title {
            self.title_words.read(document.text(title));
        }
    }

    fn read_meta(&mut self, document: &Document, id: NodeId, said: &mut Said) {
        let name = document.attribute(id, Name::PROPERTY).or_else(|| document.attribute(id, Name::NAME));
        let content = document.attribute(id, Name::CONTENT).unwrap_or_default();
        match name {
            Some("og:type") => self.graph_kinds |= kind_bits(content.rsplit('.').next().unwrap_or_default()),
            Some("description" | "Description" | "og:description" | "twitter:description") => {
                said.add_description(content);
            }
            _ => {}
        }
    }

    /// Looks at the blocks of a page whose head was read.
    pub(crate) fn look(&mut self, document: &Document, page: &PageBlocks) {
        self.find_title(document, page);
        self.measure(page);
    }

    fn find_title(&mut self, document: &Document, page: &PageBlocks) {
        let mut best = (0.5, None);
        for (at, block) in page.blocks.iter().enumerate() {
            if block.heading == 1 && self.first_h1.is_none() {
                self.first_h1 = Some(at as u32);
            }
            if block.heading > 0 && block.heading <= 3 {
                let like = self.title_share(document, block) * (block.counts.words.min(12) as f32).sqrt();
                if like > best.0 {
                    best = (like, Some(at as u32));
                }
            }
        }
        self.title_block = best.1;
    }

    fn measure(&mut self, page: &PageBlocks) {
        let (mut outer, mut inner) = (0u32, 0u32);
        let (mut words, mut links, mut long, mut headings, mut first, mut paragraphs, mut tables, mut lists) =
            (0u32, 0u32, 0u32, 0u32, 0u32, 0u32, 0u32, 0u32);
        for block in &page.blocks {
            let own = block.counts.words;
            words += own;
            links += block.counts.link_words;
            outer += block.counts.outer_link_words;
            inner += block.counts.inner_link_words;
            long += if own >= 20 && block.counts.link_words * 3 < own { own } else { 0 };
            headings += (block.heading > 0) as u32;
            first += (block.heading == 1) as u32;
            let tags = page.groups[block.group as usize].tags.0;
            paragraphs += if tags & 1 != 0 { own } else { 0 };
            lists += if tags >> 2 & 1 != 0 { own } else { 0 };
            tables += if tags >> 4 & 1 != 0 { own } else { 0 };
        }
        let part = |part: u32| part as f32 / words.max(1) as f32;
        let articles = page.groups.iter().filter(|group| group.tags.0 >> 8 & 1 == 1).count();
        let mains = page.groups.iter().filter(|group| group.tags.0 >> 9 & 1 == 1).count();
        let hinted = |name: &str| {
            let bit = HINTS.iter().position(|hint| hint.0 == name).unwrap_or(0);
            page.groups.iter().filter(|group| group.hints.0 >> bit & 1 == 1).count() as f32
        };
        let log = |value: f32| (value + 1.0).log2();
        self.values.clear();
        self.values.extend([
            ("page_words", log(words as f32)),
            ("page_blocks", log(page.blocks.len() as f32)),
            ("page_link_share", part(links)),
            ("page_outer_links", outer as f32 / links.max(1) as f32),
            ("page_inner_links", inner as f32 / links.max(1) as f32),
            ("page_long_share", part(long)),
            ("page_long_words", log(long as f32)),
            ("page_headings", log(headings as f32)),
            ("page_h1", log(first as f32)),
            ("page_paragraph_share", part(paragraphs)),
            ("page_list_share", part(lists)),
            ("page_table_share", part(tables)),
            ("page_articles", log(articles as f32)),
            ("page_mains", log(mains as f32)),
            ("page_comment_groups", log(hinted("comment"))),
            ("page_reply_groups", log(hinted("reply"))),
            ("page_price_groups", log(hinted("price"))),
            ("page_product_groups", log(hinted("product"))),
            ("page_review_groups", log(hinted("review"))),
            ("page_card_groups", log(hinted("card"))),
            ("page_post_groups", log(hinted("post"))),
            ("page_author_groups", log(hinted("author"))),
            ("page_document_groups", log(hinted("document"))),
        ]);
    }

    /// The share of a block's words that are in the title of the page.
    pub(crate) fn title_share(&self, document: &Document, block: &TextBlock) -> f32 {
        if block.counts.words > 30 || self.title_words.words.is_empty() {
            return 0.0;
        }
        let (mut words, mut found) = (0, 0);
        for at in block.first.0..block.end.0 {
            if document.is_text(NodeId(at)) {
                each_word(document.text(NodeId(at)), |word| {
                    words += 1;
                    found += self.title_words.contains(word) as u32;
                });
            }
        }
        found as f32 / (words.max(1)) as f32
    }

    /// The same numbers for every block of the page.
    pub(crate) fn describe(&self, out: &mut impl Take) {
        for (name, value) in &self.values {
            out.take(name, *value);
        }
        for (bit, (kind, _)) in KINDS.iter().enumerate() {
            out.take_of("page_structured_data_kind", kind, (self.kinds >> bit & 1) as f32);
        }
        for (bit, (kind, _)) in KINDS.iter().enumerate() {
            out.take_of("page_open_graph_kind", kind, (self.graph_kinds >> bit & 1) as f32);
        }
        for (name, bit) in BODY_HINTS.iter().zip(BODY_HINT_BITS.iter()) {
            out.take_of("body_hint", name, (self.body_hints.0 >> bit & 1) as f32);
        }
    }
}

const BODY_HINTS: [&str; 8] = ["post", "product", "list", "tag", "article", "search", "document", "reply"];
static BODY_HINT_BITS: LazyLock<[usize; 8]> =
    LazyLock::new(|| BODY_HINTS.map(|name| HINTS.iter().position(|hint| hint.0 == name).unwrap_or(0)));

fn kind_bits(kind: &str) -> u8 {
    let kind = kind.trim().to_ascii_lowercase();
    let mut bits = 0;
    for (bit, (_, names)) in KINDS.iter().enumerate() {
        bits |= (names.contains(&kind.as_str()) as u8) << bit;
    }
    bits
}

/// The kinds that `"@type"` names in a piece of structured data.
fn kinds_in(data: &str) -> u8 {
    let mut bits = 0;
    for place in memchr::memmem::find_iter(data.as_bytes(), b"\"@type\"").take(200) {
        let rest = &data[place + 7..];
        let value = rest.trim_start_matches([' ', ':', '[', '\n', '\r', '\t']).strip_prefix('"').unwrap_or_default();
        bits |= value.split('"').next().map_or(0, kind_bits);
    }
    bits
}

/// The words of a title. Most words that are looked for are not in it, which one bit of a sieve tells of nearly all of them.
#[derive(Clone, Debug, Default)]
struct TitleWords {
    words: Vec<u64>,
    sieve: u64,
}

impl TitleWords {
    fn clear(&mut self) {
        self.words.clear();
        self.sieve = 0;
    }

    fn read(&mut self, title: &str) {
        each_word(title, |word| {
            self.words.push(word);
            self.sieve |= 1 << (word >> 58);
        });
        self.words.sort_unstable();
    }

    #[inline(always)]
    fn contains(&self, word: u64) -> bool {
        self.sieve >> (word >> 58) & 1 == 1 && self.words.binary_search(&word).is_ok()
    }
}

/// Hashes of the words of a text, in small letters.
fn each_word(text: &str, mut each: impl FnMut(u64)) {
    let mut hash = 0u64;
    let push =
        |hash: u64, lower: u64| (hash ^ lower).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    if text.is_ascii() {
        for byte in text.bytes() {
            if byte.is_ascii_alphanumeric() {
                hash = push(hash, byte.to_ascii_lowercase() as u64);
            } else if hash != 0 {
                each(hash);
                hash = 0;
            }
        }
    } else {
        for character in text.chars() {
            if character.is_alphanumeric() {
                character.to_lowercase().for_each(|lower| hash = push(hash, lower as u64));
            } else if hash != 0 {
                each(hash);
                hash = 0;
            }
        }
    }
    if hash != 0 {
        each(hash);
    }
}
