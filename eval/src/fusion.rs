//! The default extractor on pages it has not seen: wcxb-dev in folds by domain.

use crate::Stop;
use crate::corpus::{Data, read_records};
use dehusk::dom::Parser;
use dehusk::fusion::{Focus, FusionPage, fuse};
use dehusk::output::{RenderOptions, render_text};
use dehusk_train::fusion::{Example, KnownPage, examples_of, fit_fusion, measure_words, measures};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

const FOLDS: usize = 5;

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

/// Fits a model for each fold and writes what it keeps of the pages of that fold, and the model of all pages.
pub(crate) fn run(data: &Data, predictions: &Path, model: Option<&Path>, folds: usize) -> Result<(), Stop> {
    let start = Instant::now();
    let progress = |what: &str| eprintln!("{:6.0} s  {what}", start.elapsed().as_secs_f64());
    let pages = known_pages(data)?;
    let examples: Vec<Example> = examples_of(&pages);
    progress(&format!(
        "{} pages, {} blocks",
        examples.len(),
        examples.iter().map(|page| page.page.len()).sum::<usize>()
    ));
    if let Some(path) = model {
        let all: Vec<&Example> = examples.iter().collect();
        let fitted = fit_fusion(&all, 0, &progress);
        let card = format!(
            "Fusion: tells the content of a page from all else by that page alone.\nTrained on the {} pages of wcxb-dev (CC-BY-4.0, Murrough \
             Foley), whose content is known as text; seed 0. It holds cuts and weights of features and no text of any page.\n\
             How well it does on pages of other domains: docs/fusion.md.\n",
            all.len()
        );
        fs::write(path, fitted.write(&card).to_bytes())?;
    }
    if folds == 0 {
        return Ok(());
    }
    let mut sites: Vec<String> = examples.iter().map(|example| example.site.clone()).collect();
    sites.sort();
    sites.dedup();
    let fold = dehusk_train::fold_of_sites(&sites, FOLDS, 1);
    let fold_of = |example: &Example| fold[sites.binary_search(&example.site).unwrap_or(0)];
    let mut out = std::io::BufWriter::new(fs::File::create(predictions)?);
    let mut by_kind: BTreeMap<String, Vec<[f64; 3]>> = BTreeMap::new();
    for left_out in 0..folds {
        let used: Vec<&Example> = examples.iter().filter(|example| fold_of(example) != left_out).collect();
        let fitted = fit_fusion(&used, 0, &progress);
        for example in examples.iter().filter(|example| fold_of(example) == left_out) {
            let Some(known) = pages.iter().find(|page| page.id == example.id) else { continue };
            let Ok(document) = Parser::default().parse(&known.html) else { continue };
            let mut page = FusionPage::default();
            page.prepare(&document, &fitted.odds);
            let scores = fitted.score(&mut page);
            let detection = fuse(&document, &page, &scores, Focus::BALANCED);
            let text = render_text(&document, &detection, RenderOptions::default());
            let measured = measure_text(&text, &known.content);
            by_kind.entry(known.kind.clone()).or_default().push(measured);
            by_kind.entry("all".into()).or_default().push(measured);
            let line = serde_json::json!({"id": example.id, "text": text, "f1": measured[0], "confidence": scores.confidence, "cut": scores.cut});
            writeln!(out, "{line}")?;
        }
        let all = mean(&by_kind["all"]);
        progress(&format!("fold {left_out}: F so far {:.4} precision {:.4} recall {:.4}", all[0], all[1], all[2]));
    }
    for (kind, values) in &by_kind {
        let mean = mean(values);
        println!(
            "{kind:15} {:5} pages  F {:.4}  precision {:.4}  recall {:.4}",
            values.len(),
            mean[0],
            mean[1],
            mean[2]
        );
    }
    Ok(())
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
