//! A sample of text blocks of many sites, as rows of features: a model that is adapted to a few pages should go on deciding about these as
//! before.
//!
//! The file holds, for each block, the interval of each feature between the thresholds of the built-in model, and whether that model keeps
//! the block. It holds no text. docs/training.md has the command that makes it.

use dehusk::Error;
use dehusk::detect::fusion::{FusionModel, FusionPage};
use dehusk::dom::Parser;
use dehusk::dom::random::SplitMix64;
use dehusk::model::{Array, Discretizer, ModelFile, Schema};
use std::sync::LazyLock;

/// The sample that comes with the library.
static BUILTIN: LazyLock<BlockSample> = LazyLock::new(|| {
    let blocks = BlockSample::from_bytes(include_bytes!("../../models/block-sample.model"));
    blocks.expect("the built-in blocks are valid, which a test checks")
});

/// Blocks of many sites, and what a model decides about them.
#[derive(Clone, PartialEq, Debug)]
pub struct BlockSample {
    cuts: Discretizer,
    /// For each block the interval of each feature.
    intervals: Vec<u8>,
    /// For each block whether it is kept.
    kept: Vec<bool>,
    card: String,
}

fn schema() -> Schema {
    Schema::new("fusion-first", 1, &FusionPage::column_names().first)
}

impl BlockSample {
    /// The kind recorded in files.
    pub const KIND: &'static str = "block-sample";

    /// The sample that comes with the library.
    #[must_use]
    pub fn builtin() -> &'static BlockSample {
        &BUILTIN
    }

    /// An empty sample for blocks in intervals between the thresholds of a model.
    #[must_use]
    pub fn new(model: &FusionModel, card: impl Into<String>) -> BlockSample {
        let mut edges = vec![Vec::new(); model.first.features()];
        for node in model.first.to_nodes().iter().flatten().filter(|node| node.left != 0) {
            edges[node.feature as usize].push(node.threshold);
        }
        for edges in &mut edges {
            edges.sort_by(f32::total_cmp);
            edges.dedup();
        }
        BlockSample { cuts: Discretizer::new(&edges), intervals: Vec::new(), kept: Vec::new(), card: card.into() }
    }

    /// Adds up to `blocks` blocks of a page, chosen by the seed.
    pub fn add(&mut self, model: &FusionModel, html: &str, blocks: usize, seed: u64) {
        let Ok(document) = Parser::default().parse(html) else { return };
        let mut page = FusionPage::default();
        page.describe(&document, &model.odds);
        let scores = model.score(&mut page);
        let with_words: Vec<usize> = (0..page.len()).filter(|block| page.words(*block) > 0).collect();
        let width = self.cuts.features();
        for at in SplitMix64::new(seed).choose(with_words.len(), blocks) {
            let block = with_words[at];
            let row = &page.rows()[block * width..(block + 1) * width];
            // A feature has at most 255 thresholds.
            self.intervals.extend(row.iter().enumerate().map(|(feature, value)| self.cuts.bin(feature, *value) as u8));
            self.kept.push(scores.blocks[block] >= scores.threshold);
        }
    }

    /// How many blocks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether a block is kept.
    pub(crate) fn is_kept(&self, block: usize) -> bool {
        self.kept[block]
    }

    /// The features of all blocks, row by row: for each interval a value in it.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Vec<f32>> + '_ {
        let value = |(feature, interval): (usize, &u8)| match *interval {
            0 => f32::NEG_INFINITY,
            interval => self.cuts.edges(feature)[interval as usize - 1],
        };
        let width = self.cuts.features().max(1);
        self.intervals.chunks_exact(width).map(move |row| row.iter().enumerate().map(value).collect())
    }

    /// Where the blocks come from.
    #[must_use]
    pub fn card(&self) -> &str {
        &self.card
    }

    /// The bytes of the file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(BlockSample::KIND, schema(), &*self.card);
        self.cuts.write("blocks", &mut file);
        file.set("blocks.intervals", Array::U8(self.intervals.clone()));
        file.set("blocks.kept", Array::U8(self.kept.iter().map(|kept| u8::from(*kept)).collect()));
        file.to_bytes()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is damaged, of another kind, or made for other features.
    pub fn from_bytes(bytes: &[u8]) -> Result<BlockSample, Error> {
        let file = ModelFile::from_bytes(bytes)?;
        file.expect(BlockSample::KIND, &schema())?;
        let cuts = Discretizer::read("blocks", FusionPage::column_names().first.len(), &file)?;
        let kept: Vec<bool> = file.u8s("blocks.kept")?.iter().map(|kept| *kept != 0).collect();
        // A file with a right checksum can still hold numbers that do not fit together; they must not lead outside the arrays.
        let width = cuts.features().max(1);
        let mut intervals = file.u8s("blocks.intervals")?.to_vec();
        intervals.resize(kept.len() * width, 0);
        for row in intervals.chunks_exact_mut(width) {
            for (feature, interval) in row.iter_mut().enumerate() {
                *interval = (*interval).min(cuts.edges(feature).len().min(255) as u8);
            }
        }
        Ok(BlockSample { cuts, intervals, kept, card: file.card })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_in_the_library_fit_its_model() {
        let blocks = BlockSample::builtin();
        let model = FusionModel::builtin();
        let empty = BlockSample::new(model, blocks.card());
        assert!(blocks.cuts == empty.cuts, "the built-in model has changed: make block-sample.model again");
        assert_eq!(&BlockSample::from_bytes(&blocks.to_bytes()).unwrap(), blocks);
        assert!(blocks.len() > 1000 && blocks.rows().count() == blocks.len());
        let kept = blocks.kept.iter().filter(|kept| **kept).count();
        assert!(kept > blocks.len() / 10 && kept < blocks.len() * 9 / 10);
    }

    #[test]
    fn a_stored_block_is_in_the_leaves_of_its_row() {
        let model = FusionModel::builtin();
        let html =
            "<nav><a href=a>Home</a></nav><main><h1>Boats</h1><p>The boat came home late, and it rained.</p></main>";
        let mut blocks = BlockSample::new(model, "");
        blocks.add(model, html, usize::MAX, 0);
        let mut page = FusionPage::default();
        page.describe(&Parser::default().parse(html).unwrap(), &model.odds);
        assert_eq!(blocks.len(), page.len());
        let width = model.first.features();
        for (stored, row) in blocks.rows().zip(page.rows().chunks(width)) {
            assert_eq!(model.first.score(&stored), model.first.score(row));
        }
    }
}
