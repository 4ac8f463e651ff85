//! The fusion model: three ensembles of trees, and the file they are stored in.
//!
//! The first scores each block by its features and those of its surroundings. The second scores it by the first scores around it. The
//! third estimates the F1 of each candidate threshold on the second scores.

use super::fusion_page::{FusionPage, ScoreBuffers};
use super::fusion_schema::{column_names, fusion_schema};
use super::fusion_scores::FusionScores;
use super::page_type_model::PageTypeModel;
use crate::detect::fusion::choose::thresholds::{BEST_EXPECTED_F1, EXPECTED_F1, THRESHOLDS};
use crate::detection::PageVerdict;
use crate::error::Error;
use crate::model::ModelFile;
use crate::model::Trees;
use crate::read::words::hashed_odds::Odds;
use std::sync::LazyLock;

/// If no block has at least this probability, the result may be empty, as for pages without content.
const MIN_PROBABILITY: f32 = 0.1;
/// Weight of the expected F1 relative to the estimated one. Both measure the same thing: on held-out pages, neither alone was better
/// than the two together.
const EXPECTED_WEIGHT: f32 = 1.0;
/// The threshold is at least this fraction of the best expected F1. (A block is worth keeping if its probability is at least half of
/// that F1.) On long pages this changes nothing. On short ones it drops single links, where each wrong word counts.
const MIN_THRESHOLD_SHARE: f32 = 0.25;
/// What is more likely content than not is kept. On held-out pages a higher threshold gained nothing, and on short pages it dropped
/// prices and tables.
const MAX_THRESHOLD: f32 = 0.5;
/// A page has no content if the estimated F1 of the result is below this confidence and it has fewer than this many words.
const NO_CONTENT_CONFIDENCE: f32 = 0.3;
const NO_CONTENT_WORDS: u32 = 20;
/// The model that ships with the library.
static BUILTIN: LazyLock<FusionModel> = LazyLock::new(|| {
    let model = FusionModel::from_bytes(include_bytes!("../../../models/fusion.model"));
    model.expect("the built-in model is valid, which a test checks")
});

/// Trees that separate content from template.
#[derive(Clone, PartialEq, Debug)]
pub struct FusionModel {
    /// Log-odds of words, from which features are computed.
    pub odds: Odds,
    /// Scores blocks by their features.
    pub first: Trees,
    /// Scores blocks by the first scores around them.
    pub second: Trees,
    /// Estimates the F1 of a threshold.
    pub thresholds: Trees,
    /// Scores blocks by their features: comments of readers. None if the training pages did not tell them apart.
    pub comments: Option<Trees>,
    /// A description of the training data.
    pub card: String,
}

impl FusionModel {
    /// The kind recorded in model files.
    pub const KIND: &'static str = "fusion";

