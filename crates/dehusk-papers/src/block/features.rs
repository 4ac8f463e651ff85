//! The features of the block detector: of the block alone, of the block compared with its page, and of its position (Block §3).
//!
//! Input: a parsed page, its blocks and the odds of words. Output: a row of numbers for each block, in the order of
//! [`FEATURES`]. One pass over the page and one over the words of each block. No decision is made here.

use super::feature_row::Page;
use super::page_words::PageWords;
use crate::dom::{Document, Fingerprints, NodeId, Stats};
use dehusk::model::Schema;

pub use super::scratch::{BlockOdds, BlockScratch};

/// The version of the features. It is raised when a feature is computed differently.
pub const VERSION: u32 = 2;

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
    "outer links share",
    "sentence ends per word",
    "commas per word",
    "digit share",
    "capital share",
    "marks per word",
    "legal signs",
    "characters per element",
    "characters per text",
    "bytes per character",
    "paragraphs share",
    "items share",
    "breaks share",
    "cells share",
    "headings",
    "media",
    "controls",
    "times",
    "is paragraph",
    "is heading",
    "is list part",
    "is table part",
    "is division",
    // Compared with the page.
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
    // The position.
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

/// Appends a row for each block of a page to `out`.
#[allow(clippy::too_many_arguments, reason = "one argument for each stage of a page")]
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
    scratch.fill(document, words, fingerprints, blocks, odds);
    let mut in_block = std::mem::take(&mut scratch.in_block);
    let page = Page::new(document, stats, fingerprints, words, blocks, scratch);
    let mut lines = LineCounter { source: document.source().as_bytes(), offset: 0, lines: 0 };
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

/// Converts byte offsets to line numbers. Most offsets arrive in ascending order.
struct LineCounter<'a> {
    source: &'a [u8],
    offset: usize,
    lines: usize,
}

impl LineCounter<'_> {
    fn line_of(&mut self, offset: usize) -> usize {
        let offset = offset.min(self.source.len());
        // A node the parser moved may begin earlier in the source; it gets the line of the node before it.
        if offset > self.offset {
            self.lines += memchr::memchr_iter(b'\n', &self.source[self.offset..offset]).count();
            self.offset = offset;
        }
        self.lines
    }
}
