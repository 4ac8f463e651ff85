//! What kind of page a page is: a by-product that judges nothing.
//!
//! Told by the numbers the page's cut is chosen by.

use super::schema::{column_names, page_type_schema};
use super::{FusionPage, FusionScores};
use crate::error::Error;
use crate::model::{ModelFile, TreeScratch, Trees};
use crate::page_type::PageType;
use std::sync::LazyLock;

/// Trees that tell kinds of pages apart.
#[derive(Clone, PartialEq, Debug)]
pub struct PageTypeModel {
    /// One output for each kind.
    pub trees: Trees,
    /// What the model was trained on, in words.
    pub card: String,
}

/// The model that comes with the program.
static BUILTIN: LazyLock<PageTypeModel> = LazyLock::new(|| {
    let model = PageTypeModel::from_bytes(include_bytes!("../../models/page-type.model"));
    model.expect("the model is part of the program, and a test reads it")
});

impl PageTypeModel {
    /// The kind recorded in model files.
    pub const KIND: &'static str = "page-type";

    /// The model that comes with the program.
    pub fn builtin() -> &'static PageTypeModel {
        &BUILTIN
    }

    /// What the model was trained on, in words.
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

    pub(crate) fn from_file(file: &ModelFile) -> Result<PageTypeModel, Error> {
        file.expect(PageTypeModel::KIND, &page_type_schema())?;
        Ok(PageTypeModel { trees: Trees::read("trees", PageTypeModel::width(), file)?, card: file.card.clone() })
    }

    /// How many numbers the row of a page has.
    pub fn width() -> usize {
        column_names().cut.len()
    }

    /// What the model sees of a page; nothing where the page has no text.
    pub fn row(page: &FusionPage, scores: &FusionScores) -> Vec<f32> {
        if page.is_empty() || scores.row.is_empty() {
            return Vec::new();
        }
        scores.row.clone()
    }

    /// The chance of each kind, in the order of [`PageType::ALL`], given the row of a page.
    pub fn chances(&self, row: &[f32]) -> Vec<f32> {
        let mut out = Vec::with_capacity(PageType::ALL.len());
        self.trees.score_into(row, &mut TreeScratch::default(), &mut out);
        out
    }

    /// The kind with the best chance, where the page has any text.
    pub fn page_type(&self, page: &FusionPage, scores: &FusionScores) -> Option<PageType> {
        let row = PageTypeModel::row(page, scores);
        if row.is_empty() {
            return None;
        }
        let chances = self.chances(&row);
        let best = chances.iter().enumerate().max_by(|one, two| one.1.total_cmp(two.1).then(two.0.cmp(&one.0)));
        best.and_then(|(number, _)| PageType::ALL.get(number).copied())
    }
}
