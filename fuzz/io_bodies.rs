//! What each fuzz target of crate `dehusk-io` checks. Its tests replay `fuzz/regressions` through the same functions.
//!
//! Each function returns whether a page was read, so that the replay notices a corpus that is rejected as a whole.

use dehusk_io::{InputValue, ReadOptions, Source, open, warc_from_reader};
use std::io::Cursor;
use std::path::Path;

const MAX_PAGE: usize = 5000;

fn options() -> ReadOptions {
    ReadOptions::default()
        .with_max_bytes(MAX_PAGE as u64)
        .with_max_line_bytes(2 * MAX_PAGE as u64)
        .with_max_skip_bytes(1 << 20)
        .with_carry(vec!["date".into(), "warc-date".into()])
}

/// Reads to the end: no page exceeds the limit, and there are no more items than the input can hold.
fn read_all(mut source: Box<dyn Source>, length: usize, options: &ReadOptions) -> bool {
    let (mut items, mut pages) = (0, 0);
    while let Some(item) = source.next() {
        items += 1;
        // Zstandard makes at most 128 KiB of a block, which takes at least four bytes.
        assert!(items <= length * (32 << 10) + 1, "{items} items from {length} bytes");
        if let Ok(record) = item.and_then(|raw| raw.open(options)) {
            pages += 1;
            assert!(record.html.len() <= MAX_PAGE);
            assert_eq!(record.carried.len(), 2);
        }
    }
    pages > 0
}

/// Any bytes are read as a WARC file to its end.
#[allow(dead_code)]
pub(crate) fn warc(data: &[u8]) -> bool {
    let options = options();
    let Ok(source) = warc_from_reader(Cursor::new(data.to_vec()), Path::new("x.warc"), &options) else { return false };
    read_all(source, data.len(), &options)
}

/// Any bytes are read as JSON lines to their end.
#[allow(dead_code)]
pub(crate) fn jsonl(data: &[u8]) -> bool {
    let options = options();
    let Ok(folder) = tempfile::tempdir() else { return false };
    let path = folder.path().join("x.jsonl");
    if std::fs::write(&path, data).is_err() {
        return false;
    }
    let Ok(source) = open(&[path], &options) else { return false };
    read_all(source, data.len(), &options)
}

/// Any bytes are read as Parquet to their end. The limit of items is that of the rows which the file itself claims, so there is none here.
#[allow(dead_code)]
pub(crate) fn parquet(data: &[u8]) -> bool {
    let options = options().with_texts(true).with_id_column("v").with_carry(vec!["v".into(), "url".into()]);
    let Ok(folder) = tempfile::tempdir() else { return false };
    let path = folder.path().join("x.parquet");
    if std::fs::write(&path, data).is_err() {
        return false;
    }
    let Ok(mut source) = open(&[path], &options) else { return false };
    let mut pages = 0;
    // Nulls take no bytes: a small file may have many rows.
    for _ in 0..10_000 {
        let Some(item) = source.next() else { break };
        if let Ok(record) = item.and_then(|raw| raw.open(&options)) {
            pages += 1;
            assert!(record.html.len() <= MAX_PAGE);
            assert_eq!(record.carried.len(), 2);
            let json = record.carried[0].1.json().into_owned();
            assert!(InputValue::from_json(&json).is_some(), "{json}");
        }
    }
    pages > 0
}
