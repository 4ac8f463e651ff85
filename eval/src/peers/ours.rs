//! Dehusk: through the library in a separate process, the parser alone, and the program as a user calls it.

use super::harness;
use super::pages::Pages;
use super::runner::{self, Texts, read_texts};
use crate::Stop;
use crate::shared::program::Program;
use dehusk::dom::{Document, Parser};
use dehusk::{Error, Extractor, Options, Scratch};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// How often the program is timed with each number of threads; the fastest counts.
const ROUNDS: usize = 3;

/// What is measured of Dehusk in a separate process.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Ours {
    /// From bytes to text
    Extract,
    /// From text to tree
    Parse,
}

impl Ours {
    /// The command that runs this.
    pub(super) fn command(self) -> Result<Vec<OsString>, Stop> {
        let what = if self == Ours::Extract { "extract" } else { "parse" };
        Ok(vec![std::env::current_exe()?.into(), "peers-ours".into(), what.into()])
    }
}

/// How dehusk extracts a page, defined once.
fn extract(extractor: &Extractor, html: &str, scratch: &mut Scratch) -> Result<String, Error> {
    Ok(extractor.extract(html, scratch)?.text())
}

/// Runs Dehusk over pages, as the harness does with the peers.
pub(crate) fn measure(what: Ours, pages: &Path, out: &Path, first: usize) -> Result<(), Stop> {
    let extractor = Extractor::new(Options::new()).map_err(|error| Stop::Broken(error.to_string()))?;
    let mut scratch = Scratch::default();
    let (mut parser, mut document) = (Parser::default(), Document::default());
    let page = |_: &str, html: &str| match what {
        Ours::Extract => extract(&extractor, html, &mut scratch).map_err(|error| error.to_string()),
        Ours::Parse => parser.parse_into(html, &mut document).map(|_| String::new()).map_err(|error| error.to_string()),
    };
    harness::run(pages, out, first, page).map_err(Stop::Broken)
}

/// The program, run on the pages as a user would.
pub(super) struct CommandLine {
    pub(super) texts: Texts,
    /// Number of records with the id of their page, in the right position.
    pub(super) ids_kept: usize,
    /// Runs by number of threads.
    pub(super) threads: Vec<Threads>,
}

/// Cost of the whole process, including reading and writing.
pub(crate) struct Threads {
    pub(crate) threads: usize,
    /// On the clock.
    pub(crate) seconds: f64,
    pub(crate) processor: f64,
    pub(crate) peak: u64,
}

/// Runs `dehusk extract pages.jsonl -o out.jsonl --format text` with one and two threads, interleaved.
pub(super) fn run_command_line(program: &Path, pages: &Pages, work: &Path) -> Result<CommandLine, Stop> {
    let (threads, output) = time_command_line(program, &pages.file, work)?;
    let ids = fs::read_to_string(&output)?;
    let ids = ids.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap_or_default());
    let ids_kept = ids.zip(&pages.truths).filter(|(record, truth)| record["id"] == truth.id.as_str()).count();
    Ok(CommandLine { texts: read_texts(&output)?, ids_kept, threads })
}

/// Runs the program over a file of pages. Returns the fastest run for each number of threads, and the path of the records.
fn time_command_line(program: &Path, pages: &Path, work: &Path) -> Result<(Vec<Threads>, PathBuf), Stop> {
    let program = Program::new(program.to_path_buf(), work.to_path_buf());
    let (input, output) = (pages.to_string_lossy().into_owned(), work.join("command-line.jsonl"));
    let mut best: Vec<Threads> = Vec::new();
    for _ in 0..ROUNDS {
        for threads in [1, 2] {
            let _ = fs::remove_file(&output);
            let count = threads.to_string();
            let arguments = ["extract", &input, "-o", "command-line.jsonl", "--format", "text", "--threads", &count];
            let run = program.run(&arguments)?.done()?;
            let run = Threads { threads, seconds: run.seconds, processor: run.processor, peak: run.peak };
            match best.iter_mut().find(|best| best.threads == threads) {
                Some(best) if best.seconds <= run.seconds => {}
                Some(best) => *best = run,
                None => best.push(run),
            }
        }
    }
    Ok((best, output))
}

/// Cost of Dehusk alone.
pub(crate) struct OwnCost {
    pub(crate) pages: usize,
    pub(crate) bytes: usize,
    /// CPU seconds of each round.
    pub(crate) parse: Vec<f64>,
    pub(crate) extract: Vec<f64>,
    /// Peak memory of the process that extracts.
    pub(crate) peak: Option<u64>,
    /// The program on the pages as they are, and compressed.
    pub(crate) program: Vec<(&'static str, Vec<Threads>)>,
}

/// Measures parsing and extracting, each in a separate process, interleaved, and the program.
pub(crate) fn own_cost(corpus: &Path, program: &Path, work: &Path, rounds: usize) -> Result<OwnCost, Stop> {
    let pages = Pages::read(corpus, work, None)?;
    let out = work.join("own-cost.jsonl");
    let mut cost = OwnCost {
        pages: pages.truths.len(),
        bytes: pages.bytes,
        parse: Vec::new(),
        extract: Vec::new(),
        peak: None,
        program: Vec::new(),
    };
    for _ in 0..rounds {
        cost.parse.push(runner::run(&Ours::Parse.command()?, &pages, &out)?.seconds);
        let run = runner::run(&Ours::Extract.command()?, &pages, &out)?;
        cost.extract.push(run.seconds);
        cost.peak = cost.peak.max(run.peak);
    }
    let compressed = work.join("pages.jsonl.zst");
    zstd::stream::copy_encode(File::open(&pages.file)?, File::create(&compressed)?, 3)?;
    for (name, file) in [("pages.jsonl", &pages.file), ("pages.jsonl.zst", &compressed)] {
        cost.program.push((name, time_command_line(program, file, work)?.0));
    }
    Ok(cost)
}
