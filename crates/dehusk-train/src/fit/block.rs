//! Trains the detector Block on the table of a crawl, and measures it on another crawl.

use crate::fit::block_table::{BlockKind, BlockTable, BlockTraining, gather_blocks, rows_of};
use crate::fit::card::Provenance;
use crate::labels::site_labels::{LabelOptions, LabelledPage, count_sites, visit_pages};
use crate::learners::bins::Bins;
use crate::learners::boost::{BoostOptions, fit_boosted};
use crate::learners::dataset::Dataset;
use crate::learners::forest::{ForestOptions, fit_forest};
use crate::learners::logistic::{LogisticOptions, SparseRows, fit_logistic};
use crate::learners::mdl::fit_mdl;
use crate::learners::tree_growth::TreeLimits;
use crate::measure::curve::Curve;
use dehusk::model::{Discretizer, TreeScratch, sigmoid};
use dehusk_io::Error;
use dehusk_io::crawl::Progress;
use dehusk_papers::block::features::FEATURES;
use dehusk_papers::block::{BlockClassifier, BlockModel};
use std::fmt::Write as _;

impl BlockTable {
    /// The scores of all rows, each by a classifier that was fitted without the fold of its site.
    #[must_use]
    pub fn cross_validate(&self, kind: BlockKind, folds: usize, seed: u64) -> Vec<f32> {
        let mut scores = vec![0.0; self.data.len()];
        for fold in 0..folds {
            let classifier = fit_classifier(&self.data, &self.training_rows(kind, Some(fold)), kind, seed);
            let test = self.test_rows(fold);
            let rows = self.data.select(test.iter().copied());
            for (row, score) in test.into_iter().zip(scores_of(&classifier, rows.rows())) {
                scores[row] = score;
            }
        }
        scores
    }
}

/// Fits the second stage on some rows of a table. Equal rows count once.
pub(crate) fn fit_classifier(data: &Dataset, rows: &[usize], kind: BlockKind, seed: u64) -> BlockClassifier {
    let data = data.select(rows.iter().copied());
    let distinct = data.distinct();
    let mut data = data.select(distinct.into_iter());
    let cuts = match kind {
        BlockKind::Forest | BlockKind::Boosted => Discretizer::new(&[]),
        _ => fit_mdl(data.rows(), FEATURES.len(), data.labels()),
    };
    if kind.is_of_paper() {
        let distinct = distinct_intervals(&data, &cuts);
        data = data.select(distinct.into_iter());
    }
    let (labels, weights) = (data.labels(), data.weights());
    match kind {
        BlockKind::Maxent | BlockKind::PaperMaxent => {
            let sparse = SparseRows::of(&cuts, data.rows());
            let options = LogisticOptions { l2: 1e-5, ..LogisticOptions::default() };
            BlockClassifier::Maxent { weights: fit_logistic(&sparse, labels, weights, options), bins: cuts }
        }
        BlockKind::Forest | BlockKind::PaperForest => {
            let bins = match kind {
                BlockKind::Forest => Bins::new(data.rows(), FEATURES.len(), 128),
                _ => Bins::with_cuts(data.rows(), cuts),
            };
            let limits = TreeLimits { min_rows: 3, ..ForestOptions::default().limits };
            let options = ForestOptions { trees: 60, rows: 0.4, limits, seed };
            BlockClassifier::Trees(fit_forest(&bins, labels, weights, options))
        }
        BlockKind::Boosted => {
            let bins = Bins::new(data.rows(), FEATURES.len(), 255);
            let limits = TreeLimits { leaves: 48, depth: 7, min_rows: 40, l2: 5.0, ..TreeLimits::default() };
            let options = BoostOptions {
                rounds: 200,
                rate: 0.08,
                limits,
                rows: 0.6,
                features: 0.5,
                seed,
                ..BoostOptions::default()
            };
            BlockClassifier::Trees(fit_boosted(&bins, labels, weights, options))
        }
    }
}

/// The first of all rows that are equal when features are in intervals.
fn distinct_intervals(data: &Dataset, cuts: &Discretizer) -> Vec<usize> {
    let mut intervals = Dataset::new(data.features());
    for number in 0..data.len() {
        let row: Vec<f32> =
            data.row(number).iter().enumerate().map(|(feature, value)| cuts.bin(feature, *value) as f32).collect();
        intervals.push(&row, data.labels()[number], 1.0, 0);
    }
    intervals.distinct()
}

/// Scores rows, given one after the other.
pub(crate) fn scores_of(classifier: &BlockClassifier, rows: &[f32]) -> Vec<f32> {
    let mut scores = Vec::new();
    match classifier {
        BlockClassifier::Maxent { bins, weights } => {
            let score = |row| sigmoid(weights.margin_of(bins.columns_of(row)));
            scores.extend(rows.chunks(FEATURES.len()).map(score));
        }
        BlockClassifier::Trees(trees) => trees.score_into(rows, &mut TreeScratch::default(), &mut scores),
        _ => {}
    }
    scores
}

/// Trains a detector: its operating points are measured by cross-validation, its weights come from all sites.
///
/// # Errors
/// If an input cannot be read or changes while it is read, or if there are fewer than two sites with enough pages.
pub fn train_block(training: &BlockTraining, progress: &dyn Progress) -> Result<BlockModel, Error> {
    let table = gather_blocks(training, progress)?;
    let seed = training.labels.seed;
    let scores = table.cross_validate(training.kind, training.folds, seed);
    let curve = table.curve(&scores, false);
    let classifier = fit_classifier(&table.data, &table.training_rows(training.kind, None), training.kind, seed);
    let card = card(training, &table, &curve, &table.curve(&scores, true));
    Ok(BlockModel { classifier, names: training.names, curve: curve.thinned(200), card, odds: table.odds })
}

