//! Fusion: the default detector. One model over the text blocks of a page, that needs no other page of the site.
//!
//! Takes a document, cuts it into text blocks (`blocks.rs`), describes them (`features.rs`), scores them twice and chooses where to cut
//! (`model.rs`, `second.rs`), and returns a detection (`detect.rs`). Fitting is done in `dehusk-train`.

mod blocks;
mod detect;
mod evidence;
mod features;
mod hints;
mod kind;
mod lexicon;
mod model;
mod page;
mod second;

pub use detect::{Focus, Fusion, detect_fused, detect_fusion, fuse};
pub use evidence::{EvidenceWeights, SiteEvidence};
pub use kind::{PageType, PageTypeModel};
pub use model::{FusionModel, FusionScores};

use crate::dom::{Document, NodeId, Parser};
use crate::model::TreeScratch;
use blocks::PageBlocks;
use features::Describer;
use page::PageFacts;
use std::sync::LazyLock;

/// A page cut into text blocks, and what the model sees of them. Memory that is used again for the next page.
#[derive(Clone, Debug, Default)]
pub struct FusionPage {
    page: PageBlocks,
    facts: PageFacts,
    describer: Describer,
    rows: Vec<f32>,
    trees: TreeScratch,
}

/// How many numbers the rows of the three models have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Widths {
    /// Looks of a block.
    pub first: usize,
    /// First scores around a block.
    pub second: usize,
    /// A cut.
    pub cuts: usize,
}

static NAMES: LazyLock<(Vec<String>, Widths)> = LazyLock::new(|| {
    let document = Parser::default().parse("<p>one</p>").unwrap_or_default();
    let mut page = FusionPage::default();
    page.describe(&document);
    let mut names = Vec::new();
    page.describer.describe(&document, &page.page, &page.facts, 0, &mut names);
    let cuts = page.cut_rows(&[0.5]).len() / second::CUTS.len();
    let widths = Widths { first: names.len(), second: second::SECOND, cuts };
    (names, widths)
});

impl FusionPage {
    /// Cuts and describes a page.
    pub fn describe(&mut self, document: &Document) {
        self.page.cut(document);
        self.facts = PageFacts::of(document, &self.page);
        self.describer.prepare(document, &self.page);
        self.rows.clear();
        for at in 0..self.page.blocks.len() {
            self.describer.describe(document, &self.page, &self.facts, at, &mut self.rows);
        }
    }

    /// The names of the numbers in a block's row, in their order.
    pub fn names() -> &'static [String] {
        &NAMES.0
    }

    /// How many numbers rows have.
    pub fn widths() -> Widths {
        NAMES.1
    }

    /// How many text blocks there are.
    pub fn len(&self) -> usize {
        self.page.blocks.len()
    }

    /// Whether the page shows no text.
    pub fn is_empty(&self) -> bool {
        self.page.blocks.is_empty()
    }

    /// The looks of all blocks, row after row.
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// The first text node of a block and the number after its last.
    pub fn span(&self, block: usize) -> (NodeId, NodeId) {
        let block = &self.page.blocks[block];
        (block.first, block.end)
    }

    /// The number of words of a block.
    pub fn words(&self, block: usize) -> u32 {
        self.page.blocks[block].counts.words
    }

    /// The second look at all blocks, row after row, given their first scores.
    pub fn second_rows(&self, scores: &[f32]) -> Vec<f32> {
        let mut rows = Vec::with_capacity(self.len() * second::SECOND);
        second::second_rows(&self.page, &self.describer, scores, &mut rows);
        rows
    }

    /// What each of the cuts would keep, row after row, given the second scores.
    pub fn cut_rows(&self, scores: &[f32]) -> Vec<f32> {
        let mut rows = Vec::new();
        second::cut_rows(&self.page, &self.facts, scores, &mut rows);
        rows
    }

    /// The scores a page may be cut at.
    pub fn cuts() -> &'static [f32] {
        &second::CUTS
    }
}