    /// The model that ships with the library.
    pub fn builtin() -> &'static FusionModel {
        &BUILTIN
    }

    /// A description of the training data.
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
        self.thresholds.write("thresholds", &mut file);
        if let Some(comments) = &self.comments {
            comments.write("comments", &mut file);
        }
        file.to_bytes()
    }

    /// Reads the model of a file.
    ///
    /// # Errors
    /// If it is of another kind, of other features, or damaged.
    pub fn from_file(file: &ModelFile) -> Result<FusionModel, Error> {
        file.expect(FusionModel::KIND, &fusion_schema())?;
        let columns = column_names();
        Ok(FusionModel {
            odds: Odds::read(file)?,
            first: Trees::read("first", columns.first.len(), file)?,
            second: Trees::read("second", columns.second.len(), file)?,
            thresholds: Trees::read("thresholds", columns.threshold.len(), file)?,
            comments: match file.has("comments.base") {
                true => Some(Trees::read("comments", columns.first.len(), file)?),
                false => None,
            },
            card: file.card.clone(),
        })
    }

    /// Scores the blocks of a page and chooses a threshold.
    pub fn score(&self, page: &mut FusionPage) -> FusionScores {
        let mut buffers = std::mem::take(&mut page.buffers);
        let ScoreBuffers { first, trees, .. } = &mut buffers;
        first.clear();
        page.each_tile(self.first.features(), |tile| self.first.score_tile(tile, trees, first));
        let mut first = std::mem::take(first);
        page.buffers = buffers;
        let scores = self.score_second(page, &first);
        std::mem::swap(&mut page.buffers.first, &mut first);
        scores
    }

    /// Like [`score`](FusionModel::score), given the scores of the first pass.
    pub fn score_second(&self, page: &mut FusionPage, first: &[f32]) -> FusionScores {
        let mut buffers = std::mem::take(&mut page.buffers);
        let mut blocks = Vec::with_capacity(page.len());
        page.each_second_tile(first, |tile| self.second.score_tile(tile, &mut buffers.trees, &mut blocks));
        let copies = page.drop_copies(&mut blocks);
        page.pool_records(&mut blocks);
        let scores = self.choose_threshold(page, &blocks, &mut buffers);
        page.buffers = buffers;
        FusionScores { blocks, copies, ..scores }
    }

    /// For each block the probability that it is a comment of a reader. Empty if the model does not know comments.
    pub fn score_comments(&self, page: &mut FusionPage) -> Vec<f32> {
        let Some(comments) = &self.comments else { return Vec::new() };
        let mut trees = std::mem::take(&mut page.buffers.trees);
        let mut scores = Vec::with_capacity(page.len());
        page.each_tile(comments.features(), |tile| comments.score_tile(tile, &mut trees, &mut scores));
        page.buffers.trees = trees;
        scores
    }

    /// Chooses the threshold with the best sum of estimated F1 and expected F1 (which takes scores as probabilities). Estimates are noisy,
    /// so those of neighbouring thresholds are averaged.
    fn choose_threshold(&self, page: &FusionPage, scores: &[f32], buffers: &mut ScoreBuffers) -> FusionScores {
        let none = FusionScores { threshold: 1.0, ..FusionScores::default() };
        if scores.is_empty() {
            return none;
        }
        let ScoreBuffers { estimates, rows, trees, .. } = buffers;
        estimates.clear();
        rows.clear();
        page.append_threshold_rows(scores, rows);
        self.thresholds.score_into(rows, trees, estimates);
        let estimate = |at: usize| estimates[at.min(THRESHOLDS.len() - 1)];
        let smooth = |at: usize| 0.25 * estimate(at.saturating_sub(1)) + 0.5 * estimate(at) + 0.25 * estimate(at + 1);
        let width = rows.len() / THRESHOLDS.len();
        let worth = |at: usize| smooth(at) + EXPECTED_WEIGHT * rows[at * width + EXPECTED_F1];
        let minimum = MIN_THRESHOLD_SHARE * rows[BEST_EXPECTED_F1];
        let lowest = THRESHOLDS.partition_point(|threshold| *threshold < minimum).min(THRESHOLDS.len() - 1);
        let end = THRESHOLDS.partition_point(|threshold| *threshold <= MAX_THRESHOLD).max(lowest + 1);
        let best = (lowest..end).max_by(|one, two| worth(*one).total_cmp(&worth(*two)).then(two.cmp(one)));
        let Some(best) = best else { return none };
        // Blocks of very short pages have lower probabilities than those of long pages. If the threshold would drop all of them, the
        // best ones are still what a reader came for.
        let highest = scores.iter().copied().fold(0.0, f32::max);
        let threshold =
            if (MIN_PROBABILITY..THRESHOLDS[best]).contains(&highest) { highest / 2.0 } else { THRESHOLDS[best] };
        let threshold_row = rows[best * width..(best + 1) * width].to_vec();
        let confidence = smooth(best).clamp(0.0, 1.0);
        FusionScores { blocks: Vec::new(), copies: Vec::new(), threshold, confidence, threshold_row }
    }

    /// Describes the page as a whole, given its scores.
    pub fn verdict(&self, page: &FusionPage, scores: &FusionScores) -> PageVerdict {
        let kept = (0..page.len()).filter(|block| scores.blocks[*block] >= scores.threshold);
        let words: u32 = kept.map(|block| page.words(block)).sum();
        PageVerdict {
            confidence: scores.confidence,
            page_type: PageTypeModel::builtin().page_type(page, scores),
            no_content: scores.confidence < NO_CONTENT_CONFIDENCE && words < NO_CONTENT_WORDS,
            ..PageVerdict::default()
        }
    }
}
