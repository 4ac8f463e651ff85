//! `dehusk duplicates` on made-up pages: time and memory as they grow to a million, and its pairs against all pairs, beside datasketch.

use crate::Stop;
use crate::shared::machine;
use crate::shared::made_sites::Random;
use crate::shared::plot::{Axis, Line, plot};
use crate::shared::program::{Outcome, Program, Work, find_program};
use crate::shared::report::{Results, table};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use xxhash_rust::xxh3::xxh3_64;

const SCRIPT: &str = include_str!("../../peers/duplicates.py");

#[derive(clap::Args)]
pub(crate) struct DuplicatesOptions {
    /// duplicates: the program, built with `cargo build --release`; default: the one next to this program
    #[arg(long)]
    dehusk: Option<PathBuf>,
    /// duplicates: pages of the largest crawl
    #[arg(long, default_value_t = 1_000_000)]
    pages: usize,
    /// duplicates: documents that are also given to datasketch
    #[arg(long, default_value_t = 100_000)]
    compared: usize,
    /// duplicates: working folder, which needs 5 GB and is removed at the end; default: a temporary folder
    #[arg(long)]
    work: Option<PathBuf>,
    /// duplicates: folder in which datasketch is installed and kept; default: the working folder
    #[arg(long)]
    installed: Option<PathBuf>,
}

/// Documents of the sample whose pairs are all compared.
const SAMPLE: usize = 10_000;
/// Documents of a host.
const HOST_PAGES: usize = 1000;
/// Shares of words that copies change.
const CHANGES: [f64; 7] = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4];
/// Documents of which a copy is made: every tenth.
const COPIED: usize = 10;

/// A word of a made-up language: common ones are short.
fn word(random: &mut Random) -> String {
    let rank = (30_000.0_f64.powf(random.below(1 << 20) as f64 / f64::from(1 << 20))) as usize;
    const SYLLABLES: [&str; 16] =
        ["ka", "lo", "mi", "ren", "tos", "vel", "dra", "shi", "po", "nu", "gar", "el", "fin", "bo", "sta", "qui"];
    let (mut rest, mut word) = (rank, String::new());
    while word.is_empty() || rest > 0 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}

/// The words of a document that is no copy.
fn original(number: usize) -> Vec<String> {
    let mut random = Random(number as u64 * 2 + 1);
    let count = 30 + random.below(80);
    (0..count).map(|_| word(&mut random)).collect()
}

/// A document: three in ten are copies of an earlier one, with some words changed.
fn words_of(number: usize) -> Vec<String> {
    let mut random = Random(number as u64 * 2);
    let is_copy = number > COPIED && random.below(10) < 3;
    if !is_copy {
        return original(number);
    }
    // Few sources have most copies, as on the web.
    let share = random.below(1 << 20) as f64 / f64::from(1 << 20);
    let source = (share * share * (number / COPIED) as f64) as usize * COPIED;
    let change = CHANGES[random.below(CHANGES.len())];
    let mut words = original(source);
    for place in &mut words {
        if (random.below(1 << 20) as f64) < change * f64::from(1 << 20) {
            *place = word(&mut random);
        }
    }
    words
}

fn page(number: usize, text: &str) -> String {
    let host = number / HOST_PAGES;
    let mut random = Random(host as u64 + (1 << 40));
    let mut menu = String::new();
    for _ in 0..8 {
        let name = word(&mut random);
        let _ = write!(menu, "<li><a href=\"/{name}\">{name}</a></li>");
    }
    let footer: Vec<String> = (0..20).map(|_| word(&mut random)).collect();
    format!(
        "<!doctype html><html><head><title>Page {number}</title></head><body><nav><ul>{menu}</ul></nav>\
         <main><h1>Page {number}</h1><p>{text}.</p></main><footer><p>{}</p></footer></body></html>",
        footer.join(" ")
    )
}

/// Writes the first documents as pages and as texts.
fn write_documents(count: usize, pages: &Path, texts: &Path) -> Result<(), Stop> {
    let (mut pages, mut texts) =
        (BufWriter::new(std::fs::File::create(pages)?), BufWriter::new(std::fs::File::create(texts)?));
    for start in (0..count).step_by(10_000) {
        let made: Vec<(String, String)> = (start..count.min(start + 10_000))
            .into_par_iter()
            .map(|number| {
                let text = words_of(number).join(" ");
                let url = format!("http://h{}.example/{number}", number / HOST_PAGES);
                let page = json!({"id": number, "url": url, "html": page(number, &text)});
                (page.to_string(), json!({"id": number, "text": text}).to_string())
            })
            .collect();
        for (page, text) in made {
            writeln!(pages, "{page}")?;
            writeln!(texts, "{text}")?;
        }
    }
    pages.flush()?;
    Ok(texts.flush()?)
}

