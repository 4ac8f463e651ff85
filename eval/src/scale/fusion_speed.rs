//! Cost of the default extractor compared with parsing alone: time on one core, memory, and the speedup of a second core.
//!
//! Parsing and extracting (bytes to text through the Rust API) run in separate processes, interleaved, over pages they read
//! one by one; only the calls are timed. The stages are timed in this process.

use crate::Stop;
use crate::peers::{Threads, own_cost};
use crate::scale::Options;
use crate::shared::corpus::{Data, read_pages};
use crate::shared::machine::{processor, processor_seconds};
use crate::shared::program::{Work, find_program};
use crate::shared::report::{Results, table};
use dehusk::Focus;
use dehusk::detect::fusion::{FusionModel, FusionPage, apply_scores};
use dehusk::dom::{Document, Parser};
use dehusk::render::{RenderOptions, render_text};
use dehusk::settle::settle;
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;

const ROUNDS: usize = 5;
/// Target: extraction takes at most this many times as long as parsing.
const MOST_TIMES: f64 = 2.5;
/// Target: bytes of peak memory.
const MOST_MEMORY: f64 = 100e6;
/// Target: speedup of two threads over one.
const LEAST_GAIN: f64 = 1.8;

pub(crate) fn run(data: &Data, results: &Results, options: &Options) -> Result<(), Stop> {
    let corpus = data.find("wcxb-dev.jsonl.zst")?;
    if options.only_stages {
        print!("{}", stages(&corpus)?);
        return Ok(());
    }
    let program = find_program(options.dehusk.as_deref())?;
    let work = Work::create(options.work.as_deref(), "fusion-speed")?;
    let cost = own_cost(&corpus, &program, &work.path, ROUNDS)?;
    let (parse, extract) = (Seconds::of(&cost.parse), Seconds::of(&cost.extract));
    let row = |name: &str, seconds: &Seconds| {
        vec![
            name.to_string(),
            format!("{:.2}", seconds.median),
            format!("{:.2} to {:.2}", seconds.least, seconds.most),
            format!("{:.0}", cost.pages as f64 / seconds.median),
            format!("{:.0}", cost.bytes as f64 / 1e6 / seconds.median),
            format!("{:.2}", seconds.median / parse.median),
        ]
    };
    let head = ["one core", "CPU s", "range", "pages/s", "MB/s", "× parsing"];
    let mut body = format!("{} pages, {:.0} MB.\n\n", cost.pages, cost.bytes as f64 / 1e6);
    body.push_str(&table(&head, &[row("parsing only", &parse), row("bytes to text", &extract)]));
    let peak = cost.peak.unwrap_or(0) as f64;
    let _ = write!(
        body,
        "\nMedian of {ROUNDS} rounds, interleaved, {}. Peak memory of the extracting process, which holds one page at a time: {:.0} \
         MB.\n",
        processor(),
        peak / 1e6
    );
    let _ = write!(
        body,
        "\n## The program\n\n`dehusk extract FILE -o out.jsonl --format text --threads N`, including reading and writing, fastest of \
         three runs.\n\n{}",
        table(&PROGRAM_HEAD, &program_rows(&cost.program))
    );
    let _ = write!(body, "\n## Stages\n\n{}", stages(&corpus)?);
    let gain = cost.program.iter().map(|(_, runs)| gain(runs)).fold(f64::INFINITY, f64::min);
    let wanted = [
        (
            format!("extraction takes at most {MOST_TIMES} times as long as parsing"),
            extract.median <= MOST_TIMES * parse.median,
        ),
        (format!("peak memory below {:.0} MB", MOST_MEMORY / 1e6), peak < MOST_MEMORY),
        (format!("two threads are at least {LEAST_GAIN} times as fast as one"), gain >= LEAST_GAIN),
    ];
    body.push_str("\n## Targets\n\n");
    for (what, met) in &wanted {
        let _ = writeln!(body, "- {what}: {}", if *met { "met" } else { "missed" });
    }
    results.publish("fusion-speed", "Speed of the default extractor", "wcxb-dev", &body)?;
    match wanted.iter().filter(|(_, met)| !met).map(|(what, _)| what.as_str()).collect::<Vec<_>>() {
        missed if missed.is_empty() => Ok(()),
        missed => Err(Stop::Failed(format!("missed: {}", missed.join("; ")))),
    }
}

struct Seconds {
    least: f64,
    median: f64,
    most: f64,
}

impl Seconds {
    fn of(rounds: &[f64]) -> Seconds {
        let mut sorted = rounds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
        Seconds { least: at(0), median: at(sorted.len() / 2), most: at(sorted.len().saturating_sub(1)) }
    }
}

const PROGRAM_HEAD: [&str; 6] = ["pages", "threads", "wall-clock s", "speedup", "CPU s", "peak MB"];

fn program_rows(program: &[(&str, Vec<Threads>)]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (name, runs) in program {
        let one = runs.first().map_or(f64::NAN, |one| one.seconds);
        for run in runs {
            rows.push(vec![
                name.to_string(),
                run.threads.to_string(),
                format!("{:.2}", run.seconds),
                format!("{:.2}", one / run.seconds),
                format!("{:.2}", run.processor),
                format!("{:.0}", run.peak as f64 / 1e6),
            ]);
        }
    }
    rows
}

/// Speedup of the last run over the first.
fn gain(runs: &[Threads]) -> f64 {
    match (runs.first(), runs.last()) {
        (Some(first), Some(last)) => first.seconds / last.seconds,
        _ => f64::NAN,
    }
}

/// How long each stage takes, as a table.
fn stages(corpus: &Path) -> Result<String, Stop> {
    let mut pages = Vec::new();
    read_pages(corpus, |_, html| pages.push(html))?;
    let model = FusionModel::builtin();
    let (mut parser, mut document, mut page) = (Parser::default(), Document::default(), FusionPage::default());
    let mut blocks = 0;
    let mut rounds: Vec<[f64; 5]> = Vec::new();
    for _ in 0..3 {
        let mut spent = [0.0; 5];
        blocks = 0;
        for html in &pages {
            let mut times = [processor_seconds(); 6];
            if parser.parse_into(html, &mut document).is_err() {
                continue;
            }
            times[1] = processor_seconds();
            page.prepare(&document, &model.odds);
            times[2] = processor_seconds();
            let scores = model.score(&mut page);
            times[3] = processor_seconds();
            let mut detection = apply_scores(&document, &page, &scores, Focus::BALANCED);
            settle(&document, &mut detection);
            times[4] = processor_seconds();
            black_box(render_text(&document, &detection, RenderOptions::default()));
            times[5] = processor_seconds();
            blocks += page.len();
            for (at, sum) in spent.iter_mut().enumerate() {
                *sum += times[at + 1] - times[at];
            }
        }
        rounds.push(spent);
    }
    let median = |stage: usize| Seconds::of(&rounds.iter().map(|round| round[stage]).collect::<Vec<_>>()).median;
    let names = [
        "parse",
        "split into blocks and examine them",
        "compute features and scores, choose a threshold",
        "decide",
        "render",
    ];
    let rows: Vec<Vec<String>> = names
        .iter()
        .enumerate()
        .map(|(stage, name)| {
            vec![name.to_string(), format!("{:.2}", median(stage)), format!("{:.2}", median(stage) / median(0))]
        })
        .collect();
    let head = ["stage", "CPU s", "× parsing"];
    Ok(format!("{}\n{blocks} text blocks. Median of {} rounds.\n", table(&head, &rows), rounds.len()))
}
