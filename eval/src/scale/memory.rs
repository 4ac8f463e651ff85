//! The memory of the program on what needs most of it: large pages, pages of many nodes, many hosts. Makes its own inputs.
//!
//! Every run has at most 2.5 GB of address space, so that one that needs more ends early and is seen to fail.

use crate::Stop;
use crate::scale::Options;
use crate::shared::program::{Outcome, Program, Work, find_program};
use crate::shared::report::{Results, table};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Address space of a run in kilobytes.
const ADDRESS_SPACE: u64 = 2_500_000;
/// The memory that `clean` may take, and that a page may take, in bytes.
const CRAWL_BYTES: u64 = 500_000_000;
const PAGE_BYTES: u64 = 1_000_000_000;

const PROSE: &str = "The quick brown fox jumps over the lazy dog and keeps running through the long field. ";

pub(crate) fn run(results: &Results, options: &Options) -> Result<(), Stop> {
    let path = find_program(options.dehusk.as_deref())?;
    let work = Work::create(options.work.as_deref(), "memory")?;
    let program = Program::new(path, work.path.clone());
    let mut failed = Vec::new();
    let crawls = crawls(&program, &mut failed)?;
    let pages = pages(&program, &mut failed)?;
    let body = format!(
        "Every run has {:.1} GB of address space.\n\n## Crawls\n\n{crawls}\n## Single pages\n\nPages of 60 MB that repeat one pattern; \
         peak memory in MB. All but prose and text hit the limit of nodes.\n\n{pages}",
        ADDRESS_SPACE as f64 / 1e6
    );
    results.publish("memory", "Memory", "made by the command", &body)?;
    if failed.is_empty() { Ok(()) } else { Err(Stop::Failed(failed.join("; "))) }
}

/// Runs the program and notes what is wrong.
fn limited(program: &Program, arguments: &[&str], most: u64, failed: &mut Vec<String>) -> Result<Outcome, Stop> {
    let limit = format!("ulimit -v {ADDRESS_SPACE}; exec \"$@\"");
    let outcome = program.run_behind(&["sh", "-c", &limit, "sh"], arguments)?;
    if outcome.code != 0 || outcome.peak > most {
        failed.push(format!(
            "{}: exit code {}, {} MB: {}",
            arguments.join(" "),
            outcome.code,
            outcome.peak / 1_000_000,
            outcome.messages.lines().last().unwrap_or_default()
        ));
    }
    Ok(outcome)
}

/// `clean` on crawls of large pages and of many hosts.
fn crawls(program: &Program, failed: &mut Vec<String>) -> Result<String, Stop> {
    let large = |words: &str| format!("<p>{words}</p>\\n").repeat(40_000_000 / (words.len() + 9));
    let (prose, one_paragraph) = (large(&PROSE.repeat(10)), format!("<p>{}", "x y ".repeat(10_000_000)));
    let tiny = |number: u64| {
        format!(
            "<nav><a href=/>Home</a></nav><p>This is the text of host {number}.</p><footer>Copyright {number}</footer>"
        )
    };
    let host = |number: u64| format!("http://host{number}.example.org/");
    crawl(&program.at("large.jsonl.zst"), 10, |n| (format!("http://a.example/{n}"), prose.clone()))?;
    crawl(&program.at("paragraphs.jsonl.zst"), 40, |n| (format!("http://a.example/{n}"), one_paragraph.clone()))?;
    crawl(&program.at("hosts.jsonl.zst"), 1_000_000, |n| (host(n), tiny(n)))?;
    crawl(&program.at("fewer-hosts.jsonl.zst"), 100_000, |n| (host(n), tiny(n)))?;
    let mut rows = Vec::new();
    for (what, arguments) in [
        ("10 pages of 40 MB", "clean large.jsonl.zst -o out.jsonl"),
        ("10 pages of 40 MB", "clean large.jsonl.zst -o out.parquet -f markdown"),
        ("40 pages of 40 MB", "clean paragraphs.jsonl.zst -o out.jsonl"),
        ("1,000,000 hosts", "clean hosts.jsonl.zst -o out.jsonl --templates store --report report.json"),
        ("100,000 hosts", "clean fewer-hosts.jsonl.zst -o out.jsonl --report report.json"),
        ("100,000 hosts", "clean fewer-hosts.jsonl.zst -o out.jsonl --report report.html"),
    ] {
        let list: Vec<&str> = arguments.split(' ').collect();
        let outcome = limited(program, &list, CRAWL_BYTES, failed)?;
        let (peak, seconds) = (megabytes(outcome.peak), format!("{:.0}", outcome.seconds));
        rows.push(vec![what.into(), format!("`{arguments}`"), outcome.code.to_string(), peak, seconds]);
    }
    Ok(table(&["crawl", "command", "exit", "peak MB", "seconds"], &rows))
}

/// A crawl of JSON lines, compressed.
fn crawl(path: &Path, pages: u64, page: impl Fn(u64) -> (String, String)) -> Result<(), Stop> {
    let mut out = zstd::Encoder::new(File::create(path)?, 1)?;
    for number in 0..pages {
        let (url, html) = page(number);
        // Neither has characters that JSON escapes.
        writeln!(out, "{{\"url\":\"{url}\",\"html\":\"{html}\"}}")?;
    }
    out.finish()?;
    Ok(())
}

/// Every way to look at a page, on pages that repeat a pattern.
fn pages(program: &Program, failed: &mut Vec<String>) -> Result<String, Stop> {
    let modes = [
        "extract",
        "extract -f markdown",
        "extract -f html",
        "extract -f json",
        "extract -d pagelevel",
        "extract -d block",
        "explain",
        "segment",
    ];
    let prose = format!("<p>{PROSE}{PROSE}{PROSE}</p>\n");
    let patterns = [
        ("short paragraphs", "<p>x y "),
        ("empty paragraphs", "<p>"),
        ("links", "<li><a href=/abc/def>word word</a>"),
        ("attributes", "<p a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8>x"),
        ("prose", &prose),
        ("text", PROSE),
    ];
    let mut rows = Vec::new();
    for (name, pattern) in patterns {
        std::fs::write(program.at("page.html"), pattern.repeat(60_000_000 / pattern.len()))?;
        let mut row = vec![name.to_string()];
        for mode in modes {
            let arguments: Vec<&str> = mode.split(' ').chain(["page.html"]).collect();
            row.push(megabytes(limited(program, &arguments, PAGE_BYTES, failed)?.peak));
        }
        rows.push(row);
    }
    let head: Vec<String> = ["page".to_string()].into_iter().chain(modes.map(|mode| format!("`{mode}`"))).collect();
    Ok(table(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / 1e6)
}
