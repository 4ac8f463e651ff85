//! The default extractor on pages it has not seen: pages with reference texts in folds by site.

pub(crate) mod calibration;
pub(crate) mod folds;

use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::report::{Results, table};
use dehusk::detect::fusion::{FusionPage, FusionSettings, detect_fusion};
use dehusk::dom::Parser;
use dehusk::render::{RenderOptions, render_text};
use dehusk::settle::settle;
use dehusk::{Comments, Focus};
pub(crate) use dehusk_train::measure_text;
use dehusk_train::{FUSION_FOLDS, NameChange, change_names, measure_words};
use folds::{Folds, RECORDS};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

/// A page as extracted by the model that has not seen its site.
struct Extracted {
    text: String,
    confidence: f32,
}

/// Extracts the text of a page. `change` changes its source first.
fn extract(folds: &Folds, number: usize, settings: FusionSettings, change: Option<NameChange>) -> Option<Extracted> {
    let known = &folds.pages[number];
    let changed = change.map(|change| change_names(&known.html, change, number as u64));
    let document = Parser::default().parse(changed.as_ref().unwrap_or(&known.html)).ok()?;
    let mut detection = detect_fusion(&document, folds.model(number), None, settings, &mut FusionPage::default());
    settle(&document, &mut detection);
    let text = render_text(&document, &detection, RenderOptions::default());
    Some(Extracted { text, confidence: detection.page.map_or(0.0, |page| page.confidence) })
}

/// Measures the pages of a corpus.
fn measure_corpus(folds: &Folds, corpus: &str, settings: FusionSettings, change: Option<NameChange>) -> Vec<[f64; 3]> {
    let one = |number: usize| {
        let found = extract(folds, number, settings, change)?;
        Some(measure_text(&found.text, &folds.pages[number].content).to_array())
    };
    folds.corpus(corpus).into_par_iter().filter_map(one).collect()
}

pub(crate) fn run(data: &Data, results: &Results, models: &Path, predictions: &Path) -> Result<(), Stop> {
    let folds = Folds::of(data, models)?;
    write_predictions(&folds, predictions)?;
    let mut body = String::new();
    body += &by_corpus(&folds);
    body += &by_type(&folds);
    body += &with_other_names(&folds);
    body += &by_focus(&folds);
    body += &with_comments(&folds);
    body += &record_values(data, &folds)?;
    body += &format!(
        "\nWords, mean over pages. {FUSION_FOLDS} folds by site (pages without address: by page): each page is classified by a model of \
         which no part has seen its site. Text as `dehusk extract` renders it, without the fallback to content outside the visible text.\n"
    );
    results.publish("fusion", "The default extractor on unseen pages", "wcxb-dev and articles", &body)
}

