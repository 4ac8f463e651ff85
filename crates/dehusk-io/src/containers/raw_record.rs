//! One page as its container holds it.
//!
//! The reading thread makes a `RawRecord` with as little work as possible. `RawRecord::open` does the rest (file reading,
//! JSON, HTTP, decompression) and is meant for the worker threads.

use crate::containers::header_fields::HeaderFields;
use crate::containers::input_file::InputFile;
use crate::containers::json_line::open_line;
use crate::containers::page_file::open_page;
use crate::containers::warc_page::open_record;
use crate::fault::Fault;
use crate::location::Location;
use crate::read_options::ReadOptions;
use crate::record::Record;

/// One page as its container holds it, not yet parsed.
#[derive(Debug)]
pub struct RawRecord {
    location: Location,
    content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// A page in a file of its own, read when it is opened.
    File { file: InputFile, url: String, bytes: u64 },
    /// A line of JSON.
    JsonLine(Vec<u8>),
    /// The header and the block of a WARC record.
    Warc { header: HeaderFields, block: Vec<u8> },
    /// A row of a table, already parsed, and the bytes of its values beside the page.
    Row { record: Box<Record>, bytes: usize },
}

impl RawRecord {
    pub(crate) fn new(location: Location, content: Content) -> Self {
        RawRecord { location, content }
    }

    /// A page in a file of its own.
    pub(crate) fn file(file: InputFile, url: String, bytes: u64) -> Self {
        RawRecord::new(Location::whole_file(file.name()), Content::File { file, url, bytes })
    }

    /// A line of JSON lines, wherever it came from.
    pub fn json_line(location: Location, line: Vec<u8>) -> Self {
        RawRecord::new(location, Content::JsonLine(line))
    }

    /// The bytes this record occupies, or will occupy once its file is read.
    pub fn size(&self) -> usize {
        let bytes = match &self.content {
            Content::File { bytes, .. } => usize::try_from(*bytes).unwrap_or(usize::MAX / 2),
            Content::JsonLine(line) => line.len(),
            Content::Warc { header, block } => header.len() + block.len(),
            Content::Row { record, bytes } => (record.html.len() + record.url.len()).saturating_add(*bytes),
        };
        // The record itself, so that many empty records are not free.
        bytes + 128
    }

    /// Where the record is.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Parses the record. A record that does not hold an HTML page gives a fault whose kind `is_skip`.
    pub fn open(self, options: &ReadOptions) -> Result<Record, Fault> {
        let location = self.location;
        match self.content {
            Content::File { file, url, .. } => open_page(&file, url, location, options),
            Content::JsonLine(line) => open_line(&line, location, options),
            Content::Warc { header, block } => open_record(&header, block, location, options),
            Content::Row { record, .. } => Ok(*record),
        }
    }
}
