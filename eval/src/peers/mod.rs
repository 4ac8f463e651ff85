//! Dehusk and other extractors on the same pages in the same run: quality, speed, memory.
//!
//! Each extractor runs in a separate process and gets only the id, URL and source of a page. Extractors that cannot be
//! installed are listed as absent, and the run continues. `peers/list.rs` says how each is called.

#[path = "../../peers/harness.rs"]
mod harness;
mod install;
mod list;
mod ours;
mod pages;
mod runner;
mod score;
mod tables;

pub(crate) use ours::{Ours, Threads, measure, own_cost};

use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::machine;
use crate::shared::program::find_program;
use crate::shared::report::{Results, median, table};
use list::PEERS;
use ours::CommandLine;
use pages::Pages;
use runner::{Run, Texts};
use score::Score;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;

/// Dehusk through the library, and through the program.
const LIBRARY: &str = "dehusk";
const PROGRAM: &str = "dehusk-program";
const PARSE: &str = "dehusk-parse";

/// Faster extractors are run several times, interleaved, and the median counts: short times are less precise.
const QUICK_SECONDS: f64 = 12.0;
const ROUNDS: usize = 3;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folder for installations and work files, kept for the next run; default: a temporary folder
    #[arg(long)]
    work: Option<PathBuf>,
    /// The program, built with `cargo build --release`; default: the one next to this program
    #[arg(long)]
    dehusk: Option<PathBuf>,
    /// Run only these, and write no results: names of peers, dehusk, dehusk-program, dehusk-parse
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    extractor: Vec<String>,
    /// Use this many pages, spread over the corpus, and write no results
    #[arg(long)]
    pages: Option<usize>,
    /// Also run on other corpora: articles, graft, rich, and wcxb-dev with other class names
    #[arg(long)]
    others: bool,
    /// Score texts made elsewhere, such as those of a model on held-out pages: JSONL with id and text
    #[arg(long, value_name = "NAME=FILE.jsonl")]
    predictions: Vec<String>,
}

/// An extractor and its results.
struct System {
    name: String,
    version: String,
    /// How it was called, for the results page.
    call: String,
    /// Whether there are texts to score.
    gives_text: bool,
    /// The results, or why there are none.
    row: Result<Row, String>,
}

struct Row {
    /// In page order; empty if there are no texts.
    scores: Vec<Score>,
    /// CPU seconds of each round; empty if unknown.
    seconds: Vec<f64>,
    peak: Option<u64>,
    failed: Vec<(String, String)>,
}

impl Row {
    fn median_seconds(&self) -> f64 {
        median(self.seconds.clone())
    }
}

/// An extractor to run.
struct Candidate {
    name: String,
    version: String,
    call: String,
    command: Result<Vec<OsString>, String>,
}

pub(crate) fn run(data: &Data, results: &Results, options: &Options) -> Result<(), Stop> {
    let corpus = data.find("wcxb-dev.jsonl.zst")?;
    let known = [LIBRARY, PROGRAM, PARSE].into_iter().chain(PEERS.iter().map(|peer| peer.name));
    if let Some(name) = options.extractor.iter().find(|name| !known.clone().any(|known| known == **name)) {
        return Err(Stop::Broken(format!("{name} is not one of: {}", known.collect::<Vec<_>>().join(", "))));
    }
    let work = options.work.clone().unwrap_or_else(|| std::env::temp_dir().join("dehusk-eval-peers"));
    std::fs::create_dir_all(&work)?;
    let work = work.canonicalize()?;
    let pages = Pages::read(&corpus, &work, options.pages)?;

    let mut systems = predictions(&options.predictions, &pages)?;
    let (own, program_text) = run_program(options, &pages, &work);
    let library_texts = measure_all(candidates(options, &work)?, &pages, &work, &mut systems)?;
    systems.extend(own);
    systems.sort_by_key(|system| order(&system.name));

    let mut body = format!("{} pages, {:.0} MB.\n\n", pages.truths.len(), pages.bytes as f64 / 1e6);
    body.push_str(&tables::render(&systems, &pages));
    if options.others {
        body.push_str(&others(data, options, &work)?);
    }
    body.push_str(&notes(&program_text, library_texts.as_ref()));
    body.push_str(&calls(&systems));
    if options.pages.is_some() || !options.extractor.is_empty() {
        print!("{body}");
        return Ok(());
    }
    let machine = machine::processor();
    results.publish("peers", "Comparison with other extractors", &format!("wcxb-dev ({machine})"), &body)
}

