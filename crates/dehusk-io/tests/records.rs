//! The job that writes the records of pages: every format, the same bytes at every number of threads and after a stop, and bounds on what
//! rows repeat.

use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array as _, RecordBatch};
use dehusk::Extractor;
use dehusk::detect::KeepAll;
use dehusk_io::ReadOptions;
use dehusk_io::crawl::{Crawl, PageOutcome, Progress, RecordFormat, RecordOutput, Tally};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

/// A page with as many cards.
fn shop(number: usize, cards: usize) -> String {
    let card = |card: usize| {
        format!(
            "<li><h3><a href=/net-{number}-{card}>Net {number}, \"{card}\"</a></h3><p>made of hemp, knotted by hand</p>\
             <span class=price>€ {card}</span></li>"
        )
    };
    let cards: String = (1..=cards).map(card).collect();
    format!("<title>Shop {number}</title><h1>Shop</h1><ul>{cards}</ul>")
}

/// Pages with cards, a page without any, and a line that is no page.
fn write_pages(path: &Path, pages: usize) {
    let page = |number: usize| {
        let html = if number == 1 { "<p>One text alone.</p>".to_string() } else { shop(number, 3 + number % 3) };
        json!({ "id": number, "url": format!("https://a.example/{number}/"), "html": html, "day": "Monday" })
            .to_string()
    };
    let mut lines: Vec<String> = (0..pages).map(page).collect();
    lines.push(json!({ "id": pages, "url": "https://a.example/none/" }).to_string());
    fs::write(path, lines.join("\n")).unwrap();
}

fn job(input: &Path, output: &Path, format: RecordFormat) -> Crawl {
    let extractor = Extractor::default().with_detector(KeepAll).unwrap();
    Crawl::new(extractor, vec![input.to_path_buf()], output)
        .with_read_options(ReadOptions::default().with_carry(vec!["day".into()]))
        .with_records(RecordOutput::new(format, false))
        .with_threads(2)
}

fn run(input: &Path, output: &Path, format: RecordFormat) -> (Tally, Vec<u8>) {
    let tally = job(input, output, format).run(&()).unwrap();
    (tally, if output.is_file() { fs::read(output).unwrap() } else { Vec::new() })
}

fn rows_of(text: &[u8]) -> Vec<Value> {
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

fn batches(path: &Path) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap().build().unwrap();
    reader.map(Result::unwrap).collect()
}

/// The cells of CSV, read by its rules.
fn cells(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if is_quoted && rest.peek() == Some(&'"') => cell.extend(rest.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    assert!(!is_quoted && row.is_empty() && cell.is_empty());
    rows
}

#[test]
fn every_format_has_the_same_records() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write_pages(&at("pages.jsonl"), 4);
    let (tally, text) = run(&at("pages.jsonl"), &at("a.jsonl"), RecordFormat::Jsonl);
    let pages = rows_of(&text);
    assert_eq!((tally.pages, tally.failed, tally.records), (5, 1, 3 + 5 + 3));
    assert_eq!(pages.iter().map(|page| page["id"].clone()).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!(
        (&pages[1]["groups"], &pages[4]["groups"], &pages[4]["error"]),
        (&json!([]), &Value::Null, &json!("missing_column"))
    );
    assert!(pages.iter().all(|page| page["day"].is_null() == (page["id"] == 4)));
    let first = &pages[0]["groups"][0];
    assert_eq!(first["is_content"], true);
    assert!(first["xpath"].as_str().unwrap().ends_with("/ul[1]"), "{first}");
    let record = &first["records"][1];
    assert_eq!(record["fields"]["title"], "Net 0, \"2\"");
    assert_eq!(record["fields"]["url"], "https://a.example/net-0-2");
    assert!(record["text"].as_str().unwrap().contains("knotted by hand"));

    let (_, text) = run(&at("pages.jsonl"), &at("a.csv"), RecordFormat::Csv);
    let table = cells(&String::from_utf8(text).unwrap());
    let column = |name: &str| table[0].iter().position(|own| own == name).unwrap();
    // A row for each record, and one for the page that could not be read.
    assert_eq!(table.len(), 1 + 11 + 1);
    assert_eq!(table[0][..6], ["id", "url", "group", "kind", "is_content", "record"]);
    assert_eq!(table[2][..6], ["0", "https://a.example/0/", "0", first["kind"].as_str().unwrap(), "true", "1"]);
    assert_eq!([&table[2][column("title")], &table[2][column("link")]], ["Net 0, \"2\"", "https://a.example/net-0-2"]);
    assert_eq!(serde_json::from_str::<Value>(&table[2][column("fields")]).unwrap(), record["fields"]);
    assert_eq!(table[2][column("day")], "Monday");
    let last = table.last().unwrap();
    assert_eq!(
        (last[0].as_str(), last[column("kind")].as_str(), last[column("error")].as_str()),
        ("4", "", "missing_column")
    );

    run(&at("pages.jsonl"), &at("a.parquet"), RecordFormat::Parquet);
    let batch = &batches(&at("a.parquet"))[0];
    assert_eq!(batch.num_rows(), 12);
    let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, table[0]);
    let number = |name: &str| batch.column_by_name(name).unwrap().as_primitive::<Int64Type>().value(1);
    assert_eq!((number("id"), number("group"), number("record")), (0, 0, 1));
    let fields = batch.column_by_name("fields").unwrap().as_map();
    assert!(fields.is_null(11));
    let entries = fields.value(1);
    let (keys, values) = (entries.column(0).as_string::<i32>(), entries.column(1).as_list::<i32>());
    let title = keys.iter().position(|key| key == Some("title")).unwrap();
    assert_eq!(values.value(title).as_string::<i32>().iter().collect::<Vec<_>>(), [Some("Net 0, \"2\"")]);

    let (_, text) = run(&at("pages.jsonl"), &at("a.md"), RecordFormat::Markdown);
    let markdown = String::from_utf8(text).unwrap();
    assert_eq!(markdown.lines().filter(|line| line.starts_with("# ")).count(), 3, "{markdown}");
    assert!(markdown.contains("# Shop 0\n\n## 3 ") && markdown.contains("# Shop 3\n"), "{markdown}");
    assert_eq!(markdown.matches("https://a.example/net-0-2").count(), 1, "{markdown}");
}

