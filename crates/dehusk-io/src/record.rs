//! One page: first as its container holds it, then taken apart.
//!
//! The reading thread makes a `RawRecord` with as little work as possible. `RawRecord::open` does the rest
//! (file reading, JSON, HTTP, decompression) and is meant for the worker threads.

use std::path::Path;

use serde_json::Value;

use crate::fault::Fault;
use crate::html_dir;
use crate::jsonl;
use crate::options::ReadOptions;
use crate::place::Place;
use crate::spool::Origin;
use crate::warc_page;

/// One page as a container holds it, not yet taken apart.
#[derive(Debug)]
pub struct RawRecord {
    place: Place,
    content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// A page in a file of its own, read when it is opened.
    File {
        origin: Origin,
        url: String,
        bytes: u64,
    },
    JsonLine(Vec<u8>),
    /// The header lines and the block of a WARC record.
    Warc {
        header: Vec<u8>,
        block: Vec<u8>,
    },
    /// A row of a table, already in its parts.
    Row(Box<Record>),
}

/// One page, ready to work on.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The address of the page, or its path where the input has no addresses.
    pub url: String,
    /// The id the input gives the page.
    pub id: Option<Value>,
    /// The page, without transfer and content encodings, in its own character encoding.
    pub html: Vec<u8>,
    /// The content type with its charset, as the server or the container states it.
    pub content_type: Option<String>,
    /// The fields to hand on, in the order of the options; null where the input has none.
    pub carried: Vec<(String, Value)>,
    /// Whether the input itself says or shows that it holds only the start of the page.
    pub truncated: bool,
    /// Where the page was read.
    pub place: Place,
}

impl RawRecord {
    pub(crate) fn new(place: Place, content: Content) -> Self {
        RawRecord { place, content }
    }

    /// The bytes this record occupies, or will occupy once its file is read.
    pub fn size(&self) -> usize {
        let bytes = match &self.content {
            Content::File { bytes, .. } => usize::try_from(*bytes).unwrap_or(usize::MAX / 2),
            Content::JsonLine(line) => line.len(),
            Content::Warc { header, block } => header.len() + block.len(),
            Content::Row(record) => record.html.len() + record.url.len(),
        };
        // The record itself, so that a flood of empty records is not free.
        bytes + 128
    }

    /// Where the record stands.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Takes the record apart. A record that is no HTML page gives a fault whose kind `is_skip`.
    pub fn open(self, options: &ReadOptions) -> Result<Record, Fault> {
        let place = self.place;
        match self.content {
            Content::File { origin, url, .. } => html_dir::open_page(&origin, url, place, options),
            Content::JsonLine(line) => jsonl::open_line(&line, place, options),
            Content::Warc { header, block } => warc_page::open_block(&header, block, place, options),
            Content::Row(record) => Ok(*record),
        }
    }
}

/// A path in the form used for urls: forward slashes on every system, unreadable names made readable.
pub(crate) fn path_text(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    let absolute = path.is_absolute() && parts.first().is_some_and(|first| first == "/");
    if absolute { format!("/{}", parts[1..].join("/")) } else { parts.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_text() {
        assert_eq!(path_text(Path::new("/a/b.html")), "/a/b.html");
        assert_eq!(path_text(Path::new("a/b.html")), "a/b.html");
    }
}
