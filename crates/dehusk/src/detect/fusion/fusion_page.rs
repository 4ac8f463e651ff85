//! A page as the fusion model sees it: its text blocks and their rows of features.

use super::fusion_schema::{ColumnNames, column_names};
use crate::detect::fusion::choose::pool_scores::pool_scores;
use crate::detect::fusion::choose::thresholds::{THRESHOLDS, append_threshold_rows};
use crate::detect::fusion::describe::describe_block::Describer;
use crate::detect::fusion::describe::page_facts::PageFacts;
use crate::detect::fusion::describe::second_pass::{SECOND_WIDTH, ScoreSums, SecondPass};
use crate::dom::elements::begins_word;
use crate::dom::{Document, NodeId};
use crate::model::Tile;
use crate::model::TreeScratch;
use crate::read::name_hints::each_name;
use crate::read::text_blocks::PageBlocks;
use crate::read::words::block_words::MAX_WORDS;
use crate::read::words::hashed_odds::Odds;
use crate::read::words::word_hash::{WordKind, each_word};
use crate::records::columns::{RecordColumns, Steps, Unit};

/// Two blocks are beside each other if a chain of at most `BESIDE_BLOCKS` blocks, at most `BESIDE_LEVELS` levels up, holds both.
const BESIDE_LEVELS: usize = 4;
const BESIDE_BLOCKS: u32 = 12;

/// A page split into text blocks, and the features of the blocks. Its buffers are reused for the next page.
#[derive(Clone, Debug, Default)]
pub struct FusionPage {
    pub(crate) page: PageBlocks,
    facts: PageFacts,
    describer: Describer,
    records: RecordColumns,
    units: Vec<Unit>,
    rows: Vec<f32>,
    tile: Tile,
    second_tile: Tile,
    pub(crate) buffers: ScoreBuffers,
}

/// Reusable buffers for scoring.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScoreBuffers {
    pub(crate) first: Vec<f32>,
    pub(crate) rows: Vec<f32>,
    pub(crate) estimates: Vec<f32>,
    pub(crate) trees: TreeScratch,
}

/// Words as (number of the block, slot of the word in a table of log-odds).
#[derive(Clone, Debug, Default)]
pub struct WordSlots {
    /// Words of the text.
    pub text: Vec<(u32, u16)>,
    /// Words of the class and id attributes of the ancestors.
    pub names: Vec<(u32, u16)>,
}

impl FusionPage {
    /// Splits a page into text blocks and prepares their description. This is enough for scoring, which describes blocks as it goes.
    pub fn prepare(&mut self, document: &Document, odds: &Odds) {
        self.facts.read_head(document, &mut self.page.words);
        self.page.split(document, odds);
        self.facts.measure(&self.page);
        self.units.clear();
        self.units.extend(self.page.blocks.iter().map(|block| Unit { node: block.first, weight: block.counts.words }));
        self.records.find(document, &self.units, Steps::Blocks, |_| false);
        self.describer.prepare(&self.page, &self.records);
        self.rows.clear();
    }

    /// Like [`prepare`](FusionPage::prepare), and also writes the rows of all blocks.
    pub fn describe(&mut self, document: &Document, odds: &Odds) {
        self.prepare(document, odds);
        for at in 0..self.page.blocks.len() {
            self.describer.describe(&self.page, &self.facts, at, &mut self.rows);
        }
    }

    /// Calls `each` with the features of all blocks, as many rows at a time as trees score together.
    pub(crate) fn each_tile(&mut self, width: usize, each: impl FnMut(&Tile)) {
        let FusionPage { page, facts, describer, tile, .. } = self;
        tile.fill(width, page.blocks.len(), each, |at, mut row| {
            describer.describe_block(page, facts, at, &mut row);
            if at == 0 {
                // The tile keeps the page's features for all its other rows and for the next tiles.
                facts.describe(&mut row.for_all());
            }
        });
    }

    /// Like [`each_tile`](FusionPage::each_tile) for the second pass, given the scores of the first.
    pub(crate) fn each_second_tile(&mut self, scores: &[f32], each: impl FnMut(&Tile)) {
        if self.is_empty() {
            return;
        }
        let sums = ScoreSums::of(&self.page, scores);
        let second = SecondPass::new(&self.page, &self.describer, scores, &sums);
        self.second_tile.fill(SECOND_WIDTH, scores.len(), each, |at, mut row| second.describe(at, &mut row));
    }

