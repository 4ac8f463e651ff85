//! Features of a whole page: its size, its composition and its head.

use super::feature_sink::FeatureSink;
use super::scale::share;
use crate::dom::{Document, Name, NodeId};
use crate::read::name_hints::{Hints, hint_bit, hints_of};
use crate::read::text_blocks::PageBlocks;
use crate::read::words::block_words::ComparedWords;
use std::sync::LazyLock;

/// Types in structured data and Open Graph, in the order of their bits: a name and the types it covers, in lower case.
const DATA_TYPES: [(&str, &[&str]); 8] = [
    ("article", &["article", "newsarticle", "blogposting", "reportagenewsarticle", "techarticle", "scholarlyarticle"]),
    ("product", &["product", "offer", "aggregateoffer", "productgroup"]),
    ("forum", &["discussionforumposting", "qapage", "question", "comment"]),
    ("list", &["itemlist", "collectionpage", "searchresultspage", "category"]),
    ("record", &["recipe", "event", "jobposting", "book", "movie", "course", "howto"]),
    ("organization", &["organization", "localbusiness", "service", "professionalservice", "corporation", "store"]),
    ("page", &["website", "webpage"]),
    ("profile", &["faqpage", "aboutpage", "contactpage", "profilepage", "person"]),
];

/// Features of a page, computed once.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageFacts {
    /// The heading most similar to the page's title.
    pub(crate) title_block: Option<u32>,
    pub(crate) first_h1: Option<u32>,
    /// Types in structured data, as bits of [`DATA_TYPES`].
    data_types: u8,
    /// The type in Open Graph.
    graph_types: u8,
    body_hints: Hints,
    values: Vec<(&'static str, f32)>,
}

impl PageFacts {
    /// Reads the head of a page, reusing buffers.
    pub(crate) fn read_head(&mut self, document: &Document, words: &mut ComparedWords) {
        let values = std::mem::take(&mut self.values);
        *self = PageFacts { values, ..PageFacts::default() };
        words.clear();
        let mut title = None;
        for id in document.ids() {
            if !document.is_element(id) {
                continue;
            }
            match document.html_name(id) {
                Name::TITLE if title.is_none() => {
                    title = Some(NodeId(id.0 + 1)).filter(|text| document.end(id) > *text)
                }
                Name::META => self.read_meta(document, id, words),
                Name::SCRIPT if document.attribute(id, Name::TYPE) == Some("application/ld+json") => {
                    for text in document.children(id) {
                        self.data_types |= types_in(document.text(text));
                        words.seen.add_structured_data(document.text(text));
                    }
                }
                Name::BODY => self.body_hints = hints_of(document, id),
                _ => {}
            }
        }
        if let Some(title) = title {
            words.title.read(document.text(title));
        }
    }

    fn read_meta(&mut self, document: &Document, id: NodeId, words: &mut ComparedWords) {
        let name = document.attribute(id, Name::PROPERTY).or_else(|| document.attribute(id, Name::NAME));
        let content = document.attribute(id, Name::CONTENT).unwrap_or_default();
        match name {
            Some("og:type") => self.graph_types |= type_bits(content.rsplit('.').next().unwrap_or_default()),
            Some("description" | "Description" | "og:description" | "twitter:description") => {
                words.seen.add_description(content);
            }
            _ => {}
        }
    }

    /// Measures the blocks of a page whose head was read.
    pub(crate) fn measure(&mut self, page: &PageBlocks) {
        self.find_title(page);
        self.measure_composition(page);
    }

    fn find_title(&mut self, page: &PageBlocks) {
        let mut best = (0.5, None);
        for (at, block) in page.blocks.iter().enumerate() {
            if block.heading == 1 && self.first_h1.is_none() {
                self.first_h1 = Some(at as u32);
            }
            if block.heading > 0 && block.heading <= 3 {
                let similarity = block.words.title_share() * (block.counts.words.min(12) as f32).sqrt();
                if similarity > best.0 {
                    best = (similarity, Some(at as u32));
                }
            }
        }
        self.title_block = best.1;
    }

    fn measure_composition(&mut self, page: &PageBlocks) {
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
            let tags = page.chains[block.chain as usize].tags;
            paragraphs += if tags.has(Name::P) { own } else { 0 };
            lists += if tags.has(Name::LI) { own } else { 0 };
            tables += if tags.has(Name::TD) { own } else { 0 };
        }
        let tagged = |name: Name| page.chains.iter().filter(|chain| chain.tags.has(name)).count() as f32;
        let hinted = |name: &str| {
            let bit = hint_bit(name);
            page.chains.iter().filter(|chain| chain.hints.0 >> bit & 1 == 1).count() as f32
        };
        let log = |value: f32| (value + 1.0).log2();
        self.values.clear();
        self.values.extend([
            ("page_words", log(words as f32)),
            ("page_blocks", log(page.blocks.len() as f32)),
            ("page_link_share", share(links, words)),
            ("page_outer_links", share(outer, links)),
            ("page_inner_links", share(inner, links)),
            ("page_long_share", share(long, words)),
            ("page_long_words", log(long as f32)),
            ("page_headings", log(headings as f32)),
            ("page_h1", log(first as f32)),
            ("page_paragraph_share", share(paragraphs, words)),
            ("page_list_share", share(lists, words)),
            ("page_table_share", share(tables, words)),
            ("page_articles", log(tagged(Name::ARTICLE))),
            ("page_mains", log(tagged(Name::MAIN))),
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

    /// Adds the features of the page, which are the same for all its blocks.
    pub(crate) fn describe(&self, out: &mut impl FeatureSink) {
        for (name, value) in &self.values {
            out.add(name, *value);
        }
        for (bit, (name, _)) in DATA_TYPES.iter().enumerate() {
            out.add_for("page_structured_data_kind", name, (self.data_types >> bit & 1) as f32);
        }
        for (bit, (name, _)) in DATA_TYPES.iter().enumerate() {
            out.add_for("page_open_graph_kind", name, (self.graph_types >> bit & 1) as f32);
        }
        for (name, bit) in BODY_HINTS.iter().zip(BODY_HINT_BITS.iter()) {
            out.add_for("body_hint", name, (self.body_hints.0 >> bit & 1) as f32);
        }
    }
}

/// Hints of the `body` element that are features.
const BODY_HINTS: [&str; 8] = ["post", "product", "list", "tag", "article", "search", "document", "reply"];
static BODY_HINT_BITS: LazyLock<[usize; 8]> = LazyLock::new(|| BODY_HINTS.map(hint_bit));

/// The bits of a type.
fn type_bits(name: &str) -> u8 {
    let name = name.trim().to_ascii_lowercase();
    let mut bits = 0;
    for (bit, (_, names)) in DATA_TYPES.iter().enumerate() {
        bits |= (names.contains(&name.as_str()) as u8) << bit;
    }
    bits
}

/// The types that `"@type"` names in a piece of structured data.
fn types_in(data: &str) -> u8 {
    let mut bits = 0;
    for at in memchr::memmem::find_iter(data.as_bytes(), b"\"@type\"").take(200) {
        let rest = &data[at + 7..];
        let value = rest.trim_start_matches([' ', ':', '[', '\n', '\r', '\t']).strip_prefix('"').unwrap_or_default();
        bits |= value.split('"').next().map_or(0, type_bits);
    }
    bits
}
