//! The default extractor on pages it has not seen: wcxb-dev in folds by domain.

use crate::Stop;
use crate::corpus::Data;
use crate::fusion_folds::Folds;
use crate::report::{Results, table};
use clap::Args;
use dehusk::Focus;
use dehusk::dom::Parser;
use dehusk::methods::fusion::{FusionPage, apply_scores};
use dehusk::output::{RenderOptions, render_text};
use dehusk_train::{FUSION_FOLDS, ReferenceInputs, ReferencePage, measure_words, measures};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// File for the extracted texts
    #[arg(long, default_value = "fusion-folds.jsonl")]
    predictions: PathBuf,
    /// Folder for the models of the folds, each fitted without a fifth of wcxb-dev
    #[arg(long, default_value = "target/fusion-folds")]
    folds: PathBuf,
    /// Use the models in that folder if their schema is current
    #[arg(long)]
    reuse: bool,
}

pub(crate) fn reference_pages(data: &Data) -> Result<Vec<ReferencePage>, Stop> {
    let inputs = ReferenceInputs::new(vec![data.find("wcxb-dev.jsonl.zst")?]);
    inputs.pages(|fault| eprintln!("{fault}")).map_err(|error| Stop::Broken(error.to_string()))
}

/// Fits a model for each fold, writes the texts it extracts from the pages of that fold, and measures them.
pub(crate) fn run(data: &Data, results: &Results, arguments: &Arguments) -> Result<(), Stop> {
    let read = if arguments.reuse { Folds::of } else { Folds::fit };
    let folds = read(data, &arguments.folds)?;
    let mut out = std::io::BufWriter::new(fs::File::create(&arguments.predictions)?);
    let mut by_kind: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    for (number, known) in folds.pages.iter().enumerate() {
        let Ok(document) = Parser::default().parse(&known.html) else { continue };
        let model = folds.model(number);
        let mut page = FusionPage::default();
        page.prepare(&document, &model.odds);
        let scores = model.score(&mut page);
        let text =
            render_text(&document, &apply_scores(&document, &page, &scores, Focus::BALANCED), RenderOptions::default());
        let measured = measure_text(&text, &known.content);
        by_kind.entry(&known.page_type).or_default().push(measured);
        by_kind.entry("all").or_default().push(measured);
        let line = serde_json::json!({"id": known.id, "text": text, "f1": measured[0], "confidence": scores.confidence, "cut": scores.threshold});
        writeln!(out, "{line}")?;
    }
    let rows: Vec<Vec<String>> = by_kind
        .iter()
        .map(|(kind, values)| {
            let figures = mean(values).into_iter().map(|value| format!("{value:.4}"));
            [kind.to_string(), values.len().to_string()].into_iter().chain(figures).collect()
        })
        .collect();
    let body = format!(
        "{}\nWords as in the README of the corpus, mean over pages. {FUSION_FOLDS} folds by domain: each page is classified by a model of which no part \
         has seen its domain. Text as `dehusk extract` renders it, without the fallback to hidden content.\n",
        table(&["pages", "count", "F", "precision", "recall"], &rows)
    );
    results.publish("fusion", "The default extractor on unseen pages", "wcxb-dev", &body)
}

/// F measure, precision and recall of a text against the wanted one.
pub(crate) fn measure_text(text: &str, wanted: &str) -> [f64; 3] {
    let (found, wanted) = (measure_words(text), measure_words(wanted));
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    wanted.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let mut right = 0;
    for word in &found {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            right += 1;
        }
    }
    measures(right, found.len(), wanted.len())
}

fn mean(values: &[[f64; 3]]) -> [f64; 3] {
    let sum = |at: usize| values.iter().map(|value| value[at]).sum::<f64>() / values.len().max(1) as f64;
    [sum(0), sum(1), sum(2)]
}