pub(crate) fn run(results: &Results, options: &DuplicatesOptions) -> Result<(), Stop> {
    let path = find_program(options.dehusk.as_deref())?;
    let work = Work::create(options.work.as_deref(), "duplicates")?;
    let program = Program::new(path, work.path.clone());
    let mut body = growth(&program, results, options.pages)?;
    body += &compare(&program, results, options)?;
    let corpus = format!("synthetic ({})", machine::processor());
    results.publish("duplicates", "Near-duplicates", &corpus, &body)
}

/// Time and memory by the number of pages.
fn growth(program: &Program, results: &Results, most: usize) -> Result<String, Stop> {
    let (mut rows, mut of_pages, mut of_texts) = (Vec::new(), Vec::new(), Vec::new());
    for count in [100, 10, 5, 2, 1].map(|part| most / part) {
        write_documents(count, &program.at("pages.jsonl"), &program.at("texts.jsonl"))?;
        for (input, line) in [("pages.jsonl", &mut of_pages), ("texts.jsonl", &mut of_texts)] {
            let run = program.run(&["duplicates", input, "-o", "pairs.jsonl"])?.done()?;
            let pairs = std::fs::read_to_string(program.at("pairs.jsonl"))?.lines().count();
            line.push((count as f64, run.seconds));
            rows.push(vec![
                if input == "pages.jsonl" { "pages, cleaned first" } else { "texts" }.into(),
                count.to_string(),
                format!("{:.1}", run.seconds),
                format!("{:.1}", run.processor),
                format!("{:.3}", 1e3 * run.processor / count as f64),
                format!("{:.0}", run.peak as f64 / 1e6),
                pairs.to_string(),
            ]);
            eprintln!("{input} {count}: {:.1} s, {:.0} MB", run.seconds, run.peak as f64 / 1e6);
        }
    }
    rows.sort_by_key(|row| (row[0] == "texts", row[1].len(), row[1].clone()));
    let top = of_pages.iter().map(|point| point.1).fold(1.0, f64::max) * 1.1;
    let axis = Axis { name: "pages", from: 0.0, to: most as f64 };
    let lines = [
        Line { name: "pages, cleaned first".into(), points: of_pages },
        Line { name: "texts".into(), points: of_texts },
    ];
    let svg = plot("dehusk duplicates", &axis, &Axis { name: "seconds", from: 0.0, to: top }, &lines);
    results.publish_file("duplicates-growth.svg", &svg)?;
    let head = ["input", "documents", "seconds", "CPU s", "CPU ms each", "peak MB", "pairs"];
    Ok(format!(
        "## Growth\n\nShort made-up pages (30 to 110 words of content, 28 words of template, 1,000 pages to a host). Three in ten are copies of \
         earlier ones with up to 40 % of their words changed; few sources have most copies. `dehusk duplicates IN -o pairs.jsonl`, all cores.\n\n{}\n\
         ![Seconds by number of pages](duplicates-growth.svg)\n\n",
        table(&head, &rows)
    ))
}

/// The shingles of a text.
fn shingles(text: &str) -> BTreeSet<u64> {
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(6).map(|window| xxh3_64(window.join(" ").as_bytes())).collect()
}

/// Pairs of documents by their numbers.
type Pairs = BTreeSet<(usize, usize)>;
/// A pair and its similarity.
type Similar = (usize, usize, f64);

/// All pairs of the first documents that share a shingle, with the Jaccard similarity of their shingles; that of all others is 0.
fn all_pairs(count: usize) -> Vec<Similar> {
    let sets: Vec<BTreeSet<u64>> =
        (0..count).into_par_iter().map(|number| shingles(&words_of(number).join(" "))).collect();
    let mut lists: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (number, set) in sets.iter().enumerate() {
        set.iter().for_each(|shingle| lists.entry(*shingle).or_default().push(number));
    }
    let compare = |b: usize| -> Vec<Similar> {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for a in sets[b].iter().flat_map(|shingle| &lists[shingle]).filter(|a| **a < b) {
            *shared.entry(*a).or_default() += 1;
        }
        let similarity = |a: usize, shared: usize| shared as f64 / (sets[a].len() + sets[b].len() - shared) as f64;
        shared.into_iter().map(|(a, shared)| (a, b, similarity(a, shared))).collect()
    };
    (0..count).into_par_iter().flat_map_iter(compare).collect()
}

/// The pairs of a file that are among the first documents.
fn pairs_of(path: &Path, count: usize) -> Result<Pairs, Stop> {
    let mut pairs = Pairs::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let pair: Value = serde_json::from_str(line).map_err(|error| Stop::Broken(error.to_string()))?;
        let number = |key: &str| pair[key].as_u64().unwrap_or_default() as usize;
        let (a, b) = (number("a"), number("b"));
        if a.max(b) < count {
            pairs.insert((a.min(b), a.max(b)));
        }
    }
    Ok(pairs)
}

