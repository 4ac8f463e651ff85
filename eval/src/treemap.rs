//! TreeMap on the themes of `dup`, by the number of pages it learns from, on the sites of SWDE, and what learning costs.

use crate::Stop;
use crate::corpus::{Data, read_records};
use crate::report::{Results, table};
use crate::sitelevel::{Page, Words, measure_survival, shuffled, text_of};
use dehusk::dom::Parser;
use dehusk::{Detection, TreeMap, TreeMapLearner, TreeMapTemplates, detect_tree_map};
use serde_json::Value;
use std::path::Path;
use std::time::Instant;

const SAMPLES: [usize; 5] = [2, 5, 10, 24, 100];
/// Pages that are judged, drawn after those that are learned from.
const JUDGED: usize = 200;
const TIMED_PAGES: usize = 24;
const TIMED_NODES: usize = 2_000;
const ROUNDS: usize = 9;

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let mut rows = Vec::new();
    for file in data.list("dup", ".jsonl.zst")? {
        rows.extend(measure_theme(&file)?);
    }
    let mut body = String::from("## Template words of `dup`, by theme and pages learned from\n\n");
    let head = ["theme", "pages", "templates", "judged on", "precision", "recall", "F", "content words lost"];
    body += &table(&head, &rows);
    body += "\nWords outside of the content region are template; words of the title count neither way. Pages are drawn with a \
             fixed seed. `own`: judged on the pages learned from. `other`: judged on 200 pages (as many as there are) that were \
             not learned from.\n\n## Truth values of SWDE that survive\n\n";
    body += &table(
        &[
            "alternatives",
            "values",
            "survive",
            "lost, on ≥ 10 % of the pages",
            "lost otherwise",
            "text kept",
            "worst sites",
        ],
        &measure_swde(data)?,
    );
    body +=
        "\nAlternatives: the share of pages something not all of them have must stand on to go; 2 turns it off.\n\n";
    body += "## Cost of learning\n\n";
    body += &table(&["pages", "nodes of a page", "parse", "learn", "learn / parse", "detect / parse"], &[time()?]);
    body += "\nMade-up pages with a menu, a sidebar and a footer that all of them share and a text of their own. Learning is \
             observing and finishing; the best of 9 rounds each, on one thread.\n";
    results.publish("treemap", "TreeMap", "dup, sites (SWDE), made-up pages", &body)
}

fn measure_theme(file: &Path) -> Result<Vec<Vec<String>>, Stop> {
    let theme = file.file_name().map_or(String::new(), |name| name.to_string_lossy().replace(".jsonl.zst", ""));
    let mut records = Vec::new();
    read_records(file, |record| records.push(record))?;
    let order = shuffled(records.len());
    let mut parser = Parser::default();
    let mut rows = Vec::new();
    for sample in SAMPLES {
        let mut learner = TreeMapLearner::new(TreeMap::default());
        let mut own = Vec::new();
        for number in order.iter().take(sample) {
            let page = Page::read(&mut parser, &text_of(&records[*number], "html"))?;
            learner.observe(&text_of(&records[*number], "url"), &page.document);
            own.push((page, &records[*number]));
        }
        let mut other = Vec::new();
        for number in order.iter().skip(sample).take(JUDGED) {
            other.push((Page::read(&mut parser, &text_of(&records[*number], "html"))?, &records[*number]));
        }
        let templates = learner.finish(0);
        for (name, pages) in [("own", &own), ("other", &other)] {
            let head = [theme.clone(), sample.to_string(), templates.len().to_string(), name.to_string()];
            rows.push(head.into_iter().chain(judge(pages, &templates)).collect());
        }
    }
    Ok(rows)
}

fn judge(pages: &[(Page, &Value)], templates: &TreeMapTemplates) -> Vec<String> {
    let mut sum = Words::default();
    for (page, record) in pages {
        let detection: Detection = detect_tree_map(&page.document, &page.stats, templates);
        sum.add(page, record, &detection);
    }
    let precision = sum.dropped_template as f64 / (sum.dropped_template + sum.dropped_content).max(1) as f64;
    let recall = sum.dropped_template as f64 / sum.template.max(1) as f64;
    let f = 2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE);
    vec![format!("{precision:.4}"), format!("{recall:.4}"), format!("{f:.4}"), sum.dropped_content.to_string()]
}

/// The share of pages from which on a value counts as shared, as for SITELEVEL.
const SHARED: f64 = 0.1;
const ALTERNATIVES: [f64; 3] = [0.1, 0.3, 2.0];

fn measure_swde(data: &Data) -> Result<Vec<Vec<String>>, Stop> {
    measure_survival(data, &ALTERNATIVES, Some(SHARED), |pages, alternatives| {
        let mut learner = TreeMapLearner::new(TreeMap { alternatives, ..TreeMap::default() });
        pages.iter().for_each(|(page, address)| learner.observe(address, &page.document));
        let templates = learner.finish(0);
        Ok(pages.iter().map(|(page, _)| detect_tree_map(&page.document, &page.stats, &templates)).collect())
    })
}

/// A page of about `TIMED_NODES` nodes, half of which its site shares.
fn made_up(number: usize) -> String {
    let mut page = String::from("<body><nav><ul>");
    for item in 0..100 {
        page += &format!("<li class=item><a href=/part/{item}>Part {item} of the site</a></li>");
    }
    page += &format!("</ul></nav><main><h1>Page {number}</h1>");
    for line in 0..150 + number % 20 {
        page += &format!("<p>Line {line} of page {number}, with <b>some {}</b> words in it.</p>", number * line);
    }
    page += "</main><aside>";
    for item in 0..100 {
        page += &format!("<div class=box><h4>Box {item}</h4><span>More to read</span></div>");
    }
    page += "</aside><footer><p>Made by hand</p></footer>";
    page
}

fn time() -> Result<Vec<String>, Stop> {
    let broken = |error: dehusk::Error| Stop::Broken(error.to_string());
    let pages: Vec<String> = (0..TIMED_PAGES).map(made_up).collect();
    let mut parser = Parser::default();
    let (mut parse, mut learn, mut detect) = (f64::MAX, f64::MAX, f64::MAX);
    let mut nodes = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut documents = Vec::new();
        for page in &pages {
            documents.push(parser.parse(page.as_str()).map_err(broken)?);
        }
        parse = parse.min(start.elapsed().as_secs_f64());
        nodes = documents.iter().map(|document| document.len()).sum::<usize>() / documents.len();
        let start = Instant::now();
        let mut learner = TreeMapLearner::new(TreeMap::default());
        for (number, document) in documents.iter().enumerate() {
            learner.observe(&number.to_string(), document);
        }
        let templates = learner.finish(0);
        learn = learn.min(start.elapsed().as_secs_f64());
        let stats: Vec<_> = documents.iter().map(dehusk::dom::Stats::of).collect();
        let start = Instant::now();
        for (document, stats) in documents.iter().zip(&stats) {
            std::hint::black_box(detect_tree_map(document, stats, &templates));
        }
        detect = detect.min(start.elapsed().as_secs_f64());
    }
    if nodes < TIMED_NODES / 2 {
        return Err(Stop::Failed(format!("the pages have {nodes} nodes only")));
    }
    Ok(vec![
        TIMED_PAGES.to_string(),
        nodes.to_string(),
        format!("{:.1} ms", parse * 1e3),
        format!("{:.1} ms", learn * 1e3),
        format!("{:.2}", learn / parse),
        format!("{:.2}", detect / parse),
    ])
}