/// F1 of all extractors on other corpora.
fn others(data: &Data, options: &Options, work: &std::path::Path) -> Result<String, Stop> {
    let pages = Pages::read_others(data, work)?;
    let mut systems = Vec::new();
    let list: Vec<Candidate> = candidates(options, work)?.into_iter().filter(|one| one.name != PARSE).collect();
    measure_all(list, &pages, work, &mut systems)?;
    systems.sort_by_key(|system| order(&system.name));
    Ok(format!(
        "\n## F1 on other corpora\n\n{}\nThe shipped model was fitted on wcxb-dev, cleaneval, dragnet and l3s-gn1: on these, compare the \
         figures of `eval quality --only fusion`. It has not seen the sites of graft and rich.\n",
        tables::by_type(&systems, &pages, |score| score.f1)
    ))
}

/// Predictions first, then Dehusk, then the peers in list order.
fn order(name: &str) -> usize {
    match name {
        LIBRARY => 1,
        PROGRAM => 2,
        PARSE => usize::MAX,
        _ => PEERS.iter().position(|peer| peer.name == name).map_or(0, |at| at + 3),
    }
}

fn is_wanted(options: &Options, name: &str) -> bool {
    options.extractor.is_empty() || options.extractor.iter().any(|only| only == name)
}

/// Dehusk and the peers, installed.
fn candidates(options: &Options, work: &std::path::Path) -> Result<Vec<Candidate>, Stop> {
    let version = env!("CARGO_PKG_VERSION");
    let own = |name: &str, call: &str, ours: Ours| -> Result<Candidate, Stop> {
        let command = Ok(ours.command()?);
        Ok(Candidate { name: name.into(), version: version.into(), call: call.into(), command })
    };
    let mut list = vec![
        own(PARSE, "Rust, parsing only: the first step of any extraction", Ours::Parse)?,
        own(LIBRARY, "Rust, from bytes to text, default options", Ours::Extract)?,
    ];
    list.retain(|candidate| is_wanted(options, &candidate.name));
    for peer in PEERS.iter().filter(|peer| is_wanted(options, peer.name)) {
        eprintln!("{}: installing", peer.name);
        let command = install::install(peer, work);
        let (name, version) = (peer.name.to_string(), peer.version.to_string());
        list.push(Candidate { name, version, call: peer.call.into(), command });
    }
    Ok(list)
}

/// Runs all extractors, the fast ones several times, interleaved. Returns Dehusk's texts.
fn measure_all(
    candidates: Vec<Candidate>,
    pages: &Pages,
    work: &std::path::Path,
    systems: &mut Vec<System>,
) -> Result<Option<Texts>, Stop> {
    let (mut quick, mut ours) = (Vec::new(), None);
    for Candidate { name, version, call, command } in candidates {
        let gives_text = name != PARSE;
        let out = work.join(format!("{name}.out.jsonl"));
        let run = command.and_then(|command| {
            eprintln!("{name}: running");
            let run = runner::run(&command, pages, &out).map_err(message)?;
            if run.seconds < QUICK_SECONDS {
                quick.push((systems.len(), command, out));
            }
            Ok(run)
        });
        let row = run.map(|Run { texts, seconds, peak, failed }| {
            let scores = if gives_text { score(&texts, pages) } else { Vec::new() };
            if name == LIBRARY {
                ours = Some(texts);
            }
            Row { scores, seconds: vec![seconds], peak, failed }
        });
        systems.push(System { name, version, call, gives_text, row });
    }
    for _ in 1..ROUNDS {
        for (system, command, out) in &quick {
            if let Ok(row) = &mut systems[*system].row {
                let again = runner::run(command, pages, out)?;
                row.seconds.push(again.seconds);
                row.peak = row.peak.max(again.peak);
            }
        }
    }
    Ok(ours)
}

