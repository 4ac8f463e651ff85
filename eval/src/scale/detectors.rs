//! The time of each detector compared with parsing, on the pages of wcxb-dev.

use crate::Stop;
use crate::shared::corpus::{Data, read_pages};
use crate::shared::report::{Results, table};
use dehusk::Detection;
use dehusk::Focus;
use dehusk::ParsedPage;
use dehusk::detect::fusion::{FusionModel, FusionPage, detect_fusion};
use dehusk::dom::{Document, Fingerprints, Parser, Stats};
use dehusk::settle::settle;
use dehusk::site::{SiteLevelLearner, SiteLevelSettings, detect_site_level, page_evidence};
use dehusk_papers::align;
use dehusk_papers::align::{AlignLearner, detect_align};
use dehusk_papers::block::{BlockModel, BlockSettings, detect_block};
use dehusk_papers::layout::estimate;
use dehusk_papers::pagelevel::{PageLevelModel, PageLevelSettings, detect_page_level, score_page};
use dehusk_papers::treemap::{TreeMapLearner, TreeMapSettings, detect_tree_map};
use std::hint::black_box;
use std::time::Instant;

/// Every n-th page is used: learning from the whole corpus takes long.
const STEP: usize = 4;
const ROUNDS: usize = 3;

/// A measured detector: its name and the time of its fastest round.
struct Timed {
    name: &'static str,
    needs: &'static str,
    seconds: f64,
}

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let mut pages = Vec::new();
    let mut number = 0;
    read_pages(&data.find("wcxb-dev.jsonl.zst")?, |_, html| {
        if number % STEP == 0 {
            pages.push(html);
        }
        number += 1;
    })?;
    let bytes: usize = pages.iter().map(String::len).sum();
    let mut timed: Vec<Timed> = Vec::new();
    for round in 0..ROUNDS {
        let times = measure(&pages)?;
        match round {
            0 => timed = times,
            _ => timed.iter_mut().zip(times).for_each(|(best, time)| best.seconds = best.seconds.min(time.seconds)),
        }
    }
    let parse = timed[0].seconds;
    let row = |time: &Timed| {
        vec![
            time.name.to_string(),
            time.needs.to_string(),
            format!("{:.1}", time.seconds * 1e6 / pages.len() as f64),
            format!("{:.2}", time.seconds / parse),
            format!("{:.0}", bytes as f64 / 1e6 / (parse + if time.name == "parse" { 0.0 } else { time.seconds })),
        ]
    };
    let rows: Vec<Vec<String>> = timed.iter().map(row).collect();
    let head = ["stage", "includes", "µs per page", "× parsing", "MB/s including parsing"];
    let mut body = table(&head, &rows);
    body += &format!(
        "\n{} pages, {:.0} MB, one thread, fastest of {ROUNDS} rounds. The time of a detector includes everything it needs beyond the \
         parsed document (column `includes`), up to a decision for each node. Templates of site-level detectors come from the page \
         itself and the previous page of the corpus, which is from another site; learning is not included.\n",
        pages.len(),
        bytes as f64 / 1e6
    );
    results.publish("detectors", "Detectors compared with parsing", "wcxb-dev", &body)
}

fn measure(pages: &[String]) -> Result<Vec<Timed>, Stop> {
    let broken = |error: dehusk::Error| Stop::Broken(error.to_string());
    let model = BlockModel::builtin();
    let page_model = PageLevelModel::builtin();
    let mut fusion = FusionPage::default();
    let mut parser = Parser::default();
    let mut times = [
        Timed { name: "parse", needs: "", seconds: 0.0 },
        Timed { name: "sitelevel", needs: "counts, fingerprints", seconds: 0.0 },
        Timed { name: "treemap", needs: "counts", seconds: 0.0 },
        Timed { name: "align", needs: "counts", seconds: 0.0 },
        Timed { name: "block", needs: "counts, fingerprints, words, features", seconds: 0.0 },
        Timed { name: "pagelevel", needs: "counts, estimated layout, features", seconds: 0.0 },
        Timed { name: "fusion", needs: "counts, blocks, features", seconds: 0.0 },
    ];
    let mut before: Option<Document> = None;
    let mut clock = |number: usize, work: &mut dyn FnMut() -> Result<Detection, dehusk::Error>| {
        let start = Instant::now();
        let result = black_box(work());
        times[number].seconds += start.elapsed().as_secs_f64();
        result.map_err(broken)
    };
    for page in pages {
        let mut parsed = None;
        clock(0, &mut || {
            parsed = Some(parser.parse(page.as_str())?);
            Ok(Detection::default())
        })?;
        let Some(document) = parsed else { continue };
        let other = before.as_ref().unwrap_or(&document);
        let template = {
            let mut learner = SiteLevelLearner::new();
            for document in [&document, other] {
                let (stats, fingerprints) = (Stats::of(document), Fingerprints::of(document));
                learner.observe(&page_evidence(&ParsedPage::new(document, &stats, &fingerprints)));
            }
            learner.finish()
        };
        clock(1, &mut || {
            let (stats, fingerprints) = cheap(&document);
            Ok(detect_site_level(&document, &stats, &fingerprints, &template, SiteLevelSettings::default()))
        })?;
        let mut learner = TreeMapLearner::new(TreeMapSettings::default());
        learner.observe("0", &document);
        learner.observe("1", other);
        let templates = learner.finish(0);
        clock(2, &mut || Ok(detect_tree_map(&document, &Stats::of(&document), &templates)))?;
        let mut learner = AlignLearner::new(align::AlignSettings::sections()).map_err(broken)?;
        learner.observe(&document, "0");
        learner.observe(other, "1");
        let template = learner.finish(0);
        clock(3, &mut || Ok(detect_align(&document, &Stats::of(&document), &template)))?;
        clock(4, &mut || {
            let (stats, fingerprints) = cheap(&document);
            detect_block(&document, &stats, &fingerprints, model, BlockSettings::default())
        })?;
        clock(5, &mut || {
            let (stats, layout) = (Stats::of(&document), estimate(&document));
            let scores = score_page(&document, &layout, page_model, PageLevelSettings::default());
            Ok(detect_page_level(&document, &stats, &scores, page_model, PageLevelSettings::default()))
        })?;
        clock(6, &mut || {
            let mut detection = detect_fusion(&document, FusionModel::builtin(), None, Focus::BALANCED, &mut fusion);
            settle(&document, &mut detection);
            Ok(detection)
        })?;
        before = Some(document);
    }
    Ok(times.into())
}

/// Counts and the fingerprints that most detectors use.
fn cheap(document: &Document) -> (Stats, Fingerprints) {
    let mut fingerprints = Fingerprints::default();
    fingerprints.compute(document);
    (Stats::of(document), fingerprints)
}
