//! Block: tells template blocks on pages of sites never seen, by what blocks look like (Kolcz and Yih 2007).
//!
//! Two stages: naive Bayes over words gives odds, and a classifier reads these beside the other features of a block. Blocks
//! stand in each other; each text goes by the innermost block around it, whose score is mixed with those further out. Fitting is
//! done elsewhere (`dehusk-train`).

use crate::decide::decide;
use crate::detection::{Detection, Reason};
use crate::detector::Detector;
use crate::dom::{Document, Fingerprints, NodeId, Stats};
use crate::error::{Error, ErrorKind};
use crate::features::block::{self, BlockOdds, BlockScratch, FEATURES, describe_blocks};
use crate::features::block_list::{BlockNames, blocks};
use crate::features::words::PageWords;
use crate::model::{Array, Discretizer, Logistic, ModelFile, TreeScratch, Trees, WordOdds, sigmoid};
use std::sync::LazyLock;

/// The second stage.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BlockClassifier {
    /// Logistic regression on intervals.
    Maxent {
        /// The cuts of the features.
        cuts: Discretizer,
        /// A weight for each interval.
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
    /// What can be a block.
    pub names: BlockNames,
    /// Measured on sites left out of training: scores with the precision and recall of dropping what is not below them, in
    /// ascending order of the score.
    pub curve: Vec<[f32; 3]>,
    /// What the model was trained on.
    pub card: String,
}

/// Which blocks are dropped.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum OperatingPoint {
    /// So many that, on sites not seen, about this share of the dropped blocks is template.
    Precision(f32),
    /// So many that, on sites not seen, about this share of the template blocks is dropped.
    Recall(f32),
    /// Those that score this or more.
    Score(f32),
}

impl Default for OperatingPoint {
    /// Nine of ten dropped blocks are template: of the points tried, what is left of the pages of wcxb-dev is closest to what
    /// people marked there (F1 0.817; 0.795 at score 0.5, 0.804 at precision 0.80, 0.810 at 0.95).
    fn default() -> OperatingPoint {
        OperatingPoint::Precision(0.9)
    }
}

/// The settings of the detector.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Block {
    /// Which blocks are dropped.
    pub point: OperatingPoint,
    /// Whether to say which features weighed most for each block.
    pub details: bool,
}

/// The blocks of a page with their features and scores.
#[derive(Clone, Debug, Default)]
pub struct BlockScores {
    /// The blocks, in page order.
    pub blocks: Vec<NodeId>,
    /// Their features, one row after the other.
    pub rows: Vec<f32>,
    /// How much each looks like template, 0 to 1.
    pub scores: Vec<f32>,
}

/// How much the score of an inner block counts beside that of the block around it.
const INNER_SHARE: f32 = 0.6;

impl BlockModel {
    /// The kind recorded in model files.
    pub const KIND: &'static str = "block";

