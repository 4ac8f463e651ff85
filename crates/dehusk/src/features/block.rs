//! What the block detector reads of a block: the block alone, the block beside the rest of its page, and its place (Block §3).
//!
//! Takes a parsed page, its blocks and the odds of words, and returns a row of numbers for each block, in the order of
//! [`FEATURES`]. One pass over the page, and one over the words of each block; nothing is decided here.

use super::block_row::Page;
use super::tally::Tallies;
use super::words::PageWords;
use crate::dom::{Document, Fingerprints, Name, NodeId, Stats};
use crate::model::{Schema, WordOdds};
use rustc_hash::FxHashMap;

/// The version of the features: raised when one is computed differently.
pub const VERSION: u32 = 1;

/// The schema of the features.
pub fn schema() -> Schema {
    Schema::new("block", VERSION, FEATURES)
}

/// The names of the features, in the order of a row.
pub const FEATURES: &[&str] = &[
    // The words, by the odds of naive Bayes.
    "text odds mean",
    "text odds sum",
    "text words known",
    "text odds before",
    "text odds after",
    "text odds of page",
    "name odds",
    "name odds of ancestors",
    // The block alone.
    "characters",
    "words",
    "different words share",
    "word length",
    "link share",
    "links per word",
    "words per link",
    "outward links share",
    "sentence ends per word",
    "commas per word",
    "digit share",
    "capital share",
    "separators per word",
    "copyright signs",
    "characters per element",
    "characters per text",
    "bytes per character",
    "paragraphs share",
    "items share",
    "breaks share",
    "cells share",
    "headings",
    "images",
    "controls",
    "times",
    "is paragraph",
    "is heading",
    "is list part",
    "is table part",
    "is division",
    // Beside the rest of the page.
    "divergence from page",
    "share of page characters",
    "share of page links",
    "share of page elements",
    "share of parent characters",
    "link share over page",
    "title words share",
    "words in title share",
    "link share of parent",
    "characters of parent",
    "link share of previous",
    "characters of previous",
    "link share of next",
    "characters of next",
    "siblings of same shape",
    "same structure on page",
    "link share before",
    "link share after",
    "page characters",
    "page link share",
    "page blocks",
    // The place.
    "line share",
    "words before share",
    "words after share",
    "distance from middle of text",
    "depth",
    "depth share",
    "sibling index",
    "siblings",
    "blocks around",
    "words from first heading",
    "in nav",
    "in header",
    "in footer",
    "in aside",
    "in main",
    "in article",
    "in section",
    "in list",
    "in table",
    "in form",
    "hidden",
];

/// Words on each side of a block whose links and odds are looked at.
pub(super) const WINDOW: usize = 60;
/// The divergence of a longer block is worked out from every second, third, … word.
pub(super) const MOST_WORDS: usize = 2048;

/// The first stage: odds of the words of texts and of names.
#[derive(Clone, Debug, Default)]
pub struct BlockOdds {
    /// Odds of the words of texts.
    pub text: WordOdds,
    /// Odds of the words of classes, ids and roles.
    pub names: WordOdds,
}

/// Memory for the features of a page.
#[derive(Clone, Debug, Default)]
pub struct BlockScratch {
    pub(super) tallies: Tallies,
    numbers: FxHashMap<u32, u32>,
    /// The words of the page as small numbers.
    pub(super) words: Vec<u32>,
    pub(super) on_page: Vec<u32>,
    in_block: Vec<u32>,
    pub(super) in_title: Vec<bool>,
    /// Before each word: links, odds and words with odds.
    pub(super) linked: Vec<u32>,
    pub(super) odds: Vec<f32>,
    pub(super) known: Vec<u32>,
    pub(super) structures: FxHashMap<u64, u32>,
}

