//! Alignment on the themes of `dup`, where the template is known exactly, and what learning costs.

use crate::Stop;
use crate::corpus::{Data, read_records};
use crate::report::{Results, table};
use crate::sitelevel::{Page, Words, shuffled, text_of};
use dehusk::align::{AlignSettings, PageTokens, Profile, Rounds};
use dehusk::dom::Parser;
use dehusk::{AlignLearner, AlignTemplate, detect_align};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

const PAGES: [usize; 5] = [2, 4, 8, 16, 32];
const SHARES: [f64; 2] = [0.5, 0.2];
/// Pages the template is judged on; the sample it is learned from is among them.
const JUDGED: usize = 100;
/// Least time of so many runs.
const RUNS: usize = 5;
/// Sites with pages of some hundred to some thousand tokens, alike and unlike.
const TIMED: [&str; 8] = [
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
    let (mut themes, mut groups, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for file in data.list("dup", ".jsonl.zst")? {
        let records = records(&file)?;
        let theme = file.file_name().map_or(String::new(), |name| name.to_string_lossy().replace(".jsonl.zst", ""));
        let order = shuffled(records.len());
        let html: Vec<String> = order.iter().take(JUDGED).map(|number| text_of(&records[*number], "html")).collect();
        let judged: Vec<&Value> = order.iter().take(JUDGED).map(|number| &records[*number]).collect();
        times.push(measure_time(&theme, &html)?);
        let pages = read_pages(&html)?;
        for share in SHARES {
            for count in PAGES {
                let settings = AlignSettings { pages: count, share };
                let (sum, tokens) = judge(&pages, &judged, settings)?;
                themes.push(row(&theme, settings, &tokens.to_string(), &sum));
            }
        }
        for count in PAGES {
            let settings = AlignSettings { pages: count, ..AlignSettings::default() };
            let sum = judge_groups(&records, settings)?;
            groups.push(row(&theme, settings, "–", &sum));
        }
    }
    for name in TIMED {
        let records = records(&data.find(&format!("sites/{name}.jsonl.zst"))?)?;
        let html: Vec<String> = records.iter().map(|record| text_of(record, "html")).collect();
        times.push(measure_time(name, &html)?);
    }
    times.extend([0.9, 0.5, 0.25].map(measure_made_up));
    let mut body = String::from("## Template words of `dup`, by theme\n\n");
    body += &table(&HEAD, &themes);
    body += "\nt pages are aligned, chosen from 100 pages drawn with a fixed seed; tokens on at least the share of them are template; \
             all 100 pages are judged. Words as in [sitelevel.md](sitelevel.md): precision is the share of the dropped words that \
             are template, recall the share of the template words that are dropped.\n\n";
    body += "A list of ten links on each page repeats within its group only, on 2 to 24 % of the site; that, and dates, is \
             what is missing. With one template for each group of at least 16 pages, learned and judged on its pages:\n\n";
    body += &table(&HEAD, &groups);
    body += "\n## Time to learn from 16 pages\n\n";
    body += &table(
        &["pages of", "tokens per page", "parse 16 pages, ms", "align 16 pages, ms", "ratio", "detect one page, ms"],
        &times,
    );
    body += "\nOne thread, least of 5 runs. Aligning is `AlignLearner::finish`, 15 alignments. Where pages are \
             unlike, it grows with the square of their length.\n";
    results.publish("align", "Align", "dup, sites (SWDE)", &body)
}

fn records(file: &Path) -> Result<Vec<Value>, Stop> {
    let mut records = Vec::new();
    read_records(file, |record| records.push(record))?;
    Ok(records)
}

fn learner(pages: &[Page], settings: AlignSettings) -> Result<AlignLearner, Stop> {
    let mut learner = AlignLearner::new(settings).map_err(|error| Stop::Broken(error.to_string()))?;
    for (number, page) in pages.iter().enumerate() {
        learner.observe(&page.document, &number.to_string());
    }
    Ok(learner)
}

fn read_pages(html: &[String]) -> Result<Vec<Page>, Stop> {
    let mut parser = Parser::default();
    html.iter().map(|html| Page::read(&mut parser, html)).collect()
}

/// Learns from pages and judges them; also returns the tokens of the template.
fn judge(pages: &[Page], records: &[&Value], settings: AlignSettings) -> Result<(Words, usize), Stop> {
    let template = learner(pages, settings)?.finish(0);
    let mut sum = Words::default();
    for (page, record) in pages.iter().zip(records) {
        sum.add(page, record, &detect_align(&page.document, &page.stats, &template));
    }
    Ok((sum, template.len()))
}

/// Learns and judges each group on its own.
fn judge_groups(records: &[Value], settings: AlignSettings) -> Result<Words, Stop> {
    let mut groups: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for record in records {
        groups.entry(text_of(record, "group")).or_default().push(record);
    }
    let mut all = Words::default();
    for records in groups.values().filter(|records| records.len() >= 16) {
        let html: Vec<String> = records.iter().map(|record| text_of(record, "html")).collect();
        let (sum, _) = judge(&read_pages(&html)?, records, settings)?;
        all.template += sum.template;
        all.dropped_template += sum.dropped_template;
        all.dropped_content += sum.dropped_content;
    }
    Ok(all)
}

const HEAD: [&str; 7] = ["theme", "t", "share", "tokens", "precision", "recall", "content words lost"];

fn row(theme: &str, settings: AlignSettings, tokens: &str, sum: &Words) -> Vec<String> {
    let dropped = (sum.dropped_template + sum.dropped_content).max(1);
    vec![
        theme.to_string(),
        settings.pages.to_string(),
        settings.share.to_string(),
        tokens.to_string(),
        format!("{:.4}", sum.dropped_template as f64 / dropped as f64),
        format!("{:.4}", sum.dropped_template as f64 / sum.template.max(1) as f64),
        sum.dropped_content.to_string(),
    ]
}

/// Times 16 pages of about 2,000 tokens, a share of which is template: 20 runs of it, with own tokens between them, from
/// half to one and a half times as many as on average.
fn measure_made_up(share: f64) -> Vec<String> {
    const TOKENS: u32 = 2_000;
    const SLOTS: u32 = 20;
    let common = (f64::from(TOKENS / SLOTS) * share) as u32;
    let average = TOKENS / SLOTS - common;
    let page = |number: u32| {
        let mut tokens = Vec::new();
        for slot in 0..SLOTS {
            tokens.extend(slot * common..(slot + 1) * common);
            let mixed = (number * SLOTS + slot + 1).wrapping_mul(0x9e37_79b9) >> 16;
            let own = average / 2 + mixed % (average + 1);
            let start = (number * SLOTS + slot + 1) * 10_000;
            tokens.extend(start..start + own);
        }
        Profile::of_page(tokens)
    };
    let pages: Vec<Profile> = (0..16).map(page).collect();
    let mut aligning = f64::INFINITY;
    for _ in 0..RUNS {
        let rounds = Rounds::new(pages.clone(), AlignSettings::default().share);
        let start = Instant::now();
        rounds.finish();
        aligning = aligning.min(start.elapsed().as_secs_f64() * 1000.0);
    }
    let name = format!("made up, {:.0} % template", share * 100.0);
    vec![name, TOKENS.to_string(), String::new(), format!("{aligning:.1}"), String::new(), String::new()]
}

fn measure_time(name: &str, html: &[String]) -> Result<Vec<String>, Stop> {
    let settings = AlignSettings::default();
    let html = &html[..html.len().min(settings.pages)];
    let mut parser = Parser::default();
    let (mut parsing, mut aligning, mut detecting) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let mut tokens = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        for page in html {
            parser.parse(page.as_str()).map_err(|error| Stop::Broken(error.to_string()))?;
        }
        parsing = parsing.min(start.elapsed().as_secs_f64() * 1000.0);
        let pages = html.iter().map(|html| Page::read(&mut parser, html)).collect::<Result<Vec<_>, _>>()?;
        tokens =
            pages.iter().map(|page| PageTokens::of(&page.document).tokens.len()).sum::<usize>() / pages.len().max(1);
        let learner = learner(&pages, settings)?;
        let start = Instant::now();
        let template: AlignTemplate = learner.finish(0);
        aligning = aligning.min(start.elapsed().as_secs_f64() * 1000.0);
        let start = Instant::now();
        for page in &pages {
            detect_align(&page.document, &page.stats, &template);
        }
        detecting = detecting.min(start.elapsed().as_secs_f64() * 1000.0 / pages.len().max(1) as f64);
    }
    Ok(vec![
        name.rsplit('/').next().unwrap_or_default().to_string(),
        tokens.to_string(),
        format!("{parsing:.1}"),
        format!("{aligning:.1}"),
        format!("{:.1}", aligning / parsing),
        format!("{detecting:.2}"),
    ])
}
