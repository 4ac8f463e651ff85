//! Block: classifies the blocks of a page as template or content, on unseen sites (Kolcz and Yih 2007).
//!
//! Two stages: naive Bayes over words gives log-odds, and a classifier reads these along with the other features of a block.
//! Blocks may be nested; a text is decided by the innermost block around it, whose score is mixed with those of the blocks
//! further out. Models are fitted in `dehusk-train`.

use super::elements::{BlockNames, blocks};
use super::features::{self, FEATURES, describe_blocks};
use super::page_words::PageWords;
use super::scratch::{BlockOdds, BlockScratch};
use crate::dom::{Document, Fingerprints, NodeId, Stats};
use dehusk::detection::{Detection, Reason};
use dehusk::model::{Array, Discretizer, Logistic, ModelFile, TreeScratch, Trees, sigmoid};
use dehusk::read::HashedOdds;
use dehusk::site::decide;
use dehusk::{Error, ErrorKind};
use std::sync::LazyLock;

/// The second stage of the block detector.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BlockClassifier {
    /// Logistic regression on binned features (maximum entropy).
    Maxent {
        /// The bins of the features.
        bins: Discretizer,
        /// A weight for each bin.
        weights: Logistic,
    },
    /// A forest or boosted trees.
    Trees(Trees),
}

/// A trained block detector.
#[derive(Clone, Debug)]
pub struct BlockModel {
    /// The first stage.
    pub odds: BlockOdds,
    /// The second stage.
    pub classifier: BlockClassifier,
    /// The element names that can be blocks.
    pub names: BlockNames,
    /// Points of threshold, precision and recall, measured on held-out sites, ascending by threshold. A block is dropped if its
    /// score is at or above the threshold.
    pub curve: Vec<[f32; 3]>,
    /// The model card: what the model was trained on and how well it does.
    pub card: String,
}

/// How the threshold of the block detector is chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum OperatingPoint {
    /// By precision: on unseen sites, about this fraction of the dropped blocks is template.
    Precision(f32),
    /// By recall: on unseen sites, about this fraction of the template blocks is dropped.
    Recall(f32),
    /// By score: blocks with at least this score are dropped.
    Score(f32),
}

impl Default for OperatingPoint {
    /// Precision 0.9: of the points tried, it has the highest F1 against the annotations of wcxb-dev (0.817; 0.795 at score 0.5,
    /// 0.804 at precision 0.80, 0.810 at 0.95).
    fn default() -> OperatingPoint {
        OperatingPoint::Precision(0.9)
    }
}

/// The settings of the block detector.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct BlockSettings {
    /// Which blocks are dropped.
    pub point: OperatingPoint,
    /// Whether to record the features with the largest contributions for each block.
    pub details: bool,
}

/// The blocks of a page with their features and scores.
#[derive(Clone, Debug, Default)]
pub struct BlockScores {
    /// The blocks, in page order.
    pub blocks: Vec<NodeId>,
    /// Their features, row by row.
    pub rows: Vec<f32>,
    /// Their scores, 0 to 1; 1 is template.
    pub scores: Vec<f32>,
}

/// The weight of a block's own score when it is mixed with the score of the block around it.
const INNER_WEIGHT: f32 = 0.6;

impl BlockModel {
    /// The kind recorded in model files.
    pub const KIND: &'static str = "block";

