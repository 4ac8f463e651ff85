//! Fusion: the default detector. One model over the text blocks of a page, that needs no other page of the site.
//!
//! Takes a document, cuts it into text blocks (`blocks.rs`), describes them (`features.rs`), scores them twice, lets each thing be said once
//! (`kin.rs`) and chooses where to cut (`model.rs`, `second.rs`, `cuts.rs`), and returns a detection (`detect.rs`). Fitting is done in `dehusk-train`.

mod blocks;
mod counts;
mod cuts;
mod detect;
mod echo;
mod evidence;
mod features;
mod hints;
mod kin;
mod lexicon;
mod model;
mod odds;
mod page;
mod page_type_model;
mod row;
mod schema;
mod scores;
mod second;
mod word_key;

pub use detect::{detect_fusion, fuse};
pub use evidence::{EvidenceWeights, SiteEvidence};
pub use model::FusionModel;
pub use odds::{Odds, SLOTS as ODDS_SLOTS, WordOdds};
pub use page_type_model::PageTypeModel;
pub use schema::ColumnNames;
pub use scores::FusionScores;

use crate::dom::elements::begins_word;
use crate::dom::{Document, NodeId};
use crate::model::{LANES, Tile, TreeScratch};
use blocks::PageBlocks;
use features::Describer;
use page::PageFacts;

/// A page cut into text blocks, and what the model sees of them. Memory that is used again for the next page.
#[derive(Clone, Debug, Default)]
pub struct FusionPage {
    page: PageBlocks,
    facts: PageFacts,
    describer: Describer,
    rows: Vec<f32>,
    tile: Tile,
    memory: ScoreMemory,
}

/// Memory for scoring.
#[derive(Clone, Debug, Default)]
struct ScoreMemory {
    first: Vec<f32>,
    rows: Vec<f32>,
    guesses: Vec<f32>,
    trees: TreeScratch,
}

/// Blocks and the places their words have in tables of odds.
#[derive(Clone, Debug, Default)]
pub struct WordSlots {
    /// Words of the text.
    pub text: Vec<(u32, u16)>,
    /// Words of class and id of the elements around.
    pub names: Vec<(u32, u16)>,
}

impl FusionPage {
    /// Cuts a page and works out what its rows need. Enough for scoring, which takes the rows as it needs them.
    pub fn prepare(&mut self, document: &Document, odds: &Odds) {
        self.facts.read_head(document, &mut self.page.said);
        self.page.cut(document, odds);
        self.facts.look(document, &self.page);
        self.describer.prepare(document, &self.page, &self.facts);
        self.rows.clear();
    }

    /// Cuts and describes a page, with all its rows.
    pub fn describe(&mut self, document: &Document, odds: &Odds) {
        self.prepare(document, odds);
        for at in 0..self.page.blocks.len() {
            self.describer.describe(&self.page, &self.facts, at, &mut self.rows);
        }
    }

    /// Gives the looks of all blocks, so many rows at a time as trees score together.
    pub(crate) fn each_tile(&mut self, width: usize, mut each: impl FnMut(&Tile)) {
        let blocks = self.page.blocks.len();
        for start in (0..blocks).step_by(LANES) {
            let rows = LANES.min(blocks - start);
            self.tile.clear(width, rows);
            for row in 0..rows {
                let mut out = self.tile.row(row);
                self.describer.describe_block(&self.page, &self.facts, start + row, &mut out);
                if start + row == 0 {
                    // The tile keeps them for the rest of the page.
                    self.facts.describe(&mut out.for_all());
                }
            }
            each(&self.tile);
        }
    }

    /// The names of the numbers in the rows of each model, in their order.
    pub fn column_names() -> &'static ColumnNames {
        schema::column_names()
    }

    /// How many text blocks there are.
    pub fn len(&self) -> usize {
        self.page.blocks.len()
    }

    /// Whether the page shows no text.
    pub fn is_empty(&self) -> bool {
        self.page.blocks.is_empty()
    }

    /// The looks of all blocks, row after row, after [`describe`](FusionPage::describe).
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// The first text node of a block and the number after its last.
    pub fn span(&self, block: usize) -> (NodeId, NodeId) {
        let block = &self.page.blocks[block];
        (block.first, block.end)
    }

    /// The text of a block, with a space where two words meet.
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

    /// For fitting odds: each block with the places of the words of its text, and with those of the names around it.
    pub fn word_slots(&self, document: &Document) -> WordSlots {
        let WordSlots { mut text, mut names } = WordSlots::default();
        for (number, block) in (0u32..).zip(&self.page.blocks) {
            let before = text.len();
            for id in (block.first.0..block.end.0).map(NodeId).filter(|id| document.is_text(*id)) {
                let left = odds::MOST_WORDS - (text.len() - before);
                odds::each_text_word(document.text(id), left, |slot| text.push((number, slot)));
            }
            let mut above = document.parent(block.first);
            while let Some(id) = above {
                hints::each_name(document, id, |key, long| {
                    if long {
                        names.push((number, key.slot16()));
                    }
                });
                above = document.parent(id);
            }
        }
        WordSlots { text, names }
    }

    /// The number of words of a block.
    pub fn words(&self, block: usize) -> u32 {
        self.page.blocks[block].counts.words
    }

    /// The second look at all blocks, row after row, given their first scores.
    pub fn second_rows(&self, scores: &[f32]) -> Vec<f32> {
        let mut rows = Vec::with_capacity(self.len() * second::SECOND);
        self.append_second_rows(scores, &mut rows);
        rows
    }

    pub(crate) fn append_second_rows(&self, scores: &[f32], rows: &mut Vec<f32>) {
        second::second_rows(&self.page, &self.describer, scores, rows);
    }

    /// The blocks that say the same as this one from here on, if it is the first of several and has some length.
    pub fn copies_from(&self, first: usize) -> impl Iterator<Item = usize> + use<'_> {
        self.describer.kin.copies_from(&self.page, first)
    }

    /// Takes the chance of all blocks that say what a likelier one says word for word: a page that has its description once for small
    /// screens and once for large ones shows it once. Returns each of them with the likelier one.
    pub fn silence_copies(&self, scores: &mut [f32]) -> Vec<(u32, u32)> {
        self.describer.kin.silence_copies(&self.page, scores)
    }

    /// What each of the cuts would keep, row after row, given the second scores.
    pub fn cut_rows(&self, scores: &[f32]) -> Vec<f32> {
        let mut rows = Vec::new();
        self.append_cut_rows(scores, &mut rows);
        rows
    }

    pub(crate) fn append_cut_rows(&self, scores: &[f32], rows: &mut Vec<f32>) {
        cuts::cut_rows(&self.page, &self.facts, scores, rows);
    }

    /// The scores a page may be cut at.
    pub fn cuts() -> &'static [f32] {
        &cuts::CUTS
    }
}

#[cfg(test)]
mod copies_tests;
#[cfg(test)]
mod features_tests;
#[cfg(test)]
mod second_tests;
