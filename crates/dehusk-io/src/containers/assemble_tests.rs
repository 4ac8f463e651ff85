use std::fs;

use super::*;
use crate::containers::inputs::open;
use crate::containers::schema::{Column, ColumnType};
use crate::error::ErrorKind;
use crate::location::Position;
use crate::read_options::ReadOptions;

fn chunks(folder: &Path, texts: &[&str]) -> Vec<PathBuf> {
    let write = |(number, text): (usize, &&str)| {
        let path = folder.join(format!("{number}.chunk"));
        fs::write(&path, text).unwrap();
        path
    };
    texts.iter().enumerate().map(write).collect()
}

fn schema() -> OutputSchema {
    OutputSchema::new(vec![
        Column::new("url", ColumnType::Utf8),
        Column::new("html", ColumnType::Utf8),
        Column::new("words", ColumnType::I64),
        Column::new("score", ColumnType::F64),
        Column::new("ok", ColumnType::Bool),
        Column::new("id", ColumnType::Json),
    ])
}

const LINES: [&str; 3] = [
    "{\"url\":\"http://a/1\",\"html\":\"<p>é\",\"words\":1,\"score\":0.5,\"ok\":true,\"id\":{\"k\":[1]}}\n",
    "",
    "{\"url\":\"http://a/2\",\"html\":\"\",\"words\":null,\"score\":2,\"ok\":false,\"id\":null}\n{\"url\":\"http://a/3\",\"html\":\"x\",\"words\":-3,\"score\":null,\"ok\":null,\"id\":\"i\"}",
];

#[test]
fn the_path_decides_the_container() {
    let container = |name: &str| OutputContainer::of(Path::new(name));
    assert_eq!(container("a/b.jsonl"), OutputContainer::Jsonl);
    assert_eq!(container("b.JSONL.gz"), OutputContainer::JsonlGz);
    assert_eq!(container("b.jsonl.zst"), OutputContainer::JsonlZst);
    assert_eq!(container("b.parquet"), OutputContainer::Parquet);
    assert_eq!(container("b.d"), OutputContainer::Folder);
}

#[test]
fn every_file_kind_reads_back_and_is_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let chunks = chunks(folder.path(), &LINES);
    for name in ["o.jsonl", "o.jsonl.gz", "o.jsonl.zst", "o.parquet"] {
        let output = folder.path().join(name);
        assemble(&chunks, &output, OutputContainer::of(&output), &schema()).unwrap();
        let first = fs::read(&output).unwrap();
        assemble(&chunks, &output, OutputContainer::of(&output), &schema()).unwrap();
        assert!(first == fs::read(&output).unwrap(), "{name}");
        let options = ReadOptions::default().with_carry(vec!["words".into(), "score".into(), "ok".into()]);
        let mut source = open(&[output], &options).unwrap();
        let mut seen = Vec::new();
        while let Some(item) = source.next() {
            let page = item.unwrap().open(&options).unwrap();
            let carried: Vec<_> = page.carried.iter().map(|(_, value)| value.to_string()).collect();
            seen.push(format!("{} {} {}", page.url, String::from_utf8(page.html).unwrap(), carried.join(" ")));
        }
        let score = if name == "o.parquet" { "2.0" } else { "2" };
        let expected = [
            "http://a/1 <p>é 1 0.5 true".to_string(),
            format!("http://a/2  null {score} false"),
            "http://a/3 x -3 null null".into(),
        ];
        assert_eq!(seen, expected, "{name}");
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 7, "no temporary file stays: {left:?}");
}

#[test]
fn many_rows_become_many_row_groups() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..150_000).map(|n| format!("{{\"url\":\"u{n}\",\"html\":\"{}\"}}\n", n % 10)).collect();
    let chunks = chunks(folder.path(), &[&text]);
    let output = folder.path().join("o.parquet");
    let schema = OutputSchema::new(vec![Column::new("url", ColumnType::Utf8), Column::new("html", ColumnType::Utf8)]);
    assemble(&chunks, &output, OutputContainer::Parquet, &schema).unwrap();
    let mut source = open(&[output], &ReadOptions::default()).unwrap();
    let mut count = 0;
    while let Some(item) = source.next() {
        let raw = item.unwrap();
        count += 1;
        assert_eq!(raw.location().position(), Position::Row(count));
        assert_eq!(raw.open(&ReadOptions::default()).unwrap().url, format!("u{}", count - 1));
    }
    assert_eq!((count, source.bytes_read()), (150_000, source.bytes_total().unwrap()));
}