    /// The built-in model.
    pub fn builtin() -> &'static BlockModel {
        static BUILTIN: LazyLock<BlockModel> = LazyLock::new(|| {
            let model = BlockModel::from_bytes(include_bytes!("../../models/block.model"));
            model.expect("the built-in model is valid, as a test checks")
        });
        &BUILTIN
    }

    /// The model card: what the model was trained on and how well it does.
    pub fn card(&self) -> &str {
        &self.card
    }

    /// Reads a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<BlockModel, Error> {
        BlockModel::from_file(&ModelFile::from_bytes(bytes)?)
    }

    /// Reads the model of a file.
    ///
    /// # Errors
    /// If it is of another kind, of other features, or damaged.
    pub fn from_file(file: &ModelFile) -> Result<BlockModel, Error> {
        file.expect(BlockModel::KIND, &features::schema())?;
        let classifier = match file.has("maxent.weights") {
            true => {
                let bins = Discretizer::read("cuts", FEATURES.len(), file)?;
                let weights = Logistic::read("maxent", bins.columns(), file)?;
                BlockClassifier::Maxent { bins, weights }
            }
            false => BlockClassifier::Trees(Trees::read("trees", FEATURES.len(), file)?),
        };
        let odds = BlockOdds { text: HashedOdds::read("text", file)?, names: HashedOdds::read("names", file)? };
        let names = match file.u8s("blocks")? {
            [1] => BlockNames::Classic,
            _ => BlockNames::Html5,
        };
        let (curve, _) = file.f32s("curve")?.as_chunks::<3>();
        Ok(BlockModel { odds, classifier, names, curve: curve.to_vec(), card: file.card.clone() })
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(BlockModel::KIND, features::schema(), &*self.card);
        self.odds.text.write("text", &mut file);
        self.odds.names.write("names", &mut file);
        match &self.classifier {
            BlockClassifier::Maxent { bins, weights } => {
                bins.write("cuts", &mut file);
                weights.write("maxent", &mut file);
            }
            BlockClassifier::Trees(trees) => trees.write("trees", &mut file),
        }
        file.set("blocks", Array::U8(vec![u8::from(self.names == BlockNames::Classic)]));
        file.set("curve", Array::F32(self.curve.as_flattened().to_vec()));
        file.to_bytes()
    }

    /// The lowest score at which blocks are dropped. If no measured threshold reaches the precision, it is infinite and nothing is
    /// dropped.
    pub fn threshold(&self, point: OperatingPoint) -> f32 {
        match point {
            OperatingPoint::Score(score) => score,
            OperatingPoint::Precision(wanted) => {
                self.curve.iter().find(|[_, precision, _]| *precision >= wanted).map_or(f32::INFINITY, |point| point[0])
            }
            OperatingPoint::Recall(wanted) => {
                self.curve.iter().rev().find(|[_, _, recall]| *recall >= wanted).map_or(0.0, |point| point[0])
            }
        }
    }

    fn score(&self, rows: &[f32], out: &mut Vec<f32>) {
        match &self.classifier {
            BlockClassifier::Maxent { bins, weights } => {
                let margin = |row| weights.margin_of(bins.columns_of(row));
                out.extend(rows.chunks(FEATURES.len()).map(|row| sigmoid(margin(row))));
            }
            BlockClassifier::Trees(trees) => trees.score_into(rows, &mut TreeScratch::default(), out),
        }
    }

    /// The contribution of each feature of a row to its score.
    pub fn contributions(&self, row: &[f32]) -> Vec<f32> {
        match &self.classifier {
            BlockClassifier::Trees(trees) => trees.contributions(row, 0),
            BlockClassifier::Maxent { bins, weights } => {
                let of = |(feature, column): (usize, usize)| {
                    let first = bins.first_column(feature);
                    let usual: f32 = (first..=first + bins.edges(feature).len())
                        .map(|column| weights.weights()[column] * weights.means()[column])
                        .sum();
                    weights.weights()[column] - usual
                };
                bins.columns_of(row).enumerate().map(of).collect()
            }
        }
    }
}

/// Finds the blocks of a page and scores them.
pub fn score_blocks(
    document: &Document,
    stats: &Stats,
    fingerprints: &Fingerprints,
    model: &BlockModel,
) -> BlockScores {
    let words = PageWords::of(document);
    let blocks = blocks(document, stats, &words, model.names);
    let mut found = BlockScores { blocks, ..BlockScores::default() };
    describe_blocks(
        document,
        stats,
        fingerprints,
        &words,
        &found.blocks,
        &model.odds,
        &mut BlockScratch::default(),
        &mut found.rows,
    );
    model.score(&found.rows, &mut found.scores);
    found
}

