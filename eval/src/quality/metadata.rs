//! Title, author and date of the pages of wcxb-dev against its reference values, compared with trafilatura if it is installed.

use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use crate::shared::report::{Results, table};
use dehusk::Metadata;
use dehusk::dom::{Document, Parser};
use dehusk::metadata::metadata;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const FIELDS: [(&str, &str); 3] = [("title", "title"), ("author", "author"), ("date", "publish_date")];

/// How the values of one field compare with the reference.
#[derive(Default, Clone, Copy)]
struct Score {
    /// Pages with a reference value.
    known: u64,
    right: u64,
    wrong: u64,
    /// Values for pages without a reference value.
    extra: u64,
}

impl Score {
    fn add(&mut self, field: &str, truth: Option<&str>, value: Option<&str>) {
        self.known += u64::from(truth.is_some());
        match (truth, value) {
            (Some(truth), Some(value)) if is_same(field, truth, value) => self.right += 1,
            (Some(_), Some(_)) => self.wrong += 1,
            (None, Some(_)) => self.extra += 1,
            (_, None) => {}
        }
    }

    fn row(&self, name: &str, field: &str) -> Vec<String> {
        let share = |count: u64| format!("{count} ({:.1} %)", 100.0 * count as f64 / self.known.max(1) as f64);
        let missing = self.known - self.right - self.wrong;
        let cells = [share(self.right), share(self.wrong), share(missing), self.extra.to_string()];
        [field.to_string(), name.to_string(), self.known.to_string()].into_iter().chain(cells).collect()
    }
}

pub(crate) fn run(data: &Data, results: &Results, python: Option<&Path>, verbose: bool) -> Result<(), Stop> {
    let file = data.find("wcxb-dev.jsonl.zst")?;
    let mut parser = Parser::default();
    let mut document = Document::default();
    let mut peer = python.map(Peer::start).transpose()?;
    let (mut ours, mut theirs) = ([Score::default(); 3], [Score::default(); 3]);
    let mut sources: BTreeMap<(usize, &'static str), (u64, u64)> = BTreeMap::new();
    let (mut parsing, mut reading) = (Duration::ZERO, Duration::ZERO);
    read_records(&file, |record| {
        let html = record["html"].as_str().unwrap_or_default();
        let start = Instant::now();
        if parser.parse_into(html, &mut document).is_err() {
            return;
        }
        parsing += start.elapsed();
        let start = Instant::now();
        let found = metadata(&document);
        reading += start.elapsed();
        let other = peer.as_mut().map(|peer| peer.ask(html));
        for (at, (field, key)) in FIELDS.iter().enumerate() {
            let truth = text(&record[*key]);
            let own = field_of(&found, field);
            ours[at].add(field, truth, own.map(|(value, _)| value));
            if let Some(other) = &other {
                theirs[at].add(field, truth, text(&other[*field]));
            }
            if let (Some(truth), Some((value, source))) = (truth, own) {
                let right = is_same(field, truth, value);
                let count = sources.entry((at, source)).or_default();
                count.0 += u64::from(right);
                count.1 += u64::from(!right);
                if verbose && !right {
                    println!("{}\t{field}\t{source}\t{truth}\t{value}", record["id"].as_str().unwrap_or_default());
                }
            } else if verbose && truth.is_some() {
                println!(
                    "{}\t{field}\tmissing\t{}\t",
                    record["id"].as_str().unwrap_or_default(),
                    truth.unwrap_or_default()
                );
            }
        }
    })?;
    let mut rows = Vec::new();
    for (at, (field, _)) in FIELDS.iter().enumerate() {
        rows.push(ours[at].row("dehusk", field));
        if let Some(peer) = &peer {
            rows.push(theirs[at].row(&peer.name, field));
        }
    }
    let mut body = table(
        &["field", "extractor", "pages with a reference", "right", "wrong", "missing", "given without a reference"],
        &rows,
    );
    let rows: Vec<Vec<String>> = sources
        .iter()
        .map(|((at, source), (right, wrong))| {
            let share = format!("{:.1} %", 100.0 * *right as f64 / (right + wrong).max(1) as f64);
            vec![FIELDS[*at].0.to_string(), source.to_string(), right.to_string(), wrong.to_string(), share]
        })
        .collect();
    body.push_str("\nBy the source used, on pages with a reference value:\n\n");
    body.push_str(&table(&["field", "source", "right", "wrong", "right, of given"], &rows));
    body.push_str(&format!(
        "\nReading the metadata took {:.2} s for all pages, parsing {:.2} s (one run, one thread).\n",
        reading.as_secs_f64(),
        parsing.as_secs_f64()
    ));
    body.push_str(
        "\nTitles and authors are compared by their letters and digits in lower case, without \"by\"; the order of several authors is \
         ignored. Dates are compared by day. The reference values are those recorded by the makers of the corpus; on a page without \
         one, a value may be right or wrong. `--python` names a Python with trafilatura to compare with.\n",
    );
    results.publish("metadata", "Metadata", "wcxb-dev (1,497 pages)", &body)
}

fn field_of<'a>(found: &'a Metadata, field: &str) -> Option<(&'a str, &'static str)> {
    let (_, field) = found.fields().into_iter().find(|(name, _)| *name == field)?;
    field.map(|field| (&*field.value, field.source.name()))
}

/// A value that is present and not empty.
fn text(value: &Value) -> Option<&str> {
    value.as_str().map(str::trim).filter(|text| !text.is_empty())
}

fn is_same(field: &str, truth: &str, value: &str) -> bool {
    match field {
        "date" => truth == value || (truth.len() < 10 && value.starts_with(truth)),
        "author" => names(truth) == names(value),
        _ => words(truth) == words(value),
    }
}

fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace(['\'', '’'], "");
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_string).collect()
}

/// The words of all names, sorted, without "by" and "and".
fn names(text: &str) -> Vec<String> {
    let mut words = words(text);
    words.retain(|word| !matches!(word.as_str(), "by" | "and"));
    words.sort();
    words
}

/// Trafilatura in a separate process: a page per JSON line in, its metadata per JSON line out.
struct Peer {
    name: String,
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

const PEER: &str = r#"
import json, sys, trafilatura
from trafilatura.metadata import extract_metadata
print(json.dumps(trafilatura.__version__), flush=True)
for line in sys.stdin:
    try:
        found = extract_metadata(json.loads(line))
        out = {"title": found.title, "author": found.author, "date": found.date} if found else {}
    except Exception:
        out = {}
    print(json.dumps(out), flush=True)
"#;

impl Peer {
    fn start(python: &Path) -> Result<Peer, Stop> {
        let mut child = Command::new(python).args(["-c", PEER]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let answers = BufReader::new(child.stdout.take().ok_or(Stop::Broken("no output".into()))?);
        let mut peer = Peer { name: String::new(), child, answers };
        match peer.answer() {
            Value::String(version) => peer.name = format!("trafilatura {version}"),
            _ => return Err(Stop::Absent(format!("{} has no trafilatura", python.display()))),
        }
        Ok(peer)
    }

    fn ask(&mut self, html: &str) -> Value {
        if let Some(input) = &mut self.child.stdin {
            let _ = writeln!(input, "{}", Value::from(html));
        }
        self.answer()
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        let _ = self.answers.read_line(&mut line);
        serde_json::from_str(&line).unwrap_or_default()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
