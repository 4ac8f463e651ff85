//! The formats of records, and what a row says about one.

use crate::containers::OutputContainer;
use crate::error::{Error, ErrorKind};
use std::path::Path;
use std::str::FromStr;

/// The columns with a known meaning that rows of records have, and their keys there: `url` is the URL of the page.
pub(crate) const KNOWN_COLUMNS: [(&str, &str); 6] = [
    ("title", "title"),
    ("author", "author"),
    ("date", "date"),
    ("price", "price"),
    ("image", "image"),
    ("url", "link"),
];

/// A format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RecordFormat {
    /// JSON lines, one for each page.
    #[default]
    Jsonl,
    /// Comma-separated values, a row for each record.
    Csv,
    /// Parquet, a row for each record.
    Parquet,
    /// Markdown, a section for each page.
    Markdown,
}

impl RecordFormat {
    /// All of them, the default first.
    pub const ALL: [RecordFormat; 4] =
        [RecordFormat::Jsonl, RecordFormat::Csv, RecordFormat::Parquet, RecordFormat::Markdown];

    /// The name in options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RecordFormat::Jsonl => "jsonl",
            RecordFormat::Csv => "csv",
            RecordFormat::Parquet => "parquet",
            RecordFormat::Markdown => "markdown",
        }
    }

    /// The format that the name of a file asks for. None if it is the name of a folder.
    #[must_use]
    pub fn of(path: &Path) -> Option<RecordFormat> {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        match (OutputContainer::of(path), ending.to_str()) {
            (OutputContainer::Parquet, _) => Some(RecordFormat::Parquet),
            (OutputContainer::Folder, Some("csv")) => Some(RecordFormat::Csv),
            (OutputContainer::Folder, Some("md" | "markdown")) => Some(RecordFormat::Markdown),
            (OutputContainer::Folder, _) => None,
            _ => Some(RecordFormat::Jsonl),
        }
    }

    /// The container of an output with this name.
    #[must_use]
    pub fn container(self, path: &Path) -> OutputContainer {
        match (RecordFormat::of(path), self) {
            (Some(RecordFormat::Csv), RecordFormat::Csv) => OutputContainer::Csv,
            (Some(RecordFormat::Markdown), RecordFormat::Markdown) => OutputContainer::Texts,
            _ => OutputContainer::of(path),
        }
    }

    /// The ending of file names.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            RecordFormat::Jsonl => ".jsonl",
            RecordFormat::Csv => ".csv",
            RecordFormat::Parquet => ".parquet",
            RecordFormat::Markdown => ".md",
        }
    }
}

impl FromStr for RecordFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<RecordFormat, Error> {
        let found = RecordFormat::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| Error::new(ErrorKind::InvalidOptions, format!("there is no format {name:?}")))
    }
}

/// What is written of the records of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RecordOutput {
    pub(crate) format: RecordFormat,
    /// Whether groups that are not content are written, too.
    pub(crate) all: bool,
}

impl RecordOutput {
    /// Records in a format: those that are content, or all.
    #[must_use]
    pub fn new(format: RecordFormat, all: bool) -> RecordOutput {
        RecordOutput { format, all }
    }
}

/// What a row says about one record.
pub(crate) struct RecordFields {
    /// The number of its group on the page, and its number in the group.
    pub(crate) group: usize,
    pub(crate) record: usize,
    pub(crate) kind: &'static str,
    pub(crate) is_content: bool,
    /// The values of the known columns.
    pub(crate) known: [Option<String>; KNOWN_COLUMNS.len()],
    /// Names and values of its fields.
    pub(crate) pairs: Vec<(String, Vec<String>)>,
    /// The JSON of its text, its fields and its path.
    pub(crate) text: String,
    pub(crate) fields: String,
    pub(crate) xpath: String,
}