fn write_predictions(folds: &Folds, path: &Path) -> Result<(), Stop> {
    let mut out = std::io::BufWriter::new(fs::File::create(path)?);
    for number in folds.corpus("wcxb-dev") {
        let Some(found) = extract(folds, number, FusionSettings::default(), None) else { continue };
        let known = &folds.pages[number];
        let f1 = measure_text(&found.text, &known.content).f1;
        let line = serde_json::json!({"id": known.id, "text": found.text, "f1": f1, "confidence": found.confidence});
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn row(name: &str, values: &[[f64; 3]]) -> Vec<String> {
    let figures = mean(values).into_iter().map(|value| format!("{value:.4}"));
    [name.to_string(), values.len().to_string()].into_iter().chain(figures).collect()
}

fn by_corpus(folds: &Folds) -> String {
    let rows: Vec<Vec<String>> =
        folds.corpora().map(|name| row(name, &measure_corpus(folds, name, FusionSettings::default(), None))).collect();
    format!("{}\n", table(&["corpus", "pages", "F1", "precision", "recall"], &rows))
}

fn by_type(folds: &Folds) -> String {
    let mut by_type: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    for number in folds.corpus("wcxb-dev") {
        let Some(found) = extract(folds, number, FusionSettings::default(), None) else { continue };
        let known = &folds.pages[number];
        by_type.entry(&known.page_type).or_default().push(measure_text(&found.text, &known.content).to_array());
    }
    let rows: Vec<Vec<String>> = by_type.iter().map(|(name, values)| row(name, values)).collect();
    format!("## wcxb-dev by page type\n\n{}\n", table(&["type", "pages", "F1", "precision", "recall"], &rows))
}

/// Pages whose names say less than those of the training pages.
fn with_other_names(folds: &Folds) -> String {
    let changes = [
        ("as they are", None),
        ("classes and ids removed", Some(NameChange::Removed)),
        ("classes and ids renamed at random", Some(NameChange::Renamed)),
        ("landmarks turned into div", Some(NameChange::NoLandmarks)),
    ];
    let rows: Vec<Vec<String>> = changes
        .iter()
        .map(|(name, change)| row(name, &measure_corpus(folds, "wcxb-dev", FusionSettings::default(), *change)))
        .collect();
    format!("## wcxb-dev with other names\n\n{}\n", table(&["pages", "count", "F1", "precision", "recall"], &rows))
}

/// What the focus does, from precision to recall.
fn by_focus(folds: &Folds) -> String {
    let mut rows = Vec::new();
    for step in 0..=20 {
        // Steps of 0.1, and the two presets between them.
        if step % 2 == 1 && step != 5 && step != 15 {
            continue;
        }
        let Ok(focus) = Focus::new(step as f32 / 20.0) else { continue };
        let mut cells = vec![format!("{:.2}", step as f32 / 20.0)];
        for corpora in [&["wcxb-dev"][..], &["cleaneval", "dragnet", "l3s-gn1"]] {
            let values: Vec<[f64; 3]> =
                corpora.iter().flat_map(|name| measure_corpus(folds, name, focus.into(), None)).collect();
            let [f1, precision, recall] = mean(&values);
            let empty = values.iter().filter(|value| value[1] == 0.0 && value[2] == 0.0).count();
            cells.extend([precision, recall, f1].map(|value| format!("{value:.3}")));
            cells.push(empty.to_string());
        }
        rows.push(cells);
    }
    let heads = ["focus", "P wcxb-dev", "R", "F1", "nothing right", "P articles", "R", "F1", "nothing right"];
    format!("## Focus\n\n0.25 is `precision`, 0.5 `balanced`, 0.75 `recall`.\n\n{}\n", table(&heads, &rows))
}

/// The pages of dragnet whose comments are marked: text alone, text and comments, comments alone.
fn with_comments(folds: &Folds) -> String {
    let mut rows = Vec::new();
    let options =
        [("auto", Comments::Auto), ("drop", Comments::Drop), ("keep", Comments::Keep), ("only", Comments::Only)];
    for (name, comments) in options {
        let settings = FusionSettings { comments, ..FusionSettings::default() };
        let one = |number: usize| {
            let known = &folds.pages[number];
            let readers = known.comments.as_deref().filter(|comments| !comments.trim().is_empty())?;
            let found = extract(folds, number, settings, None)?.text;
            let both = format!("{}\n{readers}", known.content);
            Some([&known.content, &both, readers].map(|wanted| measure_text(&found, wanted).f1))
        };
        let values: Vec<[f64; 3]> = folds.corpus("dragnet").into_par_iter().filter_map(one).collect();
        let figures = mean(&values).into_iter().map(|value| format!("{value:.4}"));
        rows.push([name.to_string(), values.len().to_string()].into_iter().chain(figures).collect());
    }
    let heads = ["--comments", "pages with comments", "F1, text wanted", "text and comments wanted", "comments wanted"];
    format!("## Comments of readers\n\n{}\n", table(&heads, &rows))
}

/// The marked values of SWDE in the texts of the pages of records, and how many words are kept.
fn record_values(data: &Data, folds: &Folds) -> Result<String, Stop> {
    let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in fs::read_to_string(data.find("sites/swde-truth.jsonl")?)?.lines() {
        let page: serde_json::Value = serde_json::from_str(line).map_err(|error| Stop::Broken(error.to_string()))?;
        let values = page["attrs"].as_object().into_iter().flatten().flat_map(|(_, values)| values.as_array());
        let values = values.flatten().filter_map(|value| Some(folded(value.as_str()?)));
        wanted.insert(page["url"].as_str().unwrap_or_default().to_string(), values.collect());
    }
    let one = |number: usize| {
        let values = wanted.get(&folds.pages[number].url)?;
        let text = extract(folds, number, FusionSettings::default(), None)?.text;
        let text = format!(" {} ", folded(&text));
        let kept = values.iter().filter(|value| text.contains(&format!(" {value} "))).count();
        Some([kept, values.len(), text.split_whitespace().count()])
    };
    let pages: Vec<[usize; 3]> = folds.corpus(RECORDS).into_par_iter().filter_map(one).collect();
    let [kept, all, words] = [0, 1, 2].map(|at| pages.iter().map(|page| page[at]).sum::<usize>());
    let row = [
        pages.len().to_string(),
        all.to_string(),
        format!("{:.1} %", 100.0 * kept as f64 / all.max(1) as f64),
        words.to_string(),
    ];
    let heads = ["pages", "values", "kept", "words kept"];
    Ok(format!("## Marked values on pages of records (SWDE)\n\n{}\n", table(&heads, &[row.to_vec()])))
}

/// A text in lower case with single spaces instead of punctuation.
fn folded(text: &str) -> String {
    measure_words(text).join(" ")
}

fn mean(values: &[[f64; 3]]) -> [f64; 3] {
    let sum = |at: usize| values.iter().map(|value| value[at]).sum::<f64>() / values.len().max(1) as f64;
    [sum(0), sum(1), sum(2)]
}