    /// The model that comes with the program.
    pub fn builtin() -> &'static BlockModel {
        static BUILTIN: LazyLock<BlockModel> = LazyLock::new(|| {
            let model = BlockModel::from_bytes(include_bytes!("../../models/block.model"));
            model.expect("the model is part of the program, and a test reads it")
        });
        &BUILTIN
    }

    /// What the model was trained on, in words.
    pub fn card(&self) -> &str {
        &self.card
    }

    /// Reads a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<BlockModel, Error> {
        BlockModel::from_file(&ModelFile::from_bytes(bytes)?)
    }

    pub(crate) fn from_file(file: &ModelFile) -> Result<BlockModel, Error> {
        file.expect(BlockModel::KIND, &block::schema())?;
        let classifier = match file.has("maxent.weights") {
            true => {
                let cuts = Discretizer::read("cuts", FEATURES.len(), file)?;
                let weights = Logistic::read("maxent", cuts.columns(), file)?;
                BlockClassifier::Maxent { cuts, weights }
            }
            false => BlockClassifier::Trees(Trees::read("trees", FEATURES.len(), file)?),
        };
        let odds = BlockOdds { text: WordOdds::read("text", file)?, names: WordOdds::read("names", file)? };
        let names = match file.u8s("blocks")? {
            [1] => BlockNames::Classic,
            _ => BlockNames::Html5,
        };
        let (curve, _) = file.f32s("curve")?.as_chunks::<3>();
        Ok(BlockModel { odds, classifier, names, curve: curve.to_vec(), card: file.card.clone() })
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(BlockModel::KIND, block::schema(), &*self.card);
        self.odds.text.write("text", &mut file);
        self.odds.names.write("names", &mut file);
        match &self.classifier {
            BlockClassifier::Maxent { cuts, weights } => {
                cuts.write("cuts", &mut file);
                weights.write("maxent", &mut file);
            }
            BlockClassifier::Trees(trees) => trees.write("trees", &mut file),
        }
        file.set("blocks", Array::U8(vec![u8::from(self.names == BlockNames::Classic)]));
        file.set("curve", Array::F32(self.curve.as_flattened().to_vec()));
        file.to_bytes()
    }

    /// The least score that is dropped at an operating point. Where no score was measured to be that precise, nothing is dropped.
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
            BlockClassifier::Maxent { cuts, weights } => {
                let margin = |row| weights.margin_of(cuts.columns_of(row));
                out.extend(rows.chunks(FEATURES.len()).map(|row| sigmoid(margin(row))));
            }
            BlockClassifier::Trees(trees) => trees.score_into(rows, &mut TreeScratch::default(), out),
        }
    }

    /// How much each feature of a row moves its score up or down.
    pub fn contributions(&self, row: &[f32]) -> Vec<f32> {
        match &self.classifier {
            BlockClassifier::Trees(trees) => trees.contributions(row, 0),
            BlockClassifier::Maxent { cuts, weights } => {
                let of = |(feature, column): (usize, usize)| {
                    let first = cuts.first_column(feature);
                    let usual: f32 = (first..=first + cuts.cuts(feature).len())
                        .map(|column| weights.weights()[column] * weights.means()[column])
                        .sum();
                    weights.weights()[column] - usual
                };
                cuts.columns_of(row).enumerate().map(of).collect()
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

/// Finds the template blocks of a page, of whatever site it is.
pub fn detect_block(
    document: &Document,
    stats: &Stats,
    fingerprints: &Fingerprints,
    model: &BlockModel,
    settings: Block,
) -> Result<Detection, Error> {
    check(settings.point)?;
    let mut detection = Detection::keep_all(Detector::Block, document);
    let found = score_blocks(document, stats, fingerprints, model);
    let mixed = mixed_scores(document, &found);
    for (id, score) in found.blocks.iter().zip(&mixed) {
        detection.set_evidence(*id, *score, Reason::Scored { score: *score });
    }
    if settings.details {
        for (id, row) in found.blocks.iter().zip(found.rows.chunks(FEATURES.len())) {
            detection.set_detail(*id, detail(row, &model.contributions(row)));
        }
    }
    let threshold = model.threshold(settings.point);
    let template = whole_templates(document, stats, &found.blocks, &mixed, threshold);
    decide(document, stats, &|id: NodeId| template[id.index()], &mut detection);
    Ok(detection)
}

fn check(point: OperatingPoint) -> Result<(), Error> {
    let (OperatingPoint::Precision(share) | OperatingPoint::Recall(share) | OperatingPoint::Score(share)) = point;
    match (0.0..=1.0).contains(&share) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::BadOptions, format!("{share} is no share from 0 to 1"))),
    }
}

/// The score of each block, mixed with that of the block around it: a paragraph of an article is no footer, whatever it says.
fn mixed_scores(document: &Document, found: &BlockScores) -> Vec<f32> {
    let mut mixed: Vec<f32> = Vec::with_capacity(found.blocks.len());
    let mut open: Vec<usize> = Vec::new();
    for (number, id) in found.blocks.iter().enumerate() {
        while open.last().is_some_and(|outer| document.end(found.blocks[*outer]) <= *id) {
            open.pop();
        }
        let own = found.scores[number];
        mixed.push(match open.last() {
            Some(outer) => INNER_SHARE * own + (1.0 - INNER_SHARE) * mixed[*outer],
            None => own,
        });
        open.push(number);
    }
    mixed
}

/// Which nodes are template as a whole: those all of whose text stands in blocks that score enough, each text going by the
/// innermost block around it.
fn whole_templates(document: &Document, stats: &Stats, blocks: &[NodeId], scores: &[f32], threshold: f32) -> Vec<bool> {
    let nodes = document.len();
    // By node, whether the innermost block around it is template.
    let mut drops = vec![false; nodes];
    for (id, score) in blocks.iter().zip(scores) {
        // Blocks come in page order, so that inner ones overwrite outer ones.
        drops[document.subtree(*id)].fill(*score >= threshold);
    }
    // Characters of dropped texts, by subtree.
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

/// How many features a detail names.
const NAMED: usize = 5;

/// The features that weighed most, as a reader is told them: the sign says whether they speak for template.
fn detail(row: &[f32], weighed: &[f32]) -> String {
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|one, two| weighed[*two].abs().total_cmp(&weighed[*one].abs()));
    let name = |at: &usize| format!("{:+.2} {} {:.2}", weighed[*at], FEATURES[*at], row[*at]);
    order.iter().take(NAMED).filter(|at| weighed[**at] != 0.0).map(name).collect::<Vec<_>>().join(", ")
}