/// Detects the template blocks of a page.
pub fn detect_block(
    document: &Document,
    stats: &Stats,
    fingerprints: &Fingerprints,
    model: &BlockModel,
    settings: BlockSettings,
) -> Result<Detection, Error> {
    check_point(settings.point)?;
    let mut detection = Detection::keep_all("block", document);
    let found = score_blocks(document, stats, fingerprints, model);
    let mixed = mixed_scores(document, &found);
    for (id, score) in found.blocks.iter().zip(&mixed) {
        detection.set_evidence(*id, *score, Reason::Scored { score: *score });
    }
    if settings.details {
        for (id, row) in found.blocks.iter().zip(found.rows.chunks(FEATURES.len())) {
            if !detection.set_detail(*id, detail(row, &model.contributions(row))) {
                break;
            }
        }
    }
    let threshold = model.threshold(settings.point);
    let template = whole_templates(document, stats, &found.blocks, &mixed, threshold);
    decide(document, stats, &|id: NodeId| template[id.index()], &mut detection);
    Ok(detection)
}

pub(crate) fn check_point(point: OperatingPoint) -> Result<(), Error> {
    let (OperatingPoint::Precision(share) | OperatingPoint::Recall(share) | OperatingPoint::Score(share)) = point;
    match (0.0..=1.0).contains(&share) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::BadOptions, format!("the share must be from 0 to 1, not {share}"))),
    }
}

/// The score of each block, mixed with that of the block around it: a paragraph inside an article is not a footer, even if it
/// reads like one.
fn mixed_scores(document: &Document, found: &BlockScores) -> Vec<f32> {
    let mut mixed: Vec<f32> = Vec::with_capacity(found.blocks.len());
    let mut open: Vec<usize> = Vec::new();
    for (number, id) in found.blocks.iter().enumerate() {
        while open.last().is_some_and(|outer| document.end(found.blocks[*outer]) <= *id) {
            open.pop();
        }
        let own = found.scores[number];
        mixed.push(match open.last() {
            Some(outer) => INNER_WEIGHT * own + (1.0 - INNER_WEIGHT) * mixed[*outer],
            None => own,
        });
        open.push(number);
    }
    mixed
}

/// Returns for each node whether all of its text is template. A text is template if the innermost block around it scores at
/// least the threshold.
fn whole_templates(document: &Document, stats: &Stats, blocks: &[NodeId], scores: &[f32], threshold: f32) -> Vec<bool> {
    let nodes = document.len();
    // For each node, whether the innermost block around it is template.
    let mut drops = vec![false; nodes];
    for (id, score) in blocks.iter().zip(scores) {
        // Blocks are in page order, so inner ones overwrite outer ones.
        drops[document.subtree(*id)].fill(*score >= threshold);
    }
    // For each subtree, the number of characters of dropped texts.
    let mut dropped = vec![0u32; nodes];
    for id in document.ids().rev() {
        let at = id.index();
        if document.is_text(id) && drops[at] {
            dropped[at] = stats.subtree(document, id).characters;
        }
        if let Some(parent) = document.parent(id) {
            dropped[parent.index()] += dropped[at];
        }
    }
    let is_whole = |id: NodeId| match stats.subtree(document, id).characters {
        0 => drops[id.index()],
        characters => dropped[id.index()] == characters,
    };
    document.ids().map(is_whole).collect()
}

/// The number of features in the detail of a block.
const SHOWN_FEATURES: usize = 5;

/// The features with the largest contributions, as text. A positive contribution is evidence for template.
fn detail(row: &[f32], contributions: &[f32]) -> String {
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|one, two| contributions[*two].abs().total_cmp(&contributions[*one].abs()));
    let text = |at: &usize| format!("{:+.2} {} {:.2}", contributions[*at], FEATURES[*at], row[*at]);
    let shown = order.iter().take(SHOWN_FEATURES).filter(|at| contributions[**at] != 0.0);
    shown.map(text).collect::<Vec<_>>().join(", ")
}
