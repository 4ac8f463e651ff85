//! The page-type model. Page types are a by-product; no decision depends on them.
//!
//! Its features are those of the threshold that was chosen for the page.

use super::fusion_page::FusionPage;
use super::fusion_schema::{column_names, page_type_schema};
use super::fusion_scores::FusionScores;
use crate::detection::PageType;
use crate::error::Error;
use crate::model::ModelFile;
use crate::model::{TreeScratch, Trees};
use std::sync::LazyLock;

/// Trees that predict the type of a page.
#[derive(Clone, PartialEq, Debug)]
pub struct PageTypeModel {
    /// One output for each page type.
    pub trees: Trees,
    /// A description of the training data.
    pub card: String,
}

/// The model that ships with the library.
static BUILTIN: LazyLock<PageTypeModel> = LazyLock::new(|| {
    let model = PageTypeModel::from_bytes(include_bytes!("../../../models/page-type.model"));
    model.expect("the built-in model is valid, which a test checks")
});

impl PageTypeModel {
    /// The kind recorded in model files.
    pub const KIND: &'static str = "page-type";

    /// The model that ships with the library.
    pub fn builtin() -> &'static PageTypeModel {
        &BUILTIN
    }

    /// A description of the training data.
    pub fn card(&self) -> &str {
        &self.card
    }

    /// Reads a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<PageTypeModel, Error> {
        PageTypeModel::from_file(&ModelFile::from_bytes(bytes)?)
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(PageTypeModel::KIND, page_type_schema(), &*self.card);
        self.trees.write("trees", &mut file);
        file.to_bytes()
    }

    /// Reads the model of a file.
    ///
    /// # Errors
    /// If it is of another kind, of other features, or damaged.
    pub fn from_file(file: &ModelFile) -> Result<PageTypeModel, Error> {
        file.expect(PageTypeModel::KIND, &page_type_schema())?;
        Ok(PageTypeModel { trees: Trees::read("trees", PageTypeModel::width(), file)?, card: file.card.clone() })
    }

    /// The number of columns.
    pub fn width() -> usize {
        column_names().threshold.len()
    }

    /// The features of a page. Empty if the page has no text.
    pub fn row(page: &FusionPage, scores: &FusionScores) -> Vec<f32> {
        if page.is_empty() || scores.threshold_row.is_empty() {
            return Vec::new();
        }
        scores.threshold_row.clone()
    }

    /// The probability of each type, in the order of [`PageType::ALL`], given the row of a page.
    pub fn probabilities(&self, row: &[f32]) -> Vec<f32> {
        let mut out = Vec::with_capacity(PageType::ALL.len());
        self.trees.score_into(row, &mut TreeScratch::default(), &mut out);
        out
    }

    /// The most probable type, or `None` if the page has no text.
    pub fn page_type(&self, page: &FusionPage, scores: &FusionScores) -> Option<PageType> {
        let row = PageTypeModel::row(page, scores);
        if row.is_empty() {
            return None;
        }
        let probabilities = self.probabilities(&row);
        let best = probabilities.iter().enumerate().max_by(|one, two| one.1.total_cmp(two.1).then(two.0.cmp(&one.0)));
        best.and_then(|(number, _)| PageType::ALL.get(number).copied())
    }
}
