//! The parts of a page with their features: what `best` reads of a page.
//!
//! Rows are made in chunks, scored, and thrown away: a page of a hundred thousand parts would need hundreds of megabytes for them.

use super::content_scores::content_scores;
use super::part_context::{FIRST_PASS, PartContext};
use super::part_features::{PartFacts, column_names};
use crate::dom::Document;
use crate::segment::leaf_tree::LeafTree;
use dehusk::detect::fusion::{FusionModel, FusionPage};
use dehusk::layout::Layout;
use dehusk::model::{TreeScratch, Trees};

/// Parts whose rows are in memory at once.
const CHUNK: usize = 1024;

/// The parts of a page with their features.
pub struct PartTable<'a> {
    facts: PartFacts<'a>,
    parts: usize,
    /// The probability that a leaf is content, by leaf.
    pub content: Vec<f32>,
}

impl<'a> PartTable<'a> {
    /// Describes the parts of a page.
    pub fn new(document: &'a Document, layout: &'a Layout, tree: &'a LeafTree) -> PartTable<'a> {
        let content = content_scores(document, tree, FusionModel::builtin(), &mut FusionPage::default());
        let facts = PartFacts::new(document, layout, tree, &content);
        PartTable { facts, parts: tree.parts.len(), content }
    }

    /// The names of the features.
    pub fn column_names() -> &'static [String] {
        column_names()
    }

    /// The features of all parts, row by row.
    pub fn rows(&self) -> Vec<f32> {
        let mut rows = Vec::new();
        self.facts.append_rows(0..self.parts, &mut rows);
        rows
    }

    /// The outputs of several sets of trees for all parts.
    pub(crate) fn score<const N: usize>(&self, trees: [&Trees; N]) -> [Vec<f32>; N] {
        let mut scores = [const { Vec::new() }; N];
        let (mut rows, mut scratch) = (Vec::new(), TreeScratch::default());
        for start in (0..self.parts).step_by(CHUNK) {
            rows.clear();
            self.facts.append_rows(start..(start + CHUNK).min(self.parts), &mut rows);
            for (trees, scores) in trees.iter().zip(&mut scores) {
                trees.score_into(&rows, &mut scratch, scores);
            }
        }
        scores
    }

    /// The output of trees that also see what the first pass says of the parts around a part.
    pub(crate) fn score_second(
        &self,
        trees: &Trees,
        tree: &LeafTree,
        first: &[Vec<f32>; FIRST_PASS.len()],
    ) -> Vec<f32> {
        let context = PartContext::new(tree, first);
        let width = column_names().len();
        let (mut own, mut rows, mut scores) = (Vec::new(), Vec::new(), Vec::new());
        let mut scratch = TreeScratch::default();
        for start in (0..self.parts).step_by(CHUNK) {
            own.clear();
            rows.clear();
            self.facts.append_rows(start..(start + CHUNK).min(self.parts), &mut own);
            context.append_rows(start, &own, width, &mut rows);
            trees.score_into(&rows, &mut scratch, &mut scores);
        }
        scores
    }
}
