//! Calibration of fusion's confidence, and accuracy of its page types: wcxb-dev, models fitted without the page's domain.

use super::folds::Folds;
use super::measure_text;
use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::report::{Results, table};
use dehusk::detect::fusion::{FusionPage, PageTypeModel, apply_scores};
use dehusk::dom::Parser;
use dehusk::render::{RenderOptions, render_text};
use dehusk::settle::settle;
use dehusk::{Focus, PageType};
use dehusk_train::{Example, FUSION_FOLDS, fit_page_type, measure_words};
use rayon::prelude::*;
use std::path::Path;

/// A page classified by a model fitted without its domain.
struct ClassifiedPage {
    fold: usize,
    confidence: f64,
    f: f64,
    words: usize,
    empty: bool,
    no_content: bool,
    row: Vec<f32>,
    kind: Option<PageType>,
    /// The probability of each block, its label, its number of words.
    blocks: Vec<(f32, f32, u32)>,
}

pub(crate) fn run(data: &Data, results: &Results, models: &Path) -> Result<(), Stop> {
    let folds = Folds::of(data, models)?;
    let classified: Vec<ClassifiedPage> =
        folds.corpus("wcxb-dev").into_par_iter().filter_map(|number| classify(&folds, number)).collect();
    let mut body = confidence(&classified);
    body += &blocks(&classified);
    body += &no_content(&classified);
    body += &kinds(&classified);
    results.publish("fusion-calibration", "Confidence and page types of fusion", "wcxb-dev", &body)
}

fn classify(folds: &Folds, number: usize) -> Option<ClassifiedPage> {
    let known = &folds.pages[number];
    let example = Example::of(known)?;
    let document = Parser::default().parse(&known.html).ok()?;
    let mut page = FusionPage::default();
    let model = folds.model(number);
    page.prepare(&document, &model.odds);
    let scores = model.score(&mut page);
    let mut settled = apply_scores(&document, &page, &scores, Focus::BALANCED);
    settle(&document, &mut settled);
    let text = render_text(&document, &settled, RenderOptions::default());
    // A duplicate of another block has no probability of its own.
    let classified = (0..page.len()).filter(|block| !scores.copies.iter().any(|(copy, _)| *copy as usize == *block));
    let blocks = classified.map(|block| (scores.blocks[block], example.label(block), page.words(block))).collect();
    Some(ClassifiedPage {
        fold: folds.fold(number),
        confidence: f64::from(scores.confidence),
        f: measure_text(&text, &known.content).f1,
        words: measure_words(&text).len(),
        empty: measure_words(&known.content).is_empty(),
        no_content: model.verdict(&page, &scores).no_content,
        row: PageTypeModel::row(&page, &scores),
        kind: PageType::from_name(&known.page_type),
        blocks,
    })
}

/// Sums of a bin: weight, predicted value, true value.
type Bin = [f64; 3];

/// Rows of a table by tenths of the predicted value, and the mean difference between predicted and true values.
fn reliability(told: impl Iterator<Item = (f64, f64, f64)>) -> (Vec<Vec<String>>, f64) {
    let mut bins: [Bin; 10] = Default::default();
    for (said, so, weight) in told {
        let bin = &mut bins[((said * 10.0) as usize).min(9)];
        bin.iter_mut().zip([weight, said * weight, so * weight]).for_each(|(sum, part)| *sum += part);
    }
    let all: f64 = bins.iter().map(|bin| bin[0]).sum();
    let error = bins.iter().map(|bin| (bin[1] - bin[2]).abs()).sum::<f64>() / all.max(1.0);
    let row = |(number, bin): (usize, &Bin)| {
        let mean = |sum: f64| if bin[0] > 0.0 { format!("{:.3}", sum / bin[0]) } else { String::new() };
        let range = format!("{:.1} to {:.1}", number as f64 / 10.0, (number + 1) as f64 / 10.0);
        vec![range, format!("{:.0}", bin[0]), mean(bin[1]), mean(bin[2])]
    };
    (bins.iter().enumerate().map(row).collect(), error)
}

fn confidence(classified: &[ClassifiedPage]) -> String {
    let (rows, error) = reliability(classified.iter().map(|page| (page.confidence, page.f, 1.0)));
    let mean =
        |part: fn(&ClassifiedPage) -> f64| classified.iter().map(part).sum::<f64>() / classified.len().max(1) as f64;
    let (said, so) = (mean(|page| page.confidence), mean(|page| page.f));
    let covariance = classified.iter().map(|page| (page.confidence - said) * (page.f - so)).sum::<f64>();
    let spread = |of: fn(&ClassifiedPage) -> f64, mean: f64| {
        classified.iter().map(|page| (of(page) - mean).powi(2)).sum::<f64>()
    };
    let correlation = covariance / (spread(|page| page.confidence, said) * spread(|page| page.f, so)).sqrt().max(1e-9);
    format!(
        "## Confidence of pages\n\n{}\nConfidence is the estimated F1 of a page's result, compared with the F1 it has. Mean confidence \
         {said:.3}, mean F1 {so:.3}; mean difference over the bins {error:.3}; correlation {correlation:.2}.\n\n",
        table(&["confidence", "pages", "mean confidence", "mean F1"], &rows)
    )
}

