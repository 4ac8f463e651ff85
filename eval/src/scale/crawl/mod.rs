//! The crawl job, measured through the program as a user starts it.
//!
//! Each part creates its inputs in a temporary folder, runs `dehusk clean` on them and checks the output. A part that is run
//! alone replaces its own section of the results and keeps the others.

mod containers;
mod damage;
mod faults;
mod growth;
mod halves;
mod inputs;
mod kill;
mod threads;
mod warc;

use crate::Stop;
use crate::scale::Options;
use crate::shared::corpus::Data;
use crate::shared::machine;
use crate::shared::program::{Program, Work, find_program};
use crate::shared::report::Results;
use clap::ValueEnum;
use inputs::Corpus;

/// A part of this measurement.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The same crawl as JSONL, WARC and Parquet
    Containers,
    /// Time and memory as the crawl grows
    Growth,
    /// Reading WARC compared with decompression alone
    Warc,
    /// One, two and eight threads
    Threads,
    /// Runs that are killed and resumed
    Kill,
    /// Templates learned in halves
    Halves,
    /// Damaged and hostile input
    Faults,
}

impl Part {
    fn title(self) -> &'static str {
        match self {
            Part::Containers => "Containers",
            Part::Growth => "Growth",
            Part::Warc => "Reading WARC",
            Part::Threads => "Threads",
            Part::Kill => "Killed runs",
            Part::Halves => "Templates learned in halves",
            Part::Faults => "Faults",
        }
    }

    fn measure(self, program: &Program, corpus: &Corpus<'_>) -> Result<Section, Stop> {
        match self {
            Part::Containers => containers::measure(program, corpus),
            Part::Growth => growth::measure(program, corpus),
            Part::Warc => warc::measure(program, corpus),
            Part::Threads => threads::measure(program, corpus),
            Part::Kill => kill::measure(program, corpus),
            Part::Halves => halves::measure(program, corpus),
            Part::Faults => faults::measure(program, corpus),
        }
    }
}

/// The result of a part: its text, and the checks that failed.
#[derive(Default)]
struct Section {
    text: String,
    wrong: Vec<String>,
}

impl Section {
    /// Records a failed check.
    fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(what());
        }
    }
}

pub(crate) fn run(data: &Data, results: &Results, options: &Options) -> Result<(), Stop> {
    let path = find_program(options.dehusk.as_deref())?;
    let sites = data.list("sites", ".jsonl.zst")?;
    let work = Work::create(options.work.as_deref(), "crawl")?;
    let program = Program::new(path, work.path.clone());
    let corpus = Corpus::new(&sites, &program.work);
    let last = results.last("crawl");
    let (mut body, mut wrong) = (String::new(), Vec::new());
    for part in Part::value_variants() {
        let title = part.title();
        if options.part.is_empty() || options.part.contains(part) {
            let mut section = part.measure(&program, &corpus)?;
            for problem in &section.wrong {
                section.text.push_str(&format!("\n**Failed:** {problem}\n"));
            }
            eprintln!("{title}: {}", if section.wrong.is_empty() { "passed" } else { "FAILED" });
            wrong.extend(section.wrong.into_iter().map(|problem| format!("{title}: {problem}")));
            body.push_str(&format!("## {title}\n\n{}\n\n", section.text.trim_end()));
        } else if let Some(text) = section_of(&last, title) {
            body.push_str(&format!("{}\n\n", text.trim_end()));
        }
    }
    body.truncate(body.trim_end().len());
    body.push('\n');
    let machine = format!("{} processors, {}", std::thread::available_parallelism()?, machine::processor());
    results.publish("crawl", "The crawl job", &format!("sites ({machine})"), &body)?;
    if wrong.is_empty() { Ok(()) } else { Err(Stop::Failed(wrong.join("; "))) }
}

/// The section of a report under a title, title included.
fn section_of<'a>(report: &'a str, title: &str) -> Option<&'a str> {
    let start = report.find(&format!("## {title}\n"))?;
    let rest = &report[start..];
    let end = rest.find("\n## ").map_or(rest.len(), |end| end + 1);
    Some(&rest[..end])
}

/// Bytes in millions, for tables.
fn megabytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / 1e6)
}

/// The system load of the last minute.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").to_string()
}