/// The pairs found against all pairs, beside datasketch on the same texts.
fn compare(program: &Program, results: &Results, options: &DuplicatesOptions) -> Result<String, Stop> {
    let count = options.compared;
    write_documents(count, &program.at("pages.jsonl"), &program.at("texts.jsonl"))?;
    let truth = all_pairs(SAMPLE.min(count));
    let mut runs: Vec<(String, Outcome, Pairs)> = Vec::new();
    for (hashes, shared) in [("8", "4"), ("32", "21"), ("64", "43")] {
        let settings = ["--threads", "1", "--hashes", hashes, "--shared", shared];
        let run =
            program.run(&[&["duplicates", "texts.jsonl", "-o", "pairs.jsonl"], &settings[..]].concat())?.done()?;
        let found = pairs_of(&program.at("pairs.jsonl"), SAMPLE)?;
        let default = if hashes == "8" { " (default)" } else { "" };
        let name = format!("dehusk, {shared} of {hashes} hashes{default}");
        runs.push((name, run, found));
    }
    match install(options, &program.work) {
        Ok(python) => {
            std::fs::write(program.at("peer.py"), SCRIPT)?;
            for threshold in ["0.5", "0.3"] {
                let peer = Program::new(python.clone(), program.work.clone());
                let run = peer.run(&["peer.py", "texts.jsonl", "peer.jsonl", threshold])?.done()?;
                let found = pairs_of(&program.at("peer.jsonl"), SAMPLE)?;
                runs.push((format!("datasketch, threshold {threshold}"), run, found));
            }
        }
        Err(reason) => eprintln!("datasketch is left out: {reason}"),
    }
    let mut text = format!(
        "## Against all pairs, beside datasketch\n\nThe same {count} texts, one run after the other, one thread; datasketch is its MinHashLSH with 128 permutations. Of the first {SAMPLE} all {} pairs were compared by \
         the Jaccard similarity of their sets of 6-word shingles. Recall and precision are for similarities of at least 0.5.\n\n",
        SAMPLE * (SAMPLE - 1) / 2
    );
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for (name, run, found) in &runs {
        let similar = truth.iter().filter(|pair| pair.2 >= 0.5);
        let (mut hits, mut all) = (0, 0);
        for pair in similar {
            all += 1;
            hits += usize::from(found.contains(&(pair.0, pair.1)));
        }
        rows.push(vec![
            name.clone(),
            format!("{:.1}", run.seconds),
            format!("{:.1}", run.processor),
            format!("{:.0}", run.peak as f64 / 1e6),
            found.len().to_string(),
            format!("{:.3}", hits as f64 / f64::from(all.max(1))),
            format!("{:.3}", hits as f64 / found.len().max(1) as f64),
        ]);
        let points = (0..20).filter_map(|band| {
            let (from, to) = (f64::from(band) / 20.0, f64::from(band + 1) / 20.0);
            let inside: Vec<&Similar> =
                truth.iter().filter(|pair| pair.2 > from && (pair.2 <= to || band == 19)).collect();
            let hits = inside.iter().filter(|pair| found.contains(&(pair.0, pair.1))).count();
            (inside.len() >= 20).then(|| ((from + to) / 2.0, hits as f64 / inside.len() as f64))
        });
        lines.push(Line { name: name.clone(), points: points.collect() });
    }
    text += &table(&["program", "seconds", "CPU s", "peak MB", "pairs in the sample", "recall", "precision"], &rows);
    let axis = |name| Axis { name, from: 0.0, to: 1.0 };
    let svg =
        plot("Pairs found by their similarity", &axis("Jaccard similarity"), &axis("share of pairs found"), &lines);
    results.publish_file("duplicates-similarity.svg", &svg)?;
    text += "\n![Share of pairs found by similarity](duplicates-similarity.svg)\n\nThe rule of the papers, 4 of 8 hashes, \
             tells copies from other texts and is not meant to estimate similarity: pairs near the threshold are found or not by chance. More hashes \
             draw the line more sharply.\n";
    Ok(text)
}

/// A Python with datasketch.
fn install(options: &DuplicatesOptions, work: &Path) -> Result<PathBuf, String> {
    let folder = options.installed.clone().unwrap_or_else(|| work.join("installed")).join("datasketch");
    let python = folder.join("bin").join("python");
    let done = |command: &mut Command| match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_string()),
        Err(error) => Err(error.to_string()),
    };
    if done(Command::new(&python).args(["-c", "import datasketch"])).is_err() {
        done(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        done(Command::new(&python).args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "datasketch",
        ]))?;
    }
    Ok(python)
}
