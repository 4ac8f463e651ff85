//! Trains the page-type model, which tells the type of a page by what fusion sees of it.
//!
//! The rows come from fusion models that have not seen the site of the page, so that they are as they will be on new pages.

use crate::data::reference::ReferencePage;
use crate::fit::card::Provenance;
use crate::fit::fusion::{FusionTraining, Steps};
use crate::fit::fusion_folds::FusionFolds;
use crate::learners::bins::Bins;
use crate::learners::boost::{BoostOptions, Loss, fit_boosted};
use crate::learners::tree_growth::TreeLimits;
use dehusk::PageType;
use dehusk::detect::fusion::{FusionModel, FusionPage, PageTypeModel};
use dehusk::dom::Parser;
use dehusk_io::Error;
use rayon::prelude::*;

/// Trains the page-type model on all pages whose type is known.
///
/// # Errors
/// If no page has a known type, or a fold model cannot be written.
pub fn train_page_type(
    training: &FusionTraining,
    pages: &[ReferencePage],
    steps: Steps<'_>,
) -> Result<PageTypeModel, Error> {
    let typed = pages.iter().filter(|page| PageType::from_name(&page.page_type).is_some()).count();
    if typed == 0 {
        let names = PageType::ALL.map(PageType::name).join(", ");
        let column = &training.pages.page_type_column;
        return Err(Error::other(format!("no page has a known type under the key \"{column}\": one of {names}")));
    }
    let folds = FusionFolds::fit(pages, training.renamed, training.seed, training.fold_models.as_deref(), steps)?;
    let rows: Vec<(Vec<f32>, PageType)> =
        (0..pages.len()).into_par_iter().filter_map(|page| row(&pages[page], folds.model(page))).collect();
    let fitted = fit_page_type(rows.iter().map(|(row, page_type)| (&row[..], *page_type)), training.seed);
    steps("fitted the page types");
    Ok(PageTypeModel { card: card(training, typed), ..fitted })
}

/// What the model sees of a page, and the type of the page where it is known.
fn row(page: &ReferencePage, model: &FusionModel) -> Option<(Vec<f32>, PageType)> {
    let page_type = PageType::from_name(&page.page_type)?;
    let document = Parser::default().parse(&page.html).ok()?;
    let mut blocks = FusionPage::default();
    blocks.prepare(&document, &model.odds);
    let scores = model.score(&mut blocks);
    Some((PageTypeModel::row(&blocks, &scores), page_type))
}

/// Fits the model on rows of [`PageTypeModel::row`]. Pages without text have an empty row and are left out.
#[must_use]
pub fn fit_page_type<'a>(pages: impl Iterator<Item = (&'a [f32], PageType)>, seed: u64) -> PageTypeModel {
    let width = PageTypeModel::width();
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for (row, page_type) in pages.filter(|(row, _)| row.len() == width) {
        rows.extend_from_slice(row);
        labels.push(PageType::ALL.iter().position(|other| *other == page_type).unwrap_or(0) as f32);
    }
    let limits = TreeLimits { leaves: 8, depth: 4, min_rows: 12, l2: 2.0, ..TreeLimits::default() };
    let loss = Loss::Softmax { classes: PageType::ALL.len() };
    let options = BoostOptions { loss, rounds: 60, rate: 0.1, limits, rows: 0.8, features: 0.5, seed };
    let weights = vec![1.0; labels.len()];
    let trees = fit_boosted(&Bins::new(&rows, width, 63), &labels, &weights, options);
    PageTypeModel { trees, card: String::new() }
}

fn card(training: &FusionTraining, pages: usize) -> String {
    let provenance = Provenance {
        command: PageTypeModel::KIND,
        inputs: &training.pages.inputs,
        source: training.source.as_deref(),
        measured: "docs/fusion.md",
    };
    let mut card = format!(
        "Page types: classifies a page as article, collection, documentation, forum, listing, product or service, by what the fusion \
         model sees of it.\n\
         Trained on {pages} pages with page types and reference texts, read from {}; each page was described by a fusion model \
         fitted on other sites; seed {}.\n\
         It holds thresholds and weights of features: no text of any page.\n",
        provenance.input_names(),
        training.seed
    );
    provenance.append(&mut card);
    card
}
