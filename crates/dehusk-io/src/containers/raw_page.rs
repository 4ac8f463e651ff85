//! One page as its container holds it.
//!
//! The reading thread makes a `RawPage` with as little work as possible. `RawPage::open` does the rest (file reading,
//! JSON, HTTP, decompression) and is meant for the worker threads.

use crate::containers::folder::page_file::open_page;
use crate::containers::input_file::InputFile;
use crate::containers::json_lines::json_line::open_line;
use crate::containers::warc::header_fields::HeaderFields;
use crate::containers::warc::warc_page::open_record;
use crate::fault::Fault;
use crate::input_page::InputPage;
use crate::location::Location;
use crate::read_options::ReadOptions;

/// One page as its container holds it, not yet parsed.
#[derive(Debug)]
pub struct RawPage {
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
    /// A row of a table, already parsed, and the bytes of its values besides the page.
    Row { page: Box<InputPage>, bytes: usize },
}

impl RawPage {
    pub(crate) fn new(location: Location, content: Content) -> Self {
        RawPage { location, content }
    }

    /// A page in a file of its own.
    pub(crate) fn file(file: InputFile, url: String, bytes: u64) -> Self {
        RawPage::new(Location::whole_file(file.name()), Content::File { file, url, bytes })
    }

    /// A line of JSON lines, wherever it came from.
    #[must_use]
    pub fn json_line(location: Location, line: Vec<u8>) -> Self {
        RawPage::new(location, Content::JsonLine(line))
    }

    /// The bytes this page occupies, or will occupy once its file is read.
    #[must_use]
    pub fn size(&self) -> usize {
        let bytes = match &self.content {
            // Half of the maximum, so that adding to it cannot overflow.
            Content::File { bytes, .. } => usize::try_from(*bytes).unwrap_or(usize::MAX / 2),
            Content::JsonLine(line) => line.len(),
            Content::Warc { header, block } => header.len() + block.len(),
            Content::Row { page, bytes } => (page.html.len() + page.url.len()).saturating_add(*bytes),
        };
        // The page itself, so that many empty pages are not free.
        bytes + 128
    }

    /// Where the page is.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Parses it. What does not hold an HTML page gives a fault whose kind `is_skip`.
    ///
    /// # Errors
    /// The fault of the page, with what is known of it.
    pub fn open(self, options: &ReadOptions) -> Result<InputPage, Fault> {
        let location = self.location;
        match self.content {
            Content::File { file, url, .. } => open_page(&file, url, location, options),
            Content::JsonLine(line) => open_line(&line, location, options),
            Content::Warc { header, block } => open_record(&header, block, location, options),
            Content::Row { page, .. } => Ok(*page),
        }
    }
}