#[test]
fn a_missing_column_is_one_fault_that_lists_the_columns() {
    let folder = tempfile::tempdir().unwrap();
    let chunks = chunks(folder.path(), &["{\"address\":\"u\",\"body\":\"x\"}"]);
    let output = folder.path().join("o.parquet");
    let schema =
        OutputSchema::new(vec![Column::new("address", ColumnType::Utf8), Column::new("body", ColumnType::Utf8)]);
    assemble(&chunks, &output, OutputContainer::Parquet, &schema).unwrap();
    let mut source = open(std::slice::from_ref(&output), &ReadOptions::default()).unwrap();
    let fault = source.next().unwrap().unwrap_err();
    assert!(source.next().is_none());
    let expected = format!("{}: has no column \"html\"; its columns are \"address\", \"body\"", output.display());
    assert_eq!((fault.kind.name(), fault.to_string()), ("missing_column", expected));
}

#[test]
fn a_damaged_parquet_never_panics_out() {
    let folder = tempfile::tempdir().unwrap();
    let chunks = chunks(folder.path(), &LINES);
    let output = folder.path().join("o.parquet");
    assemble(&chunks, &output, OutputContainer::Parquet, &schema()).unwrap();
    let sound = fs::read(&output).unwrap();
    for at in 0..sound.len() {
        let mut hurt = sound.clone();
        if at % 3 == 0 {
            hurt.truncate(at);
        } else {
            hurt[at] ^= 1 << (at % 8);
        }
        fs::write(&output, &hurt).unwrap();
        let mut source = open(std::slice::from_ref(&output), &ReadOptions::default()).unwrap();
        let mut count = 0;
        while source.next().is_some() {
            count += 1;
            assert!(count < 1000);
        }
    }
}

#[test]
fn a_folder_holds_one_file_per_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{\"url\":\"http://a/x\",\"text\":\"one\"}\n{\"url\":\"http://a/x\",\"text\":\"two\"}\n{\"path\":\"../b/c.md\",\"url\":\"u\",\"text\":null}\n";
    let chunks = chunks(folder.path(), &[text]);
    let output = folder.path().join("out");
    assemble(&chunks, &output, OutputContainer::of(&output), &OutputSchema::new(Vec::new())).unwrap();
    let read = |name: &str| fs::read_to_string(output.join(name)).unwrap();
    assert_eq!((read("a/x.txt"), read("a/x-2.txt"), read("b/c.md")), ("one".into(), "two".into(), String::new()));
    assert_eq!(fs::read_dir(output.join("a")).unwrap().count(), 2);
}

#[test]
fn a_failed_output_leaves_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let chunks = chunks(folder.path(), &["{\"url\":1}\n"]);
    let output = folder.path().join("o.parquet");
    fs::write(&output, "old").unwrap();
    let error = assemble(&chunks, &output, OutputContainer::Parquet, &schema()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.to_string().contains("line 1"), "{error}");
    assert_eq!(fs::read_to_string(&output).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_of_its_own_kind() {
    let folder = tempfile::tempdir().unwrap();
    let chunks = chunks(folder.path(), &[&LINES[0].repeat(9000)]);
    for container in
        [OutputContainer::Jsonl, OutputContainer::JsonlGz, OutputContainer::JsonlZst, OutputContainer::Parquet]
    {
        let error = assemble(&chunks, Path::new("/dev/full"), container, &schema()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoSpace, "{container:?}: {error}");
        let text = error.to_string();
        assert!(text.starts_with("/dev/full: cannot be written: ") && error.is_resumable(), "{text}");
    }
}

#[test]
fn an_output_without_a_folder_is_an_error_with_its_name() {
    let error = assemble(&[], Path::new("/no/such/o.jsonl"), OutputContainer::Jsonl, &schema()).unwrap_err();
    assert!(error.to_string().starts_with("/no/such/o.jsonl: cannot be written"), "{error}");
}
