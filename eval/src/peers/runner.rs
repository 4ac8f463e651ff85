//! Runs an extractor in a separate process and reads its output.
//!
//! A process that dies on a page, or takes too long, is restarted after that page. The page counts as failed with an empty
//! text, and the others are still measured.

use super::pages::Pages;
use crate::Stop;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a process may go without finishing a page.
const PATIENCE: Duration = Duration::from_secs(120);

/// Texts by id of page.
pub(super) type Texts = BTreeMap<String, String>;

/// The output and cost of an extractor.
#[derive(Default)]
pub(super) struct Run {
    pub(super) texts: Texts,
    /// CPU time of extracting all pages.
    pub(super) seconds: f64,
    /// Bytes; `None` if the system does not report it.
    pub(super) peak: Option<u64>,
    /// Pages without a text, with the reason.
    pub(super) failed: Vec<(String, String)>,
}

/// Runs a program with its arguments, followed by those of the harness, on all pages.
pub(super) fn run(command: &[OsString], pages: &Pages, out: &Path) -> Result<Run, Stop> {
    let _ = fs::remove_file(out);
    File::create(out)?;
    let mut done = 0;
    while done < pages.truths.len() {
        let end = watch(start(command, pages, out, done)?, out)?;
        let lines = finished_lines(out)?;
        if lines < pages.truths.len() {
            // A process that dies before its first page would do so again.
            if lines == done && done == 0 && end.at_once {
                return Err(Stop::Broken(end.reason));
            }
            let record = json!({"id": pages.truths[lines].id, "failed": end.reason, "seconds": 0.0});
            writeln!(OpenOptions::new().append(true).open(out)?, "{record}")?;
        }
        done = finished_lines(out)?;
    }
    read(out)
}

fn start(command: &[OsString], pages: &Pages, out: &Path, first: usize) -> Result<Child, Stop> {
    let (program, arguments) = command.split_first().ok_or_else(|| Stop::Broken("no program".into()))?;
    let messages = File::create(out.with_extension("messages"))?;
    let child = Command::new(program)
        .args(arguments)
        .arg(&pages.file)
        .arg(out)
        .arg(first.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(messages)
        .spawn()?;
    Ok(child)
}

/// How a process ended.
struct End {
    reason: String,
    /// Whether it wrote nothing and ended by itself.
    at_once: bool,
}

/// Waits for a process to end, or kills it if it takes too long for one page.
fn watch(mut child: Child, out: &Path) -> Result<End, Stop> {
    let first = out.metadata()?.len();
    let (mut length, mut since) = (first, Instant::now());
    loop {
        if let Some(status) = child.try_wait()? {
            cut_torn_line(out)?;
            let messages = fs::read_to_string(out.with_extension("messages")).unwrap_or_default();
            let last = messages.lines().next_back().unwrap_or_default();
            let at_once = out.metadata()?.len() == first && status.code().is_some();
            return Ok(End { reason: format!("{status} {last}").trim().to_string(), at_once });
        }
        let now = out.metadata()?.len();
        if now != length {
            (length, since) = (now, Instant::now());
        } else if since.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            cut_torn_line(out)?;
            return Ok(End { reason: format!("not finished after {} s", PATIENCE.as_secs()), at_once: false });
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Removes a partial line that a process left when it was killed.
fn cut_torn_line(out: &Path) -> Result<(), Stop> {
    let bytes = fs::read(out)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole < bytes.len() {
        OpenOptions::new().write(true).open(out)?.set_len(whole as u64)?;
    }
    Ok(())
}

fn finished_lines(out: &Path) -> Result<usize, Stop> {
    Ok(fs::read(out)?.iter().filter(|byte| **byte == b'\n').count())
}

fn read(out: &Path) -> Result<Run, Stop> {
    let mut run = Run::default();
    each_record(out, |record| {
        let id = record["id"].as_str().unwrap_or_default().to_string();
        run.seconds += record["seconds"].as_f64().unwrap_or(0.0);
        run.peak = run.peak.max(record["peak"].as_u64());
        if let Some(reason) = record["failed"].as_str() {
            run.failed.push((id.clone(), reason.to_string()));
        }
        run.texts.insert(id, record["text"].as_str().unwrap_or_default().to_string());
    })?;
    Ok(run)
}

/// Reads texts by id from JSON lines.
pub(super) fn read_texts(path: &Path) -> Result<Texts, Stop> {
    let mut texts = Texts::new();
    each_record(path, |record| {
        let id = record["id"].as_str().map_or_else(|| record["id"].to_string(), str::to_string);
        texts.insert(id, record["text"].as_str().unwrap_or_default().to_string());
    })?;
    Ok(texts)
}

fn each_record(path: &Path, mut each: impl FnMut(Value)) -> Result<(), Stop> {
    let broken = |error: &dyn std::fmt::Display| Stop::Broken(format!("{}: {error}", path.display()));
    for line in BufReader::new(File::open(path).map_err(|error| broken(&error))?).lines() {
        each(serde_json::from_str(&line?).map_err(|error| broken(&error))?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::score::Truth;
    use super::super::score::Words;
    use super::*;

    fn pages(folder: &Path, ids: &[&str]) -> Pages {
        let truth = |id: &&str| Truth {
            id: id.to_string(),
            page_type: "article".into(),
            words: Words::count(""),
            with: Vec::new(),
            without: Vec::new(),
        };
        Pages { file: folder.join("pages.jsonl"), truths: ids.iter().map(truth).collect(), bytes: 0 }
    }

    fn shell(script: &str) -> Vec<OsString> {
        ["sh", "-c", script, "sh"].map(OsString::from).to_vec()
    }

    /// Writes page "a", dies on page "b" within a line, and does the rest when restarted after it.
    const DIES_AT_B: &str = r#"
        if [ "$3" = 0 ]; then
            echo '{"id":"a","text":"A","seconds":1,"peak":5}' >> "$2"; printf '{"id":"b","te' >> "$2"; kill -9 $$
        fi
        echo '{"id":"c","text":"C","seconds":2,"peak":3}' >> "$2""#;

    #[test]
    fn a_page_that_ends_the_process_costs_that_page_only() {
        let folder = std::env::temp_dir().join(format!("dehusk-runner-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let pages = pages(&folder, &["a", "b", "c"]);
        let out = folder.join("out.jsonl");
        let run = super::run(&shell(DIES_AT_B), &pages, &out).unwrap_or_else(|_| panic!("the run goes on"));
        let texts: Vec<(&str, &str)> = run.texts.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
        assert_eq!(texts, [("a", "A"), ("b", ""), ("c", "C")]);
        assert_eq!((run.seconds, run.peak, run.failed.len()), (3.0, Some(5), 1));
        assert_eq!(run.failed[0].0, "b");
        // A process that cannot start at all is an error.
        assert!(super::run(&shell("echo no >&2; exit 3"), &pages, &out).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
