//! Parsing speed: our parser, html5ever on its own, scraper, and two parsers used from Python.
//!
//! One core, all pages in memory, the parsers take turns; the median of the rounds counts. CPU time is measured: on a shared
//! machine, wall-clock time depends on other programs.

mod memory;

pub(crate) use memory::measure;

use crate::Stop;
use crate::shared::corpus::{Data, read_pages};
use crate::shared::machine::{processor, processor_seconds};
use crate::shared::report::{Results, median, table};
use crate::shared::support::reference;
use dehusk::dom::{Document, Parser};
use std::hint::black_box;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use typed_arena::Arena;

const ROUNDS: usize = 3;

/// Seconds of each round of a parser.
struct Timing {
    name: String,
    seconds: Vec<f64>,
}

impl Timing {
    fn median(&self) -> f64 {
        median(self.seconds.clone())
    }
}

pub(crate) fn run(data: &Data, results: &Results, only_ours: bool) -> Result<(), Stop> {
    let file = data.find("wcxb-dev.jsonl.zst")?;
    let mut pages = Vec::new();
    read_pages(&file, |_, html| pages.push(html))?;
    let bytes: usize = pages.iter().map(String::len).sum();
    let mut timings: Vec<Timing> = Vec::new();
    let mut nodes = 0;
    add(&mut timings, "dehusk", time(|| nodes = parse_ours(&pages)));
    if only_ours {
        for _ in 1..ROUNDS {
            add(&mut timings, "dehusk", time(|| nodes = parse_ours(&pages)));
        }
        println!("{:?} {nodes}", timings[0].seconds);
        return Ok(());
    }
    let mut notes = Vec::new();
    let memory = memory::of_ours(&pages);
    let mut peers =
        Peers::start(&pages).map_err(|reason| notes.push(format!("Parsers used from Python: skipped, {reason}."))).ok();
    for round in 0..ROUNDS {
        if round > 0 {
            add(&mut timings, "dehusk", time(|| nodes = parse_ours(&pages)));
        }
        add(&mut timings, "html5ever 0.40 with its own tokenizer", time(|| parse_reference(&pages)));
        add(&mut timings, "scraper 0.29", time(|| parse_scraper(&pages)));
        for (name, seconds) in peers.as_mut().map(Peers::run_round).unwrap_or_default() {
            add(&mut timings, &name, seconds);
        }
    }
    let ours = timings[0].median();
    let rows: Vec<Vec<String>> = timings
        .iter()
        .map(|timing| {
            let seconds = timing.median();
            let speed = bytes as f64 / 1e6 / seconds;
            let least = timing.seconds.iter().copied().fold(f64::INFINITY, f64::min);
            let most = timing.seconds.iter().copied().fold(0.0, f64::max);
            vec![
                timing.name.clone(),
                format!("{seconds:.2}"),
                format!("{least:.2} to {most:.2}"),
                format!("{speed:.0}"),
                format!("{:.2}", seconds / ours),
            ]
        })
        .collect();
    let mut body = format!("{} pages, {:.0} MB, {nodes} nodes.\n\n", pages.len(), bytes as f64 / 1e6);
    body.push_str(&table(&["parser", "seconds", "range", "MB/s", "× dehusk"], &rows));
    let largest = pages.iter().map(String::len).max().unwrap_or(0);
    body.push_str(&format!(
        "\nOne core, CPU time, median of {ROUNDS} rounds, interleaved, {}. Freeing the trees is included; ours reuses its memory from \
         page to page. Peak memory of our parser in a process that holds one page at a time, without that page: {} (the largest page \
         has {:.1} MB).\n",
        processor(),
        memory.map_or("not available".to_string(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6)),
        largest as f64 / 1e6,
    ));
    for note in notes {
        body.push_str(&format!("\n{note}\n"));
    }
    body.push_str(include_str!("profile.md"));
    results.publish("parse-speed", "Parsing speed", "wcxb-dev", &body)
}

fn add(timings: &mut Vec<Timing>, name: &str, seconds: f64) {
    match timings.iter_mut().find(|timing| timing.name == name) {
        Some(timing) => timing.seconds.push(seconds),
        None => timings.push(Timing { name: name.to_string(), seconds: vec![seconds] }),
    }
}

fn time(work: impl FnOnce()) -> f64 {
    let start = processor_seconds();
    work();
    processor_seconds() - start
}

fn parse_ours(pages: &[String]) -> usize {
    let mut parser = Parser::default();
    let mut document = Document::default();
    let mut nodes = 0;
    for page in pages {
        if parser.parse_into(page, &mut document).is_ok() {
            nodes += document.len();
        }
    }
    nodes
}

fn parse_reference(pages: &[String]) {
    for page in pages {
        let arena = Arena::new();
        black_box(reference::parse(&arena, page, None, false));
    }
}

fn parse_scraper(pages: &[String]) {
    for page in pages {
        black_box(scraper::Html::parse_document(page));
    }
}

/// Writes pages, each preceded by its length.
fn send_pages(pages: &[String], out: &mut impl Write) -> std::io::Result<()> {
    for page in pages {
        out.write_all(&(page.len() as u64).to_le_bytes())?;
        out.write_all(page.as_bytes())?;
    }
    out.flush()
}

/// The Python process with the parsers used from there.
struct Peers {
    process: Child,
    answers: BufReader<ChildStdout>,
}

impl Peers {
    fn start(pages: &[String]) -> Result<Peers, String> {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers/parse_speed.py");
        let environment = std::env::temp_dir().join("dehusk-peers");
        let mut process = Command::new("python3")
            .arg(script)
            .arg(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("python3 does not start ({error})"))?;
        let answers = BufReader::new(process.stdout.take().ok_or("python3 has no output")?);
        let mut peers = Peers { process, answers };
        let sent = peers.send_pages(pages).is_ok();
        if !sent || peers.read_line().is_none_or(|line| line != "ready") {
            return Err("the packages cannot be installed".into());
        }
        Ok(peers)
    }

    fn send_pages(&mut self, pages: &[String]) -> std::io::Result<()> {
        let Some(input) = &mut self.process.stdin else { return Ok(()) };
        input.write_all(&(pages.len() as u64).to_le_bytes())?;
        send_pages(pages, input)
    }

    fn read_line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).ok().filter(|length| *length > 0)?;
        Some(line.trim_end().to_string())
    }

    /// Name and seconds of each parser.
    fn run_round(&mut self) -> Vec<(String, f64)> {
        let mut out = Vec::new();
        let asked =
            self.process.stdin.as_mut().is_some_and(|input| input.write_all(b"g").and_then(|()| input.flush()).is_ok());
        while asked && let Some(line) = self.read_line() {
            let mut parts = line.split('\t');
            let (Some(name), Some(version), Some(seconds)) = (parts.next(), parts.next(), parts.next()) else { break };
            out.push((format!("{name} {version}"), seconds.parse().unwrap_or(f64::NAN)));
        }
        out
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // It exits when its input ends.
        self.process.stdin.take();
        let mut rest = Vec::new();
        let _ = self.answers.read_to_end(&mut rest);
        let _ = self.process.wait();
    }
}