/// Appends a row for each block of a page to `out`.
#[allow(clippy::too_many_arguments, reason = "the stages of a page, each used")]
pub fn describe_blocks(
    document: &Document,
    stats: &Stats,
    fingerprints: &Fingerprints,
    words: &PageWords,
    blocks: &[NodeId],
    odds: &BlockOdds,
    scratch: &mut BlockScratch,
    out: &mut Vec<f32>,
) {
    if blocks.is_empty() {
        return;
    }
    scratch.take(document, words, fingerprints, blocks, odds);
    let mut in_block = std::mem::take(&mut scratch.in_block);
    let page = Page::new(document, stats, fingerprints, words, blocks, scratch);
    let mut lines = LineCounter { source: document.source().as_bytes(), at: 0, lines: 0 };
    let all_lines = memchr::memchr_iter(b'\n', lines.source).count().max(1) as f32;
    let mut open: Vec<NodeId> = Vec::new();
    for id in blocks {
        while open.last().is_some_and(|outer| document.end(*outer) <= *id) {
            open.pop();
        }
        let start = out.len();
        let line = lines.line_of(document.span(*id).map_or(0, |span| span.start)) as f32 / all_lines;
        page.append_row(*id, open.len(), line, &mut in_block, out);
        debug_assert_eq!(out.len() - start, FEATURES.len());
        open.push(*id);
    }
    scratch.in_block = in_block;
}

/// Line numbers of places that mostly come in order.
struct LineCounter<'a> {
    source: &'a [u8],
    at: usize,
    lines: usize,
}

impl LineCounter<'_> {
    fn line_of(&mut self, place: usize) -> usize {
        let place = place.min(self.source.len());
        // What the parser moved stands before; it gets the line of what it follows.
        if place > self.at {
            self.lines += memchr::memchr_iter(b'\n', &self.source[self.at..place]).count();
            self.at = place;
        }
        self.lines
    }
}

impl BlockScratch {
    fn take(
        &mut self,
        document: &Document,
        words: &PageWords,
        fingerprints: &Fingerprints,
        blocks: &[NodeId],
        odds: &BlockOdds,
    ) {
        self.tallies.take(document, &odds.names);
        self.number_words(words);
        self.in_block.clear();
        self.in_block.resize(self.on_page.len(), 0);
        self.mark_title(document);
        self.sum_words(document, words, odds);
        self.structures.clear();
        for id in blocks {
            *self.structures.entry(fingerprints.structure[id.index()]).or_default() += 1;
        }
    }

    /// Gives the words of the page small numbers and counts them.
    fn number_words(&mut self, words: &PageWords) {
        self.numbers.clear();
        self.words.clear();
        self.on_page.clear();
        for key in words.keys() {
            let next = self.on_page.len() as u32;
            let number = *self.numbers.entry(*key).or_insert(next);
            if number == next {
                self.on_page.push(0);
            }
            self.on_page[number as usize] += 1;
            self.words.push(number);
        }
    }

    fn mark_title(&mut self, document: &Document) {
        self.in_title.clear();
        self.in_title.resize(self.on_page.len(), false);
        let Some(title) = document.find(Name::TITLE) else { return };
        for text in document.descendants(title) {
            for word in PageWords::of_text(document.text(text)) {
                if let Some(number) = self.numbers.get(&word) {
                    self.in_title[*number as usize] = true;
                }
            }
        }
    }

    /// Prefix sums over the words of the page.
    fn sum_words(&mut self, document: &Document, words: &PageWords, odds: &BlockOdds) {
        self.linked.clear();
        self.linked.push(0);
        self.odds.clear();
        self.odds.push(0.0);
        self.known.clear();
        self.known.push(0);
        let mut linked = 0;
        let mut at = 0;
        let mut append_until = |end: usize, in_link: bool, at: &mut usize| {
            while *at < end {
                linked += u32::from(in_link);
                self.linked.push(linked);
                *at += 1;
            }
        };
        let mut id = NodeId::DOCUMENT;
        while id.index() < document.len() {
            if document.html_name(id) == Name::A && document.is_element(id) {
                let range = words.range(document, id);
                append_until(range.start, false, &mut at);
                append_until(range.end, true, &mut at);
                id = document.end(id);
            } else {
                id.0 += 1;
            }
        }
        append_until(words.keys().len(), false, &mut at);
        let (mut sum, mut known) = (0.0, 0);
        for key in words.keys() {
            if let Some(odds) = odds.text.odds(*key) {
                sum += odds;
                known += 1;
            }
            self.odds.push(sum);
            self.known.push(known);
        }
    }
}