fn blocks(classified: &[ClassifiedPage]) -> String {
    let all = classified.iter().flat_map(|page| &page.blocks);
    let told = all.map(|(said, so, words)| (f64::from(*said), f64::from(*so), f64::from(*words)));
    let (rows, error) = reliability(told);
    format!(
        "## Probabilities of blocks\n\n{}\nFor each block, the probability that it is content, compared with the share of its words \
         that are. Blocks are weighted by their words. Mean difference {error:.3}.\n\n",
        table(&["probability", "words", "mean probability", "share of content"], &rows)
    )
}

fn no_content(classified: &[ClassifiedPage]) -> String {
    let mut rows = Vec::new();
    for most_confidence in [0.2, 0.3, 0.4, 0.5] {
        for most_words in [10, 20, 40] {
            let found =
                || classified.iter().filter(|page| page.confidence < most_confidence && page.words < most_words);
            let wrong = || found().filter(|page| !page.empty);
            rows.push(vec![
                most_confidence.to_string(),
                most_words.to_string(),
                found().count().to_string(),
                found().filter(|page| page.empty).count().to_string(),
                wrong().count().to_string(),
                format!("{:.3}", wrong().map(|page| page.f).sum::<f64>() / wrong().count().max(1) as f64),
            ]);
        }
    }
    let empty = classified.iter().filter(|page| page.empty).count();
    let flagged = classified.iter().filter(|page| page.no_content).count();
    let right = classified.iter().filter(|page| page.no_content && page.empty).count();
    format!(
        "## Pages without content\n\n{empty} pages have none. The rule in use flags {flagged}, {right} of them correctly. Other \
         thresholds would flag:\n\n{}\n",
        table(
            &["confidence below", "words below", "pages", "without content", "with content", "F1 lost on these"],
            &rows
        )
    )
}

fn kinds(classified: &[ClassifiedPage]) -> String {
    let mut confusion = [[0usize; 7]; 7];
    let (mut right, mut all) = (0, 0);
    let (mut sure, mut sure_right) = (0, 0);
    for left_out in 0..FUSION_FOLDS {
        let others = classified.iter().filter(|page| page.fold != left_out);
        let model = fit_page_type(others.filter_map(|page| Some((&page.row[..], page.kind?))), 0);
        for page in classified.iter().filter(|page| page.fold == left_out && !page.row.is_empty()) {
            let Some(kind) = page.kind.and_then(|kind| PageType::ALL.iter().position(|other| *other == kind)) else {
                continue;
            };
            let chances = model.probabilities(&page.row);
            let best = (0..chances.len()).max_by(|one, two| chances[*one].total_cmp(&chances[*two])).unwrap_or(0);
            confusion[kind][best] += 1;
            all += 1;
            right += usize::from(kind == best);
            sure += usize::from(chances[best] >= 0.8);
            sure_right += usize::from(chances[best] >= 0.8 && kind == best);
        }
    }
    let names: Vec<&str> = PageType::ALL.iter().map(|kind| kind.name()).collect();
    let mut head = vec!["is"];
    head.extend(&names);
    head.extend(["recall", "precision"]);
    let row = |(kind, counts): (usize, &[usize; 7])| {
        let mut row = vec![names[kind].to_string()];
        row.extend(counts.iter().map(usize::to_string));
        let told: usize = confusion.iter().map(|counts| counts[kind]).sum();
        row.push(format!("{:.2}", counts[kind] as f64 / counts.iter().sum::<usize>().max(1) as f64));
        row.push(format!("{:.2}", counts[kind] as f64 / told.max(1) as f64));
        row
    };
    let rows: Vec<Vec<String>> = confusion.iter().enumerate().map(row).collect();
    format!(
        "## Page types\n\n{}\nRows are true types, columns are predicted types. Right: {:.1} % of {all} pages; of the {sure} pages with \
         a probability of 0.8 or more, {:.1} %.\n",
        table(&head, &rows),
        100.0 * right as f64 / all.max(1) as f64,
        100.0 * sure_right as f64 / sure.max(1) as f64
    )
}