fn card(training: &BlockTraining, table: &BlockTable, all: &Curve, topmost: &Curve) -> String {
    let labels = table.data.labels();
    let templates = labels.iter().filter(|label| **label > 0.5).count();
    let provenance = Provenance {
        command: BlockModel::KIND,
        inputs: &training.labels.inputs,
        source: training.source.as_deref(),
        measured: "docs/block.md",
    };
    let mut card = String::from("Block: separates template blocks from content blocks on pages of any site.\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        card,
        "Trained on {} pages of {} sites, read from {}: {} template and {} content blocks, {} of them used for fitting. Labels are automatic: a \
         block is template where its text appears on a share of at least {} of the pages of its site, so repeated content counts as template and \
         template of a single page as content.",
        table.pages,
        table.sites.len(),
        provenance.input_names(),
        templates,
        labels.len() - templates,
        table.training_rows(training.kind, None).len(),
        training.labels.threshold,
    );
    let _ = writeln!(
        card,
        "Words: {} of texts and {} of class names, as hashes with their log-odds; words of fewer than three sites are not in it.",
        table.odds.text.known(),
        table.odds.names.known()
    );
    let _ = writeln!(card, "Classifier: {:?}, seed {}.", training.kind, training.labels.seed);
    for (name, curve) in [("all labelled blocks", all), ("template blocks and topmost content blocks", topmost)] {
        let _ = writeln!(
            card,
            "Cross-validated over {} folds of sites, {name}: recall {:.3} at precision 0.90, {:.3} at 0.95; area under ROC {:.4}.",
            training.folds,
            curve.recall_at(0.9),
            curve.recall_at(0.95),
            curve.roc_area()
        );
    }
    provenance.append(&mut card);
    card
}

/// How well a model does on the labelled blocks of a crawl.
pub struct BlockMeasures {
    /// Pages that were labelled.
    pub pages: u64,
    /// Sites with enough pages.
    pub sites: usize,
    /// On template blocks and content blocks that are not inside another.
    pub topmost: Curve,
    /// On all labelled blocks.
    pub all: Curve,
}

/// Measures a model on the automatic labels of a crawl, which should have no site in common with its training.
///
/// # Errors
/// If an input cannot be read or changes while it is read, or if no site has enough pages.
pub fn evaluate_block(
    model: &BlockModel,
    labels: &LabelOptions,
    progress: &dyn Progress,
) -> Result<BlockMeasures, Error> {
    let training = BlockTraining::new(labels.clone(), model.names);
    let counts = count_sites(&training.labels, progress)?;
    counts.check_any()?;
    let (mut scores, mut truth, mut topmost, mut pages) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let work = |state: &mut _, page: &LabelledPage<'_>| {
        let found = rows_of(&training, &model.odds, state, page);
        (scores_of(&model.classifier, &found.rows), found.labels)
    };
    visit_pages(&training.labels, &counts, progress, Default::default, work, |(found, labels)| {
        pages += 1;
        scores.extend(found);
        truth.extend(labels.iter().map(|label| f32::from(u8::from(label.is_template))));
        topmost.extend(labels.iter().map(|label| f32::from(u8::from(label.is_topmost))));
        Ok(())
    })?;
    Ok(BlockMeasures {
        pages,
        sites: counts.len(),
        topmost: Curve::of(&scores, &truth, &topmost),
        all: Curve::of(&scores, &truth, &vec![1.0; truth.len()]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_papers::block::features::BlockOdds;

    #[test]
    fn the_papers_training_leaves_out_nested_content_and_counts_equal_intervals_once() {
        let mut data = Dataset::new(FEATURES.len());
        // Template from 0.5 on, content below; every row differs a little from the others.
        for number in 0..400 {
            let value = number as f32 / 400.0;
            let mut row = vec![0.0; FEATURES.len()];
            row[0] = value;
            data.push(&row, f32::from(u8::from(value >= 0.5)), 1.0, number % 4);
        }
        let topmost: Vec<bool> = (0..400).map(|number| number % 8 != 0).collect();
        let (trained, sites, folds) = (vec![true; 400], vec![String::new(); 4], vec![0, 0, 1, 1]);
        let table = BlockTable { data, topmost, trained, sites, folds, odds: BlockOdds::default(), pages: 1 };
        assert_eq!(table.training_rows(BlockKind::Boosted, Some(0)).len(), 200);
        assert_eq!(table.training_rows(BlockKind::Boosted, None).len(), 400);
        assert_eq!(table.training_rows(BlockKind::PaperForest, None).len(), 350);
        let cuts = Discretizer::new(&{
            let mut cuts = vec![Vec::new(); FEATURES.len()];
            cuts[0] = vec![0.5];
            cuts
        });
        assert_eq!(distinct_intervals(&table.data, &cuts), [0, 200], "two intervals, two rows");
        let scores = table.cross_validate(BlockKind::PaperMaxent, 2, 0);
        assert!(scores[10] < 0.5 && scores[390] > 0.5, "{} {}", scores[10], scores[390]);
    }
}
