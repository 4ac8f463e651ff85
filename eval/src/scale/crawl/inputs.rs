//! The corpus as one crawl in the containers that `dehusk clean` reads.

use crate::Stop;
use crate::shared::corpus::read_pages;
use dehusk_io::{Column, ColumnType, OutputContainer, OutputSchema, assemble};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// One page.
pub(super) struct Page {
    pub(super) url: String,
    pub(super) id: String,
    pub(super) html: String,
}

impl Page {
    /// A JSON line, the URL first.
    pub(super) fn line(&self) -> Vec<u8> {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        format!("{{\"url\":{},\"id\":{},\"html\":{}}}\n", text(&self.url), text(&self.id), text(&self.html))
            .into_bytes()
    }

    /// A WARC record, not compressed.
    pub(super) fn record(&self) -> Vec<u8> {
        warc_record(&self.url, &self.id, "", self.html.as_bytes())
    }
}

/// A WARC record with a response of a server.
pub(super) fn warc_record(url: &str, id: &str, more: &str, body: &[u8]) -> Vec<u8> {
    let mut out = warc_head(url, id, more, body.len() as u64);
    out.extend_from_slice(body);
    out.extend_from_slice(b"\r\n\r\n");
    out
}

/// A WARC record up to the body of its response.
pub(super) fn warc_head(url: &str, id: &str, more: &str, body: u64) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{more}\r\n");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Record-ID: {id}\r\nWARC-Date: \
         2024-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{head}",
        head.len() as u64 + body
    )
    .into_bytes()
}

/// One gzip member.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>, Stop> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// All sites as one crawl. Files are created on first use.
pub(super) struct Corpus<'a> {
    sites: &'a [PathBuf],
    work: &'a Path,
}

impl<'a> Corpus<'a> {
    pub(super) fn new(sites: &'a [PathBuf], work: &'a Path) -> Corpus<'a> {
        Corpus { sites, work }
    }

    /// Calls back with all pages in sequence.
    pub(super) fn pages(&self, mut each: impl FnMut(Page) -> Result<(), Stop>) -> Result<(), Stop> {
        let (mut number, mut failed) = (0, None);
        for site in self.sites {
            read_pages(site, |url, html| {
                number += 1;
                let page = Page { url: url.to_string(), id: format!("<urn:example:page-{number}>"), html };
                if failed.is_none() {
                    failed = each(page).err();
                }
            })?;
            if let Some(failed) = failed.take() {
                return Err(failed);
            }
        }
        Ok(())
    }

    /// The first sites, up to about `count` pages.
    pub(super) fn first_pages(&self, count: usize) -> Result<Vec<Page>, Stop> {
        let mut pages = Vec::new();
        for site in self.sites {
            if pages.len() >= count {
                break;
            }
            let part = Corpus { sites: std::slice::from_ref(site), work: self.work };
            part.pages(|page| {
                let id = format!("<urn:example:page-{}>", pages.len());
                pages.push(Page { id, ..page });
                Ok(())
            })?;
        }
        Ok(pages)
    }

    fn make(&self, name: &str, write: impl FnOnce(&mut BufWriter<File>) -> Result<(), Stop>) -> Result<PathBuf, Stop> {
        let path = self.work.join(name);
        if !path.exists() {
            let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
            write(&mut out)?;
            out.flush()?;
        }
        Ok(path)
    }

    /// JSON lines.
    pub(super) fn jsonl(&self) -> Result<PathBuf, Stop> {
        self.make("crawl.jsonl", |out| self.pages(|page| Ok(out.write_all(&page.line())?)))
    }

    /// WARC with a gzip member for each record.
    pub(super) fn warc(&self) -> Result<PathBuf, Stop> {
        self.make("crawl.warc.gz", |out| self.pages(|page| Ok(out.write_all(&gzip(&page.record())?)?)))
    }

    /// Parquet.
    pub(super) fn parquet(&self) -> Result<PathBuf, Stop> {
        let (lines, path) = (self.jsonl()?, self.work.join("crawl.parquet"));
        if !path.exists() {
            let columns = ["url", "id", "html"].map(|name| Column::new(name, ColumnType::Utf8));
            assemble(&[lines], &path, OutputContainer::Parquet, &OutputSchema::new(columns.into()))
                .map_err(|error| Stop::Broken(error.to_string()))?;
        }
        Ok(path)
    }

    /// JSON lines of the same pages on hosts of other names.
    pub(super) fn renamed(&self, number: usize) -> Result<PathBuf, Stop> {
        let lines = self.jsonl()?;
        self.make(&format!("crawl-{number}.jsonl"), |out| {
            let mut line = Vec::new();
            let mut input = BufReader::with_capacity(1 << 20, File::open(&lines)?);
            while input.read_until(b'\n', &mut line)? > 0 {
                // The URL comes first, so its host starts here.
                let host = line.windows(3).position(|bytes| bytes == b"://").map_or(0, |at| at + 3);
                out.write_all(&line[..host])?;
                write!(out, "r{number}-")?;
                out.write_all(&line[host..])?;
                line.clear();
            }
            Ok(())
        })
    }
}

/// Whether two files hold the same bytes.
pub(super) fn same_bytes(one: &Path, two: &Path) -> Result<bool, Stop> {
    if one.metadata()?.len() != two.metadata()?.len() {
        return Ok(false);
    }
    let (mut one, mut two) = (File::open(one)?, File::open(two)?);
    let (mut here, mut there) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    loop {
        let count = one.read(&mut here)?;
        if count == 0 {
            return Ok(true);
        }
        two.read_exact(&mut there[..count])?;
        if here[..count] != there[..count] {
            return Ok(false);
        }
    }
}
