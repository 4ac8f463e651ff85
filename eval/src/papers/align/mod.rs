//! Align: templates on held-out pages, SWDE values kept, cost.

pub(crate) mod experiments;

use crate::Stop;
use crate::papers::held_out::{self, Method};
use crate::shared::corpus::{Data, read_pages};
use crate::shared::machine::peak_memory;
use crate::shared::report::{Results, table};
use crate::shared::site_pages::{Page, SURVIVAL_HEAD, measure_survival};
use dehusk::dom::Parser;
use dehusk_papers::align::{AlignLearner, detect_align};
use dehusk_papers::align::{AlignSettings, PageTokens};
use std::process::Command;
use std::time::Instant;

const PAGES: [usize; 5] = [2, 4, 8, 16, 32];
const SHARES: [f64; 2] = [0.5, 0.2];
/// An SWDE value on at least this fraction of the pages counts as shared, as for the other methods.
const SHARED: f64 = 0.1;
/// Tokens of the synthetic pages, and the percentage of them that all pages share; at 0 not even the tags are alike.
const SIZES: [usize; 6] = [500, 2_000, 5_000, 10_000, 20_000, 50_000];
const PERCENTS: [usize; 3] = [90, 50, 0];
/// Limits that the measurement checks.
const MOST_MILLISECONDS: f64 = 100.0;
const MOST_KILOBYTES: u64 = 256 << 10;
/// Sites with pages of some hundred to some thousand tokens, alike and unlike.
pub(crate) const TIMED: [&str; 8] = [
    "swde-movie-msn",
    "swde-university-usnews",
    "swde-movie-rottentomatoes",
    "swde-job-nettemps",
    "django-docs",
    "dostips-forum",
    "gtk3-reference",
    "httpd-manual-fr",
];

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let methods = [Method::Align, Method::SiteLevel];
    let mut body = held_out::report(data, &PAGES, &methods)?;
    body += "## SWDE attribute values kept\n\n";
    body += &table(&SURVIVAL_HEAD, &measure_swde(data)?);
    body += "\nThe setting is the fraction of the 16 aligned pages on which a token must appear to be template.\n\n## Cost by size, 16 \
             synthetic pages\n\n";
    let (rows, failed) = measure_growth()?;
    body += &table(
        &[
            "tokens",
            "template",
            "parsing, ms",
            "learning, ms",
            "learning / parsing",
            "detection / parsing",
            "peak memory, MB",
            "exact",
        ],
        &rows,
    );
    body += "\nOne thread, a separate process for each row, fastest of 3 runs (1 run for 20,000 tokens or more). Parsing and detection \
             are for all 16 pages. Learning is 15 alignments. Peak memory is that of the process, including the sources and trees of \
             all 16 pages. Template: the share of tokens that all pages have; at 0 % pages share nothing but their end tags. Exact: \
             whether every alignment is optimal; otherwise the work limit was hit and the sequences were split at tokens that occur \
             once in each.\n\n";
    body += "## Cost on sites, 16 pages each\n\n";
    let mut times = Vec::new();
    for name in TIMED {
        let mut html = Vec::new();
        read_pages(&data.find(&format!("sites/{name}.jsonl.zst"))?, |_, page| html.push(page))?;
        html.truncate(AlignSettings::default().pages);
        let cost = Cost::of(&html, 5)?;
        let head = [name.to_string(), cost.tokens.to_string()];
        times.push(head.into_iter().chain(cost.cells()).collect());
    }
    body +=
        &table(&["site", "tokens", "parsing, ms", "learning, ms", "learning / parsing", "detection / parsing"], &times);
    body += "\nOne thread, fastest of 5 runs. If pages are dissimilar, the time to learn grows quadratically with their length.\n";
    results.publish("align", "Align", "dup, sites (and SWDE), synthetic pages", &body)?;
    if failed.is_empty() { Ok(()) } else { Err(Stop::Failed(failed.join("; "))) }
}

fn measure_swde(data: &Data) -> Result<Vec<Vec<String>>, Stop> {
    measure_survival(data, &SHARES, Some(SHARED), |pages, share| {
        let settings = AlignSettings { share, ..AlignSettings::default() };
        let mut learner = AlignLearner::new(settings).map_err(|error| Stop::Broken(error.to_string()))?;
        pages.iter().for_each(|(page, address)| learner.observe(&page.document, address));
        let template = learner.finish(0);
        Ok(pages.iter().map(|(page, _)| detect_align(&page.document, &page.stats, &template)).collect())
    })
}

/// The fastest of some runs, in seconds.
struct Cost {
    tokens: usize,
    parse: f64,
    learn: f64,
    detect: f64,
    exact: bool,
}

