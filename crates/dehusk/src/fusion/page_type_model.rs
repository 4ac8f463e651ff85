//! What kind of page a page is: a by-product that judges nothing.
//!
//! Told by the numbers the page's cut is chosen by.

use super::{FusionModel, FusionPage, FusionScores};
use crate::error::Error;
use crate::model::{ModelFile, SchemaId, TreeScratch, Trees};
use crate::page_type::PageType;
use std::sync::LazyLock;

/// Trees that tell kinds of pages apart.
#[derive(Clone, PartialEq, Debug)]
pub struct PageTypeModel {
    /// One output for each kind.
    pub trees: Trees,
}

/// The model that comes with the program. One of other features than today's tells nothing; a test says so.
static BUILTIN: LazyLock<Option<PageTypeModel>> = LazyLock::new(|| {
    let file = ModelFile::from_bytes(include_bytes!("../../models/page-type.model")).ok()?;
    PageTypeModel::read(&file).ok()
});

impl PageTypeModel {
    /// The schema a model is fitted on: that of the fusion model.
    pub fn schema() -> SchemaId {
        SchemaId::new("page-type", FusionModel::schema().version)
    }

    /// The model that comes with the program.
    pub fn builtin() -> Option<&'static PageTypeModel> {
        BUILTIN.as_ref()
    }

    /// How many numbers the row of a page has.
    pub fn width() -> usize {
        FusionPage::widths().cuts
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

    /// The file of the model.
    pub fn write(&self, card: &str) -> ModelFile {
        let mut file = ModelFile::new("page-type", PageTypeModel::schema(), card);
        self.trees.write("trees", &mut file);
        file
    }

    /// Reads a model.
    pub fn read(file: &ModelFile) -> Result<PageTypeModel, Error> {
        file.expect("page-type", &PageTypeModel::schema())?;
        Ok(PageTypeModel { trees: Trees::read("trees", PageTypeModel::width(), file)? })
    }
}