    /// The names of the columns of each model, in order.
    pub fn column_names() -> &'static ColumnNames {
        column_names()
    }

    /// The number of text blocks.
    pub fn len(&self) -> usize {
        self.page.blocks.len()
    }

    /// Whether the page has no visible text.
    pub fn is_empty(&self) -> bool {
        self.page.blocks.is_empty()
    }

    /// The features of all blocks, row by row. Empty unless [`describe`](FusionPage::describe) was called.
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// The range of nodes of a block: its first text node, and the node after its last text node.
    pub fn span(&self, block: usize) -> (NodeId, NodeId) {
        let block = &self.page.blocks[block];
        (block.first, block.end)
    }

    /// The text of a block, with a space where an element separates two words.
    pub fn text(&self, document: &Document, block: usize) -> String {
        let block = &self.page.blocks[block];
        let (mut text, mut before) = (String::new(), None);
        for id in (block.first.0..block.end.0).map(NodeId) {
            if document.is_text(id) {
                text.push_str(document.text(id));
                before = Some(id);
            } else if before.is_some_and(|before| begins_word(document, before, id)) {
                text.push(' ');
            }
        }
        text
    }

    /// The slots of the words of each block and of the names around it. Used to fit log-odds.
    pub fn word_slots(&self, document: &Document) -> WordSlots {
        let WordSlots { mut text, mut names } = WordSlots::default();
        for (number, block) in (0u32..).zip(&self.page.blocks) {
            let before = text.len();
            for id in (block.first.0..block.end.0).map(NodeId).filter(|id| document.is_text(*id)) {
                let left = MAX_WORDS - (text.len() - before);
                each_word(document.text(id), left, |word, kind| {
                    if kind == WordKind::Word {
                        text.push((number, word.slot16()));
                    }
                });
            }
            let mut ancestor = document.parent(block.first);
            while let Some(id) = ancestor {
                each_name(document, id, |word, long| {
                    if long {
                        names.push((number, word.slot16()));
                    }
                });
                ancestor = document.parent(id);
            }
        }
        WordSlots { text, names }
    }

    /// The number of words of a block.
    pub fn words(&self, block: usize) -> u32 {
        self.page.blocks[block].counts.words
    }

    /// Whether a block is a short text, most of it outside links.
    pub(crate) fn is_short_text(&self, block: usize, most_words: u32) -> bool {
        let counts = &self.page.blocks[block].counts;
        counts.words <= most_words && 2 * counts.link_words <= counts.words
    }

    /// Whether two blocks are in one small part of the page, such as a row or an entry.
    pub(crate) fn is_beside(&self, one: usize, two: usize) -> bool {
        let mut chain = self.page.blocks[one].chain as usize;
        for _ in 0..BESIDE_LEVELS {
            let around = &self.page.chains[chain];
            let is_small = around.end - around.start <= BESIDE_BLOCKS;
            if is_small && (around.start..around.end).contains(&(two as u32)) {
                return true;
            }
            chain = around.parent as usize;
        }
        false
    }

    /// The rows of the second pass for all blocks, given their scores from the first.
    pub fn second_rows(&self, scores: &[f32]) -> Vec<f32> {
        let mut rows = Vec::with_capacity(self.len() * SECOND_WIDTH);
        if !self.is_empty() {
            let sums = ScoreSums::of(&self.page, scores);
            let second = SecondPass::new(&self.page, &self.describer, scores, &sums);
            (0..self.len()).for_each(|at| second.describe(at, &mut rows));
        }
        rows
    }

    /// The blocks with the same text as this one, itself included, if it is the first of them and is long enough. Empty otherwise.
    pub fn copies_from(&self, first: usize) -> impl Iterator<Item = usize> + use<'_> {
        self.describer.copies.copies_from(&self.page, first)
    }

    /// Sets the score of blocks to 0 if a higher-scoring block has the same text. A page that has its description once for small
    /// screens and once for large ones shows only one of them. Returns each dropped block with the one that is kept.
    pub fn drop_copies(&self, scores: &mut [f32]) -> Vec<(u32, u32)> {
        self.describer.copies.drop_copies(&self.page, &self.describer.similar, scores)
    }

    /// Gives the blocks of a field of similar records, such as the prices of cards, the same score.
    pub fn pool_records(&self, scores: &mut [f32]) {
        pool_scores(&self.records, &self.page.blocks, scores);
    }

    /// A row for each candidate threshold that describes what it would keep, given the scores of the second pass.
    pub fn threshold_rows(&self, scores: &[f32]) -> Vec<f32> {
        let mut rows = Vec::new();
        self.append_threshold_rows(scores, &mut rows);
        rows
    }

    pub(crate) fn append_threshold_rows(&self, scores: &[f32], rows: &mut Vec<f32>) {
        append_threshold_rows(&self.page, &self.facts, scores, rows);
    }

    /// The candidate thresholds, in ascending order.
    pub fn thresholds() -> &'static [f32] {
        &THRESHOLDS
    }
}
