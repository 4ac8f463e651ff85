//! The time to read pages from each kind of container: `cargo bench -p dehusk-io`.

use dehusk_io::{Column, ColumnType, OutputContainer, OutputSchema, ReadOptions, assemble, open};
use divan::Bencher;
use divan::counter::BytesCount;
use std::fs;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

const PAGES: usize = 200;

fn main() {
    divan::main();
}

/// A page of about 8 KB that compresses as pages do.
fn page(number: usize) -> String {
    let mut page = format!("<html><head><title>Page {number}</title></head><body><ul>");
    for item in 0..40 {
        page += &format!("<li class=item><a href=/{item}>Section {item}</a></li>");
    }
    page += "</ul>";
    for paragraph in 0..30 {
        let hash = (number * 31 + paragraph).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        page += &format!(
            "<p>Paragraph {paragraph} says {hash:x}, and {:x} after that, in a few more words.</p>",
            hash >> 7
        );
    }
    page + "</body></html>"
}

fn warc_records() -> Vec<Vec<u8>> {
    let record = |number: usize| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{}", page(number));
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/{number}\r\nWARC-Record-ID: <urn:{number}>\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        format!("{head}{block}\r\n\r\n").into_bytes()
    };
    (0..PAGES).map(record).collect()
}

fn json_lines() -> Vec<u8> {
    let line = |number| {
        serde_json::json!({"url": format!("http://a.example/{number}"), "html": page(number)}).to_string() + "\n"
    };
    (0..PAGES).map(line).collect::<String>().into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn make(path: &Path) {
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    let bytes = match path.file_name().and_then(|name| name.to_str()).unwrap() {
        "pages.warc" => warc_records().concat(),
        "pages.warc.gz" => warc_records().iter().flat_map(|record| gzip(record)).collect(),
        "pages.warc.zst" => warc_records().iter().flat_map(|record| zstd(record)).collect(),
        "pages.jsonl" => json_lines(),
        "pages.jsonl.gz" => gzip(&json_lines()),
        "pages.jsonl.zst" => zstd(&json_lines()),
        "pages.parquet" => {
            let lines = path.with_extension("segment");
            fs::write(&lines, json_lines()).unwrap();
            let columns = vec![Column::new("url", ColumnType::Utf8), Column::new("html", ColumnType::Utf8)];
            return assemble(&[lines], path, OutputContainer::Parquet, &OutputSchema::new(columns)).unwrap();
        }
        _ => {
            fs::create_dir(path).unwrap();
            return (0..PAGES).for_each(|number| fs::write(path.join(format!("{number}.html")), page(number)).unwrap());
        }
    };
    fs::write(path, bytes).unwrap();
}

#[divan::bench(args = [
    "pages.warc", "pages.warc.gz", "pages.warc.zst", "pages.jsonl", "pages.jsonl.gz", "pages.jsonl.zst", "pages.parquet", "folder",
])]
fn read(bencher: Bencher<'_, '_>, name: &str) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    make(&path);
    let options = ReadOptions::default();
    let bytes: usize = (0..PAGES).map(|number| page(number).len()).sum();
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        let mut source = open(std::slice::from_ref(&path), &options).unwrap();
        let mut pages = 0;
        while let Some(item) = source.next() {
            pages += item.unwrap().open(&options).unwrap().html.len().min(1);
        }
        assert_eq!(pages, PAGES);
    });
}