#[test]
fn a_folder_has_a_file_for_each_page() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write_pages(&at("pages.jsonl"), 3);
    for (format, ending) in [(RecordFormat::Jsonl, "json"), (RecordFormat::Csv, "csv"), (RecordFormat::Markdown, "md")]
    {
        let output = at(ending);
        run(&at("pages.jsonl"), &output, format);
        let files: Vec<PathBuf> = walkdir::WalkDir::new(&output)
            .sort_by_file_name()
            .into_iter()
            .map(|entry| entry.unwrap().into_path())
            .filter(|path| path.is_file())
            .collect();
        assert_eq!(files.len(), 4, "{files:?}");
        assert!(files.iter().all(|path| path.extension().unwrap() == ending), "{files:?}");
        let first = fs::read_to_string(&files[0]).unwrap();
        match format {
            RecordFormat::Csv => assert_eq!(cells(&first).len(), 4),
            RecordFormat::Markdown => assert!(first.starts_with("# Shop 0\n"), "{first}"),
            _ => assert_eq!(rows_of(first.as_bytes())[0]["groups"][0]["records"].as_array().unwrap().len(), 3),
        }
    }
}

struct StopAt(AtomicU64);

impl Progress for StopAt {
    fn pass(&self, _: &str, _: Option<u64>) {}

    fn page(&self, _: u64, _: PageOutcome) {
        assert!(self.0.fetch_sub(1, Ordering::Relaxed) > 0, "stopped by the test");
    }
}

#[test]
fn threads_and_stops_do_not_change_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // More than a chunk.
    write_pages(&at("pages.jsonl"), 1300);
    for format in RecordFormat::ALL {
        let (tally, wanted) = run(&at("pages.jsonl"), &at(&format!("a{}", format.ending())), format);
        let output = at(&format!("b{}", format.ending()));
        let again = |threads: usize, resume: bool| {
            job(&at("pages.jsonl"), &output, format).with_threads(threads).with_resume(resume)
        };
        assert_eq!(again(1, false).run(&()).unwrap().records, tally.records);
        assert!(fs::read(&output).unwrap() == wanted, "{format:?} on one thread");
        fs::remove_file(&output).unwrap();
        let stopped = catch_unwind(AssertUnwindSafe(|| again(3, false).run(&StopAt(AtomicU64::new(1200)))));
        assert!(stopped.is_err() && !output.exists());
        // A run with other options is another run.
        let other = again(2, true).with_records(RecordOutput::new(format, true)).run(&());
        assert!(other.is_err(), "{format:?}");
        assert_eq!(again(2, true).run(&()).unwrap().records, tally.records);
        assert!(fs::read(&output).unwrap() == wanted, "{format:?} resumed");
    }
}

#[test]
fn rows_repeat_no_more_of_a_page_than_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let html = shop(0, 400);
    let long = "Monday ".repeat(20_000);
    let line = json!({ "url": "https://a.example/", "html": html, "day": long }).to_string();
    fs::write(at("pages.jsonl"), line).unwrap();
    let (tally, text) = run(&at("pages.jsonl"), &at("a.csv"), RecordFormat::Csv);
    let rows = cells(&String::from_utf8(text).unwrap());
    assert!(rows.len() > 50 && rows.len() < 300, "{} rows", rows.len());
    assert_eq!(tally.records as usize, rows.len() - 1);
    assert_eq!(tally.flags["cut_records"], 1);
    let flags = rows[0].iter().position(|name| name == "flags").unwrap();
    assert!(rows[1..].iter().all(|row| row[flags].contains("cut_records")));
    // The row of a page repeats nothing.
    let (tally, _) = run(&at("pages.jsonl"), &at("a.jsonl"), RecordFormat::Jsonl);
    assert_eq!((tally.records, tally.flags.contains_key("cut_records")), (400, false));
}

#[test]
fn pages_of_very_many_records_give_bounded_rows() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let item = |number: u32| format!("<li><h3><a href=/{number}>Net {number}</a></h3><p>hemp, by hand</p></li>");
    let items: String = (0..30_000).map(item).collect();
    let html = format!("<ul>{items}</ul>");
    fs::write(at("pages.jsonl"), json!({ "url": "https://a.example/", "html": html }).to_string()).unwrap();
    for format in RecordFormat::ALL {
        let (tally, text) = run(&at("pages.jsonl"), &at(&format!("a{}", format.ending())), format);
        assert!(text.len() < 30 * html.len(), "{format:?}: {} bytes of {}", text.len(), html.len());
        let is_cut = tally.flags.contains_key("cut_records");
        assert!(tally.records == 30_000 || (is_cut && tally.records > 0), "{format:?}: {}", tally.records);
    }
}
