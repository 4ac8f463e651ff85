//! Small inputs that ask for much: rows without end, and footers that count what is not there. The job goes on, or stops and says why.

mod common;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{gzip, zstd};
use dehusk::detect::KeepAll;
use dehusk::{Extractor, Options};
use dehusk_io::ErrorKind;
use dehusk_io::crawl::{Crawl, PageOutcome, Progress};
use serde_json::{Value, json};

fn crawl(input: &Path, output: &Path) -> Crawl {
    let extractor = Extractor::new(Options::new()).unwrap().with_detector(KeepAll).unwrap();
    Crawl::new(extractor, vec![input.to_path_buf()], output).with_threads(2)
}

fn rows(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Stops the run by a panic after some pages, as a kill would.
struct StopAfter(AtomicU64);

impl Progress for StopAfter {
    fn pass(&self, _: &str, _: Option<u64>) {}

    fn page(&self, _: u64, _: PageOutcome) {
        assert!(self.0.fetch_sub(1, Ordering::SeqCst) > 1, "stopped");
    }
}

#[test]
fn lines_without_pages_are_counted_and_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.jsonl.gz"), folder.path().join("out.jsonl"));
    let page = json!({ "url": "http://a.example/", "html": "<p>The nets are mended in May." });
    let text = format!("{page}\n{}{page}\n{}", "{}\n".repeat(5000), "{}\n".repeat(4000));
    fs::write(&input, gzip(text.as_bytes())).unwrap();
    let tally = crawl(&input, &output).run(&()).unwrap();
    assert_eq!((tally.pages, tally.failed), (9002, 9000));
    let whole = fs::read(&output).unwrap();
    let found = rows(&output);
    // A page, 300 rows and one for the other lines, and the same once more.
    assert_eq!(found.len(), 2 * 302);
    assert!(found[301]["error_message"].as_str().unwrap().starts_with("4700 more in a row"), "{}", found[301]);
    assert_eq!(found[302]["url"], "http://a.example/");
    assert!(found[603]["error_message"].as_str().unwrap().contains("3700 missing_column"), "{}", found[603]);
    // The same bytes on one thread, and after a stop in the middle of what is left out.
    assert_eq!(crawl(&input, &output).with_threads(1).run(&()).unwrap().failed, 9000);
    assert_eq!(fs::read(&output).unwrap(), whole);
    let stopped = AssertUnwindSafe(|| crawl(&input, &output).run(&StopAfter(AtomicU64::new(3500))));
    assert!(catch_unwind(stopped).is_err());
    assert_eq!(crawl(&input, &output).with_resume(true).run(&()).unwrap().failed, 9000);
    assert_eq!(fs::read(&output).unwrap(), whole);
}

#[test]
fn faults_that_name_their_page_are_all_written() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
    let lines: String = (0..1000).map(|id| format!("{{\"id\": {id}}}\n")).collect();
    fs::write(&input, lines).unwrap();
    crawl(&input, &output).run(&()).unwrap();
    assert_eq!(rows(&output).iter().map(|row| row["id"].clone()).collect::<Vec<_>>(), (0..1000).collect::<Vec<_>>());
}

#[test]
fn rows_of_many_times_the_input_stop_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.jsonl.zst"), folder.path().join("out.jsonl"));
    let page = json!({ "url": "http://a.example/", "html": format!("<p>{}", "net ".repeat(250_000)) });
    fs::write(&input, zstd(format!("{page}\n").repeat(80).as_bytes())).unwrap();
    let error = crawl(&input, &output).run(&()).unwrap_err();
    assert_eq!((error.kind(), error.path(), error.is_resumable()), (ErrorKind::TooMuchOutput, Some(&*input), true));
    // Whoever wants it all goes on where it stopped.
    let tally = crawl(&input, &output).with_max_output_ratio(0).with_resume(true).run(&()).unwrap();
    assert_eq!((tally.pages, tally.failed, rows(&output).len()), (80, 0, 80));
}

#[test]
fn a_parquet_file_with_a_deep_schema_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out.parquet"));
    fs::create_dir(&input).unwrap();
    // The version, a list of 20,000 groups with one child each around a column, and no rows.
    let group = [0x35, 2, 0x18, 1, b'g', 0x15, 2, 0];
    let column = [&[0x15, 12, 0x25, 2, 0x18, 4][..], b"html", &[0]].concat();
    let list = [0x15, 2, 0x19, 0xfc, 0xa1, 0x9c, 0x01];
    let footer = [&list[..], &group.repeat(20_000), &column, &[0x16, 0, 0x19, 0x0c, 0]].concat();
    let length = (footer.len() as u32).to_le_bytes();
    fs::write(input.join("deep.parquet"), [b"PAR1", &footer[..], &length, b"PAR1"].concat()).unwrap();
    fs::write(input.join("good.jsonl"), format!("{}\n", json!({ "url": "http://a.example/", "html": "<p>x" })))
        .unwrap();
    let read = dehusk_io::ReadOptions::default().with_carry(vec!["g".to_string()]);
    for resume in [false, true] {
        let tally = crawl(&input, &output).with_read_options(read.clone()).with_resume(resume).run(&()).unwrap();
        assert_eq!((tally.pages, tally.failed), (2, 1));
        assert_eq!(tally.errors.keys().collect::<Vec<_>>(), ["damaged_archive"]);
    }
}

#[cfg(unix)]
#[test]
fn the_state_of_a_run_is_not_kept_behind_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
    fs::write(&input, "{}\n").unwrap();
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("kept"), "x").unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder.path().join("out.jsonl.dehusk-run")).unwrap();
    assert_eq!(crawl(&input, &output).run(&()).unwrap_err().kind(), ErrorKind::CannotWrite);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1);
}
