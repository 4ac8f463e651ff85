//! The fusion model: three sets of trees and the file they are kept in.
//!
//! The first scores each block by what it and its surroundings look like, the second by what the first said of the surroundings, the
//! third guesses how well each cut through the second's scores would do.

use super::cuts::{BEST_EXPECTED, CUTS, EXPECTED};
use super::schema::{column_names, fusion_schema};
use super::scores::FusionScores;
use super::{FusionPage, Odds, PageTypeModel, ScoreMemory};
use crate::detection::PageVerdict;
use crate::error::Error;
use crate::model::{ModelFile, Trees};
use std::sync::LazyLock;

/// Where no block has this chance, nothing need be kept: an honest answer for pages without content.
const LEAST_CHANCE: f32 = 0.1;
/// How much the F measure to be expected counts beside the guess. Two looks at the same thing: on pages of wcxb-dev not fitted on, either
/// alone was no better than both together.
const EXPECTED_WEIGHT: f32 = 2.0;
/// A block is worth keeping from half of the F measure to be expected on; no cut is below this share of it. On long pages that changes
/// nothing, on short ones it keeps the lone link out that costs a word.
const LEAST_CUT: f32 = 0.25;
/// A page has no content where the result is guessed to be worse than this and has fewer words.
const NO_CONTENT_CONFIDENCE: f32 = 0.3;
const NO_CONTENT_WORDS: u32 = 20;
/// The model that comes with the program.
static BUILTIN: LazyLock<FusionModel> = LazyLock::new(|| {
    let model = FusionModel::from_bytes(include_bytes!("../../models/fusion.model"));
    model.expect("the model is part of the program, and a test reads it")
});

/// Trees that tell content from template.
#[derive(Clone, PartialEq, Debug)]
pub struct FusionModel {
    /// What words say, that blocks are described by.
    pub odds: Odds,
    /// Scores blocks by their looks.
    pub first: Trees,
    /// Scores blocks by the first scores around them.
    pub second: Trees,
    /// Guesses how well a cut does.
    pub cuts: Trees,
    /// What the model was trained on, in words.
    pub card: String,
}

impl FusionModel {
    /// The kind recorded in model files.
    pub const KIND: &'static str = "fusion";

    /// The model that comes with the program.
    pub fn builtin() -> &'static FusionModel {
        &BUILTIN
    }

    /// What the model was trained on, in words.
    pub fn card(&self) -> &str {
        &self.card
    }

    /// Reads a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<FusionModel, Error> {
        FusionModel::from_file(&ModelFile::from_bytes(bytes)?)
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(FusionModel::KIND, fusion_schema(), &*self.card);
        self.odds.write(&mut file);
        self.first.write("first", &mut file);
        self.second.write("second", &mut file);
        self.cuts.write("cuts", &mut file);
        file.to_bytes()
    }

    pub(crate) fn from_file(file: &ModelFile) -> Result<FusionModel, Error> {
        file.expect(FusionModel::KIND, &fusion_schema())?;
        let columns = column_names();
        Ok(FusionModel {
            odds: Odds::read(file)?,
            first: Trees::read("first", columns.first.len(), file)?,
            second: Trees::read("second", columns.second.len(), file)?,
            cuts: Trees::read("cuts", columns.cut.len(), file)?,
            card: file.card.clone(),
        })
    }

    /// Scores the blocks of a page and chooses where to cut.
    pub fn score(&self, page: &mut FusionPage) -> FusionScores {
        let mut memory = std::mem::take(&mut page.memory);
        let ScoreMemory { first, rows, trees, .. } = &mut memory;
        first.clear();
        page.each_tile(self.first.features(), |tile| self.first.score_tile(tile, trees, first));
        let mut blocks = Vec::with_capacity(page.len());
        rows.clear();
        page.append_second_rows(first, rows);
        self.second.score_into(rows, trees, &mut blocks);
        let copies = page.silence_copies(&mut blocks);
        let scores = self.choose_cut(page, &blocks, &mut memory);
        page.memory = memory;
        FusionScores { blocks, copies, ..scores }
    }

    /// The cut with the best guess, joined with what is to be expected if scores are chances: guesses are noisy. Those of neighbouring cuts are
    /// averaged for the same reason.
    fn choose_cut(&self, page: &FusionPage, scores: &[f32], memory: &mut ScoreMemory) -> FusionScores {
        let none = FusionScores { cut: 1.0, ..FusionScores::default() };
        if scores.is_empty() {
            return none;
        }
        let ScoreMemory { guesses, rows, trees, .. } = memory;
        guesses.clear();
        rows.clear();
        page.append_cut_rows(scores, rows);
        self.cuts.score_into(rows, trees, guesses);
        let guess = |at: usize| guesses[at.min(CUTS.len() - 1)];
        let smooth = |at: usize| 0.25 * guess(at.saturating_sub(1)) + 0.5 * guess(at) + 0.25 * guess(at + 1);
        let width = rows.len() / CUTS.len();
        let worth = |at: usize| smooth(at) + EXPECTED_WEIGHT * rows[at * width + EXPECTED];
        let lowest = CUTS.partition_point(|cut| *cut < LEAST_CUT * rows[BEST_EXPECTED]).min(CUTS.len() - 1);
        let best = (lowest..CUTS.len()).max_by(|one, two| worth(*one).total_cmp(&worth(*two)).then(two.cmp(one)));
        let Some(best) = best else { return none };
        // A page of a few lines has no block as likely as those of long pages; where the cut would leave nothing of it, its best is still
        // what a reader came for.
        let highest = scores.iter().copied().fold(0.0, f32::max);
        let cut = if (LEAST_CHANCE..CUTS[best]).contains(&highest) { highest / 2.0 } else { CUTS[best] };
        let row = rows[best * width..(best + 1) * width].to_vec();
        FusionScores { blocks: Vec::new(), copies: Vec::new(), cut, confidence: smooth(best).clamp(0.0, 1.0), row }
    }

    /// What these scores say of the page as a whole.
    pub fn verdict(&self, page: &FusionPage, scores: &FusionScores) -> PageVerdict {
        let kept = (0..page.len()).filter(|block| scores.blocks[*block] >= scores.cut);
        let words: u32 = kept.map(|block| page.words(block)).sum();
        PageVerdict {
            confidence: scores.confidence,
            page_type: PageTypeModel::builtin().page_type(page, scores),
            no_content: scores.confidence < NO_CONTENT_CONFIDENCE && words < NO_CONTENT_WORDS,
            ..PageVerdict::default()
        }
    }
}
