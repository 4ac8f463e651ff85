//! The parts of a page with their features: what `best` reads of a page.

use super::content_scores::content_scores;
use super::leaf_tree::LeafTree;
use super::part_features::{PartFacts, column_names};
use crate::dom::Document;
use crate::fusion::{FusionModel, FusionPage};
use crate::layout::Layout;

/// The parts of a page with their features.
#[derive(Clone, Debug, Default)]
pub struct PartTable {
    rows: Vec<f32>,
    /// The probability that a leaf is content, by leaf.
    pub content: Vec<f32>,
}

impl PartTable {
    /// Describes the parts of a page.
    pub fn new(document: &Document, layout: &Layout, tree: &LeafTree) -> PartTable {
        let content = content_scores(document, tree, FusionModel::builtin(), &mut FusionPage::default());
        let rows = PartFacts::new(document, layout, tree, &content).rows();
        PartTable { rows, content }
    }

    /// The names of the features.
    pub fn column_names() -> &'static [String] {
        column_names()
    }

    /// The features of all parts, row by row.
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }
}
