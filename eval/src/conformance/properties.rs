//! Properties of every page of every corpus: no panic, no limit exceeded, kept text is text of the page in page order,
//! nothing is repeated, and a higher focus keeps more. Also reports the slowest page and the memory used.

use crate::Stop;
use crate::shared::corpus::{Data, read_pages};
use crate::shared::kept;
use crate::shared::machine::peak_memory;
use crate::shared::report::{Results, table};
use dehusk::Focus;
use dehusk::detect::fusion::{FusionModel, FusionPage, apply_scores, detect_fusion};
use dehusk::settle::settle;
use dehusk::site::{SiteLevelLearner, SiteLevelSettings, page_evidence};
use dehusk::{Detection, Extractor, Options, Scratch, SiteTemplates};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

const FOCUSES: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Training pages of a site; and every n-th page of the site is also tested with the template.
const LEARNED: usize = 24;
const FUSED: usize = 4;

#[derive(Default)]
struct Count {
    pages: usize,
    bytes: usize,
    fused: usize,
    refused: usize,
    cut: usize,
    empty: usize,
    slowest: (f64, String, usize),
    broken: Vec<String>,
}

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let mut corpora = vec![("wcxb-dev", vec![data.find("wcxb-dev.jsonl.zst")?])];
    for folder in ["sites", "segments", "dup"] {
        corpora.push((folder, data.list(folder, ".jsonl.zst")?));
    }
    let mut rows = Vec::new();
    let mut broken = Vec::new();
    let extractor = Extractor::new(Options::new()).map_err(|error| Stop::Broken(error.to_string()))?;
    let before = peak_memory().unwrap_or(0);
    let mut scratch = Scratch::default();
    // Panics are counted, not printed.
    std::panic::set_hook(Box::new(|_| {}));
    for (name, files) in corpora {
        let mut count = Count::default();
        for file in files {
            let mut pages = Vec::new();
            read_pages(&file, |address, html| pages.push((address.to_string(), html)))?;
            let template = (name == "sites" || name == "dup").then(|| learn(&extractor, &pages, &mut scratch));
            for (number, (address, html)) in pages.iter().enumerate() {
                let template = template.as_ref().filter(|_| number.is_multiple_of(FUSED));
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    check(&extractor, html, template, address, &mut scratch, &mut count)
                }));
                count.pages += 1;
                count.bytes += html.len();
                match outcome {
                    Ok(Ok(())) => {}
                    Ok(Err(message)) => count.broken.push(format!("{address}: {message}")),
                    Err(_) => {
                        scratch = Scratch::default();
                        count.broken.push(format!("{address}: panic"));
                    }
                }
            }
        }
        rows.push(row(name, &count));
        broken.extend(count.broken);
    }
    let _ = std::panic::take_hook();
    let head = [
        "corpus",
        "pages",
        "MB",
        "also with a template",
        "refused",
        "limit hit",
        "no content",
        "broken",
        "slowest, ms",
        "its KB",
        "slowest page",
    ];
    let mut body = table(&head, &rows);
    body += &format!(
        "\nEach page is tested at the focuses {FOCUSES:?}: kept words are words of the page in page order, none used twice; a higher \
         focus keeps every node that a lower one keeps. Every fourth page of `sites` and `dup` is also tested with the template of its \
         site. Slowest: parsing, classifying and rendering as text, once. The process, which holds the pages of one file at a time, \
         used {} MB more at its peak than at the start.\n",
        peak_memory().unwrap_or(0).saturating_sub(before) >> 20
    );
    for line in broken.iter().take(40) {
        body += &format!("- {line}\n");
    }
    results.publish("properties", "Properties on every page", "wcxb-dev, sites, segments, dup", &body)?;
    match broken.len() {
        0 => Ok(()),
        count => Err(Stop::Failed(format!("{count} pages break a property"))),
    }
}

fn learn(extractor: &Extractor, pages: &[(String, String)], scratch: &mut Scratch) -> SiteTemplates {
    let mut learner = SiteLevelLearner::new();
    for (_, html) in pages.iter().take(LEARNED) {
        if let Ok(page) = extractor.parse(html, scratch) {
            learner.observe(&page_evidence(&page));
        }
    }
    learner.finish().into()
}

fn settled(document: &dehusk::dom::Document, mut detection: Detection) -> Detection {
    settle(document, &mut detection);
    detection
}

fn check(
    extractor: &Extractor,
    html: &str,
    template: Option<&SiteTemplates>,
    address: &str,
    scratch: &mut Scratch,
    count: &mut Count,
) -> Result<(), String> {
    let start = Instant::now();
    let extraction = match extractor.extract(html, scratch) {
        Ok(extraction) => extraction,
        Err(_) => {
            count.refused += 1;
            return Ok(());
        }
    };
    let text = extraction.text();
    let spent = start.elapsed().as_secs_f64() * 1e3;
    if spent > count.slowest.0 {
        count.slowest = (spent, address.to_string(), html.len() >> 10);
    }
    let document = extraction.document();
    count.cut += usize::from(!document.limits_hit().is_empty());
    count.empty += usize::from(text.trim().is_empty());
    let focuses = || FOCUSES.iter().filter_map(|focus| Focus::new(*focus).ok());
    let mut room = FusionPage::default();
    let model = FusionModel::builtin();
    room.prepare(document, &model.odds);
    let scores = model.score(&mut room);
    let alone: Vec<Detection> =
        focuses().map(|focus| settled(document, apply_scores(document, &room, &scores, focus))).collect();
    kept::check(document, &alone)?;
    kept::check(document, std::slice::from_ref(extraction.detection()))?;
    if let Some(template) = template {
        count.fused += 1;
        let site = template.detect(&extraction.page(), None, SiteLevelSettings::default());
        let fused: Vec<Detection> = focuses()
            .map(|focus| settled(document, detect_fusion(document, model, Some(&site), focus, &mut room)))
            .collect();
        kept::check(document, &fused).map_err(|message| format!("with its template: {message}"))?;
    }
    Ok(())
}

fn row(name: &str, count: &Count) -> Vec<String> {
    vec![
        name.to_string(),
        count.pages.to_string(),
        format!("{:.0}", count.bytes as f64 / 1e6),
        count.fused.to_string(),
        count.refused.to_string(),
        count.cut.to_string(),
        count.empty.to_string(),
        count.broken.len().to_string(),
        format!("{:.0}", count.slowest.0),
        count.slowest.2.to_string(),
        count.slowest.1.chars().take(80).collect(),
    ]
}