fn score(texts: &Texts, pages: &Pages) -> Vec<Score> {
    let text = |id: &String| texts.get(id).map_or("", String::as_str);
    pages.truths.iter().map(|truth| Score::of(text(&truth.id), truth)).collect()
}

/// Texts made elsewhere.
fn predictions(predictions: &[String], pages: &Pages) -> Result<Vec<System>, Stop> {
    let mut systems = Vec::new();
    for prediction in predictions {
        let (name, file) = prediction
            .split_once('=')
            .ok_or_else(|| Stop::Broken(format!("{prediction}: expected NAME=FILE.jsonl")))?;
        let texts = runner::read_texts(file.as_ref())?;
        let missing = pages.truths.iter().filter(|truth| !texts.contains_key(&truth.id));
        let failed = missing.map(|truth| (truth.id.clone(), "not in the file".to_string())).collect();
        systems.push(System {
            name: name.into(),
            version: String::new(),
            call: "texts computed earlier, given with `--predictions`".into(),
            gives_text: true,
            row: Ok(Row { scores: score(&texts, pages), seconds: Vec::new(), peak: None, failed }),
        });
    }
    Ok(systems)
}

/// Runs the program, if requested.
fn run_program(options: &Options, pages: &Pages, work: &std::path::Path) -> (Option<System>, Option<CommandLine>) {
    if !is_wanted(options, PROGRAM) {
        return (None, None);
    }
    eprintln!("{PROGRAM}: running");
    let run = find_program(options.dehusk.as_deref()).and_then(|program| ours::run_command_line(&program, pages, work));
    let (row, command_line) = match run {
        Ok(run) => {
            let row = Row {
                scores: score(&run.texts, pages),
                seconds: run.threads.first().map(|one| one.processor).into_iter().collect(),
                peak: run.threads.first().map(|one| one.peak),
                failed: Vec::new(),
            };
            (Ok(row), Some(run))
        }
        Err(stop) => (Err(message(stop)), None),
    };
    let call = "`dehusk extract pages.jsonl -o out.jsonl --format text --threads 1`; time and memory are those of the whole process, \
                including reading and writing JSON";
    let version = env!("CARGO_PKG_VERSION").to_string();
    (Some(System { name: PROGRAM.into(), version, call: call.into(), gives_text: true, row }), command_line)
}

/// Whether the program kept ids and texts, and the speedup by threads.
fn notes(program: &Option<CommandLine>, library: Option<&Texts>) -> String {
    let Some(program) = program else { return String::new() };
    let mut out = String::from("\n## The program\n\n");
    let _ = write!(out, "{} records have the id of their page, in input order.", program.ids_kept);
    if let Some(library) = library {
        let same = library.iter().filter(|(id, text)| program.texts.get(*id) == Some(text)).count();
        let _ = write!(out, " {same} texts are byte for byte the same as the library's.");
    }
    let one = program.threads.first().map_or(f64::NAN, |one| one.seconds);
    let rows: Vec<Vec<String>> = program
        .threads
        .iter()
        .map(|run| {
            vec![
                run.threads.to_string(),
                format!("{:.2}", run.seconds),
                format!("{:.2}", one / run.seconds),
                format!("{:.2}", run.processor),
                format!("{:.0}", run.peak as f64 / 1e6),
            ]
        })
        .collect();
    let head = ["threads", "wall-clock s", "speedup", "CPU s", "peak MB"];
    let _ = write!(out, "\n\n{}", table(&head, &rows));
    out
}

fn calls(systems: &[System]) -> String {
    let mut out = String::from("\n## How each extractor is called\n\n");
    for system in systems {
        let _ = writeln!(out, "- {} {}: {}", system.name, system.version, system.call);
    }
    out.push_str("\nHow this is measured: [docs/peers.md](../peers.md).\n");
    out
}

fn message(stop: Stop) -> String {
    match stop {
        Stop::Absent(what) | Stop::Failed(what) | Stop::Broken(what) => what,
    }
}
