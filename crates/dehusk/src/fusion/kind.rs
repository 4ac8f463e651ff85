//! What kind of page a page is: a by-product that judges nothing.
//!
//! Told by the numbers the page's cut is chosen by.

use super::schema::{column_names, page_type_schema};
use super::{FusionPage, FusionScores};
use crate::error::Error;
use crate::model::{ModelFile, TreeScratch, Trees};
use std::fmt;
use std::sync::LazyLock;

/// A kind of page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PageType {
    /// A text to be read: news, a post, an essay.
    Article,
    /// Many things of one kind, such as the products of a shop's category.
    Collection,
    /// Documentation of software or the like.
    Documentation,
    /// People who talk to each other.
    Forum,
    /// A list of links to other pages, with a few words of each.
    Listing,
    /// One thing on sale.
    Product,
    /// What someone offers to do, or is.
    Service,
}

impl PageType {
    /// All kinds, in the order of the model's outputs.
    pub const ALL: [PageType; 7] = [
        PageType::Article,
        PageType::Collection,
        PageType::Documentation,
        PageType::Forum,
        PageType::Listing,
        PageType::Product,
        PageType::Service,
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            PageType::Article => "article",
            PageType::Collection => "collection",
            PageType::Documentation => "documentation",
            PageType::Forum => "forum",
            PageType::Listing => "listing",
            PageType::Product => "product",
            PageType::Service => "service",
        }
    }

    /// The kind of a name.
    pub fn of_name(name: &str) -> Option<PageType> {
        PageType::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for PageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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
