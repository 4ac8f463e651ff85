//! The fusion model: three sets of trees and the file they are kept in.
//!
//! The first scores each block by what it and its surroundings look like, the second by what the first said of the surroundings, the
//! third guesses how well each cut through the second's scores would do.

use super::second::CUTS;
use super::{FusionPage, PageTypeModel};
use crate::detection::PageVerdict;
use crate::error::Error;
use crate::model::{ModelFile, SchemaId, TreeScratch, Trees};
use std::sync::LazyLock;

/// The version of the features. Raised whenever one is added, removed, moved or computed otherwise.
const SCHEMA: u32 = 1;
/// Where no block has this chance, nothing need be kept: an honest answer for pages without content.
const LEAST_CHANCE: f32 = 0.1;
/// A page has no content where the result is guessed to be worse than this and has fewer words.
const NO_CONTENT_CONFIDENCE: f32 = 0.3;
const NO_CONTENT_WORDS: u32 = 20;
/// The model that comes with the program.
static BUILTIN: LazyLock<FusionModel> = LazyLock::new(|| {
    let file = include_bytes!("../../models/fusion.model");
    let model = ModelFile::from_bytes(file).and_then(|file| FusionModel::read(&file));
    model.expect("the model that comes with the program is whole; a test reads it")
});

/// Trees that tell content from template.
#[derive(Clone, PartialEq, Debug)]
pub struct FusionModel {
    /// Scores blocks by their looks.
    pub first: Trees,
    /// Scores blocks by the first scores around them.
    pub second: Trees,
    /// Guesses how well a cut does.
    pub cuts: Trees,
}

/// What the model says of a page.
#[derive(Clone, Debug, Default)]
pub struct FusionScores {
    /// For each block the chance that it is content.
    pub blocks: Vec<f32>,
    /// Where the page is best cut: blocks from this chance on are kept.
    pub cut: f32,
    /// How good the cut is guessed to be, as an F measure, 0 to 1.
    pub confidence: f32,
    /// The row of the cut, by which the kind of the page is told.
    pub row: Vec<f32>,
}

impl FusionModel {
    /// The schema a model is fitted on.
    pub fn schema() -> SchemaId {
        SchemaId::new("fusion", SCHEMA)
    }

    /// The model that comes with the program.
    pub fn builtin() -> &'static FusionModel {
        &BUILTIN
    }

    /// Scores the blocks of a page and chooses where to cut.
    pub fn score(&self, page: &mut FusionPage) -> FusionScores {
        let mut scratch = std::mem::take(&mut page.trees);
        let mut first = Vec::with_capacity(page.len());
        self.first.score_into(page.rows(), &mut scratch, &mut first);
        let mut blocks = Vec::with_capacity(page.len());
        self.second.score_into(&page.second_rows(&first), &mut scratch, &mut blocks);
        page.trees = scratch;
        self.cut(page, blocks)
    }

    /// Chooses where to cut a page whose blocks have these chances.
    pub fn cut(&self, page: &mut FusionPage, blocks: Vec<f32>) -> FusionScores {
        let mut scratch = std::mem::take(&mut page.trees);
        let mut scores = self.choose_cut(page, &blocks, &mut scratch);
        page.trees = scratch;
        scores.blocks = blocks;
        scores
    }

    /// The cut with the best guess; guesses of neighbouring cuts are averaged, since they differ by little but noise.
    fn choose_cut(&self, page: &FusionPage, scores: &[f32], scratch: &mut TreeScratch) -> FusionScores {
        let none = FusionScores { cut: 1.0, ..FusionScores::default() };
        if scores.is_empty() {
            return none;
        }
        let rows = page.cut_rows(scores);
        let mut guesses = Vec::with_capacity(CUTS.len());
        self.cuts.score_into(&rows, scratch, &mut guesses);
        let guess = |at: usize| guesses[at.min(CUTS.len() - 1)];
        let smooth = |at: usize| 0.25 * guess(at.saturating_sub(1)) + 0.5 * guess(at) + 0.25 * guess(at + 1);
        let best = (0..CUTS.len()).max_by(|one, two| smooth(*one).total_cmp(&smooth(*two)).then(two.cmp(one)));
        let Some(best) = best else { return none };
        // A page of a few lines has no block as likely as those of long pages; its best is still what a reader came for.
        let highest = scores.iter().copied().fold(0.0, f32::max);
        let cut = if highest >= LEAST_CHANCE { CUTS[best].min(highest / 2.0) } else { CUTS[best] };
        let row = rows.chunks((rows.len() / CUTS.len()).max(1)).nth(best).unwrap_or_default().to_vec();
        FusionScores { blocks: Vec::new(), cut, confidence: smooth(best).clamp(0.0, 1.0), row }
    }

    /// What these scores say of the page as a whole.
    pub fn verdict(&self, page: &FusionPage, scores: &FusionScores) -> PageVerdict {
        let kept = (0..page.len()).filter(|block| scores.blocks[*block] >= scores.cut);
        let words: u32 = kept.map(|block| page.words(block)).sum();
        PageVerdict {
            confidence: scores.confidence,
            page_type: PageTypeModel::builtin().and_then(|model| model.page_type(page, scores)),
            no_content: scores.confidence < NO_CONTENT_CONFIDENCE && words < NO_CONTENT_WORDS,
            ..PageVerdict::default()
        }
    }

    /// The file of the model.
    pub fn write(&self, card: &str) -> ModelFile {
        let mut file = ModelFile::new("fusion", FusionModel::schema(), card);
        self.first.write("first", &mut file);
        self.second.write("second", &mut file);
        self.cuts.write("cuts", &mut file);
        file
    }

    /// Reads a model.
    pub fn read(file: &ModelFile) -> Result<FusionModel, Error> {
        file.expect("fusion", &FusionModel::schema())?;
        let widths = FusionPage::widths();
        Ok(FusionModel {
            first: Trees::read("first", widths.first, file)?,
            second: Trees::read("second", widths.second, file)?,
            cuts: Trees::read("cuts", widths.cuts, file)?,
        })
    }
}
