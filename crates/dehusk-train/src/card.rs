//! Model cards: what a model was trained on and how well it does on sites it has not seen, in words.

use crate::block::{BlockTable, BlockTraining};
use crate::evaluate::Curve;
use std::fmt::Write as _;

/// The card of a block model.
pub(crate) fn block_card(training: &BlockTraining, table: &BlockTable, all: &Curve, topmost: &Curve) -> String {
    let labels = table.data.labels();
    let templates = labels.iter().filter(|label| **label > 0.5).count();
    let mut card = String::from("Block detector: tells template blocks from content blocks on pages of any site.\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        card,
        "Trained on {} pages of {} sites: {} template and {} content blocks, labelled by what the pages of a site share \
         (threshold {}), {} of them used for fitting. No person labelled anything.",
        table.pages,
        table.sites.len(),
        templates,
        labels.len() - templates,
        training.labels.threshold,
        table.training_rows(None).len(),
    );
    let _ = writeln!(
        card,
        "Words: {} of texts and {} of class names, as hashes with their odds; words of fewer than three sites are not in it.",
        table.odds.text.len(),
        table.odds.names.len()
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
    card + "Labels are automatic: content that repeats counts as template, and a template part of one page only as content.\n"
}