impl Cost {
    fn of(html: &[String], runs: usize) -> Result<Cost, Stop> {
        let broken = |error: dehusk::Error| Stop::Broken(error.to_string());
        let mut parser = Parser::default();
        let mut cost = Cost { tokens: 0, parse: f64::MAX, learn: f64::MAX, detect: f64::MAX, exact: true };
        for _ in 0..runs {
            let start = Instant::now();
            for page in html {
                std::hint::black_box(parser.parse(page.as_str()).map_err(|error| broken(error.into()))?);
            }
            cost.parse = cost.parse.min(start.elapsed().as_secs_f64());
            let pages = html.iter().map(|html| Page::read(&mut parser, html)).collect::<Result<Vec<_>, _>>()?;
            let tokens: usize = pages.iter().map(|page| PageTokens::of(&page.document).tokens.len()).sum();
            cost.tokens = tokens / pages.len().max(1);
            let start = Instant::now();
            let mut learner = AlignLearner::new(AlignSettings::default()).map_err(broken)?;
            for (number, page) in pages.iter().enumerate() {
                learner.observe(&page.document, &number.to_string());
            }
            let template = learner.finish(0);
            cost.learn = cost.learn.min(start.elapsed().as_secs_f64());
            cost.exact = !template.is_partial();
            let start = Instant::now();
            for page in &pages {
                std::hint::black_box(detect_align(&page.document, &page.stats, &template));
            }
            cost.detect = cost.detect.min(start.elapsed().as_secs_f64());
        }
        Ok(cost)
    }

    fn cells(&self) -> [String; 4] {
        [
            format!("{:.1}", self.parse * 1e3),
            format!("{:.1}", self.learn * 1e3),
            format!("{:.1}", self.learn / self.parse),
            format!("{:.2}", self.detect / self.parse),
        ]
    }
}

/// Starts a process for each size and percentage, so that each has its own memory peak. Also returns what exceeded the limits.
fn measure_growth() -> Result<(Vec<Vec<String>>, Vec<String>), Stop> {
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for percent in PERCENTS {
        for tokens in SIZES {
            let mut child = Command::new(std::env::current_exe()?);
            let output = child.args(["align-cost", &tokens.to_string(), &percent.to_string()]).output()?;
            let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
            let row: Vec<String> = text.split(';').map(str::to_string).collect();
            let number = |at: usize| row.get(at).and_then(|cell| cell.parse::<f64>().ok());
            let (Some(learn), Some(peak)) = (number(3), number(6)) else {
                return Err(Stop::Broken(format!("unexpected output of the measuring process: {text:?}")));
            };
            if peak * 1e6 > MOST_KILOBYTES as f64 * 1024.0 {
                failed.push(format!("{tokens} tokens, {percent} % template: {peak} MB"));
            }
            if tokens == 2_000 && learn > MOST_MILLISECONDS {
                failed.push(format!("2,000 tokens, {percent} % template: {learn} ms"));
            }
            rows.push(row);
        }
    }
    Ok((rows, failed))
}

/// Run in such a process: prints a row.
pub(crate) fn measure_cost(tokens: usize, percent: usize) -> Result<(), Stop> {
    let html: Vec<String> =
        (0..AlignSettings::default().pages).map(|number| made_up(number, tokens, percent)).collect();
    let cost = Cost::of(&html, if tokens < 20_000 { 3 } else { 1 })?;
    let peak = peak_memory().ok_or_else(|| Stop::Broken(String::from("the system does not report peak memory")))?;
    let head = [cost.tokens.to_string(), format!("{percent} %")];
    let tail = [format!("{:.0}", peak as f64 / 1e6), String::from(if cost.exact { "yes" } else { "no" })];
    println!("{}", head.into_iter().chain(cost.cells()).chain(tail).collect::<Vec<_>>().join(";"));
    Ok(())
}

/// A page of 20 runs of template with own text between them, from half to one and a half times as much as on average.
fn made_up(number: usize, tokens: usize, percent: usize) -> String {
    const RUNS: usize = 20;
    /// A box is two start tags, two end tags and a text.
    const BOX_TOKENS: usize = 5;
    let boxes = tokens / BOX_TOKENS / RUNS;
    let common = boxes * percent / 100;
    let average = boxes - common;
    let mut page = String::from("<!DOCTYPE html><body>");
    for run in 0..RUNS {
        for item in 0..common {
            page += &format!("<div class=box><p>Part {run} item {item}</p></div>");
        }
        let mixed = ((number * RUNS + run + 1) as u32).wrapping_mul(0x9e37_79b9) >> 16;
        for line in 0..average / 2 + mixed as usize % (average + 1) {
            let class = if percent == 0 { format!("c{number}x{run}x{line}") } else { String::from("text") };
            page += &format!("<div class={class}><p class={class}>Page {number} part {run} line {line}</p></div>");
        }
    }
    page
}
