//! TreeMap: templates on held-out pages, SWDE values kept, time.

pub(crate) mod experiments;

use crate::Stop;
use crate::papers::align::TIMED;
use crate::papers::held_out::{self, Method};
use crate::shared::corpus::{Data, read_pages};
use crate::shared::report::{Results, table};
use crate::shared::site_pages::{SURVIVAL_HEAD, measure_survival};
use dehusk::dom::{Document, Parser, Stats};
use dehusk_papers::treemap::{TreeMapLearner, TreeMapSettings, detect_tree_map};
use std::time::Instant;

const PAGES: [usize; 9] = [2, 3, 5, 8, 10, 16, 24, 50, 100];
const TIMED_PAGES: usize = 24;
const TIMED_NODES: usize = 2_000;
const ROUNDS: usize = 9;

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let methods = [Method::TreeMap, Method::SiteLevel];
    let mut body = held_out::report(data, &PAGES, &methods)?;
    body += "## SWDE attribute values kept\n\n";
    body += &table(&SURVIVAL_HEAD, &measure_swde(data)?);
    body += "\nThe setting is the fraction of pages on which an alternative must appear to be dropped; 2 turns alternatives and slots \
             off.\n\n## Cost\n\n";
    let made_up: Vec<String> = (0..TIMED_PAGES).map(made_up).collect();
    let mut rows = vec![time("synthetic", &made_up)?];
    for name in TIMED {
        let mut html = Vec::new();
        read_pages(&data.find(&format!("sites/{name}.jsonl.zst"))?, |_, page| html.push(page))?;
        html.truncate(TIMED_PAGES);
        rows.push(time(name, &html)?);
    }
    let head = [
        "pages of",
        "pages",
        "nodes",
        "parsing, ms",
        "learning, ms",
        "learning / parsing",
        "detection / parsing",
        "parsing and detection / parsing",
    ];
    body += &table(&head, &rows);
    body += "\nOne thread, fastest of 9 rounds. Synthetic pages share a menu, a sidebar and a footer, and each has its own text. \
             Learning covers observing all pages and finishing the template. Detection starts with a parsed page and its text \
             statistics and ends with a decision for every node.\n";
    results.publish("treemap", "TreeMap", "dup, sites (and SWDE), synthetic pages", &body)
}

/// A value on at least this fraction of the pages counts as shared, as for SITELEVEL.
const SHARED: f64 = 0.1;
const ALTERNATIVES: [f64; 3] = [0.1, 0.3, 2.0];

fn measure_swde(data: &Data) -> Result<Vec<Vec<String>>, Stop> {
    measure_survival(data, &ALTERNATIVES, Some(SHARED), |pages, alternatives| {
        let mut learner = TreeMapLearner::new(TreeMapSettings { alternatives, ..TreeMapSettings::default() });
        pages.iter().for_each(|(page, address)| learner.observe(address, &page.document));
        let templates = learner.finish(0);
        Ok(pages.iter().map(|(page, _)| detect_tree_map(&page.document, &page.stats, &templates)).collect())
    })
}

/// A page of slightly more than `TIMED_NODES` nodes, more than half of which its site shares.
fn made_up(number: usize) -> String {
    let mut page = String::from("<body><nav><ul>");
    for item in 0..TIMED_NODES / 16 {
        page += &format!("<li class=item><a href=/part/{item}>Part {item} of the site</a></li>");
    }
    page += &format!("</ul></nav><main><h1>Page {number}</h1>");
    for line in 0..TIMED_NODES / 10 + number % 20 {
        page += &format!("<p>Line {line} of page {number}, with <b>some {}</b> words in it.</p>", number * line);
    }
    page += "</main><aside>";
    for item in 0..TIMED_NODES / 16 {
        page += &format!("<div class=box><h4>Box {item}</h4><span>More to read</span></div>");
    }
    page += "</aside><footer><p>Made by hand</p></footer>";
    page
}

fn time(name: &str, pages: &[String]) -> Result<Vec<String>, Stop> {
    let mut parser = Parser::default();
    let (mut parse, mut learn, mut detect) = (f64::MAX, f64::MAX, f64::MAX);
    let mut nodes = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut documents: Vec<Document> = Vec::new();
        for page in pages {
            documents.push(parser.parse(page.as_str()).map_err(|error| Stop::Broken(error.to_string()))?);
        }
        parse = parse.min(start.elapsed().as_secs_f64());
        nodes = documents.iter().map(Document::len).sum::<usize>() / documents.len();
        let start = Instant::now();
        let mut learner = TreeMapLearner::new(TreeMapSettings::default());
        for (number, document) in documents.iter().enumerate() {
            learner.observe(&number.to_string(), document);
        }
        let templates = learner.finish(0);
        learn = learn.min(start.elapsed().as_secs_f64());
        let stats: Vec<Stats> = documents.iter().map(Stats::of).collect();
        let start = Instant::now();
        for (document, stats) in documents.iter().zip(&stats) {
            std::hint::black_box(detect_tree_map(document, stats, &templates));
        }
        detect = detect.min(start.elapsed().as_secs_f64());
    }
    Ok(vec![
        name.to_string(),
        pages.len().to_string(),
        nodes.to_string(),
        format!("{:.1}", parse * 1e3),
        format!("{:.1}", learn * 1e3),
        format!("{:.2}", learn / parse),
        format!("{:.2}", detect / parse),
        format!("{:.2}", (parse + detect) / parse),
    ])
}
