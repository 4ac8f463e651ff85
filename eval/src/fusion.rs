//! The default extractor on unseen pages: wcxb-dev in folds by domain. Also fits the shipped model on all pages.

use crate::Stop;
use crate::corpus::{Data, read_records};
use crate::fusion_folds::{FOLDS, Folds};
use crate::report::{Results, table};
use clap::Args;
use dehusk::dom::Parser;
use dehusk::Focus;
use dehusk::methods::fusion::{FusionPage, fuse};
use dehusk::output::{RenderOptions, render_text};
use dehusk_train::fusion::{Example, KnownPage, examples_of, fit_fusion, measure_words, measures};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

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
    /// Fit a model on all pages, write it to this file and stop
    #[arg(long)]
    model: Option<PathBuf>,
}

pub(crate) fn known_pages(data: &Data) -> Result<Vec<KnownPage>, Stop> {
    let mut pages = Vec::new();
    read_records(&data.find("wcxb-dev.jsonl.zst")?, |record| {
        let text = |name: &str| record[name].as_str().unwrap_or_default().to_string();
        pages.push(KnownPage {
            id: text("id"),
            url: text("url"),
            kind: text("page_type"),
            html: text("html"),
            content: text("main_content"),
        });
    })?;
    Ok(pages)
}

/// Prints progress with the elapsed time.
pub(crate) fn progress() -> impl Fn(&str) + Sync {
    let start = Instant::now();
    move |what: &str| eprintln!("{:6.0} s  {what}", start.elapsed().as_secs_f64())
}

/// Fits a model for each fold, writes the texts it extracts from the pages of that fold, and measures them.
pub(crate) fn run(data: &Data, results: &Results, arguments: &Arguments) -> Result<(), Stop> {
    if let Some(path) = &arguments.model {
        return fit_all(data, path);
    }
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
        let text = render_text(&document, &fuse(&document, &page, &scores, Focus::BALANCED), RenderOptions::default());
        let measured = measure_text(&text, &known.content);
        by_kind.entry(&known.kind).or_default().push(measured);
        by_kind.entry("all").or_default().push(measured);
        let line = serde_json::json!({"id": known.id, "text": text, "f1": measured[0], "confidence": scores.confidence, "cut": scores.cut});
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
        "{}\nWords as defined in the README of the corpus, mean over pages. {FOLDS} folds by domain: each page is classified by a model \
         fitted without its domain. Text as `dehusk extract` renders it, without the fallback to hidden content.\n",
        table(&["pages", "count", "F1", "precision", "recall"], &rows)
    );
    results.publish("fusion", "The default extractor on unseen pages", "wcxb-dev", &body)
}

/// The shipped model.
fn fit_all(data: &Data, path: &Path) -> Result<(), Stop> {
    let pages = known_pages(data)?;
    let examples = examples_of(&pages);
    let fitted = fit_fusion(&examples.iter().collect::<Vec<&Example>>(), 0, &progress());
    let card = format!(
        "Fusion: tells the content of a page from all else by that page alone.\nTrained on the {} pages of wcxb-dev (CC-BY-4.0, Murrough \
         Foley), whose content is known as text; seed 0. It holds cuts and weights of features, and odds of hashed words: no text of any page.\n\
         How well it does on pages of other domains: docs/fusion.md.\n",
        pages.len()
    );
    fs::write(path, fitted.write(&card).to_bytes())?;
    Ok(())
}

/// F1, precision and recall of a text against the reference.
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
