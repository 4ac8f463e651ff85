//! What went wrong with one page or one file, and where.
//!
//! A fault costs the page or file it names and nothing else: the reader goes on behind it. Kinds are for
//! code and for counting, messages are for people.

use std::fmt;

use crate::place::Place;

/// The kind of a fault. `name` is the word used in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Compressed data or the structure of an archive is broken or cut off.
    DamagedArchive,
    /// A line is no JSON object, or a field of it has the wrong type.
    BadJson,
    /// A wanted column is not there.
    MissingColumn,
    /// A page, line or record passes a limit.
    TooLarge,
    /// The operating system refused to read.
    CannotRead,
    /// The HTTP response inside a record cannot be taken apart.
    BadHttp,
    /// The file is of no kind this crate reads.
    UnknownFormat,
    /// A skip: the record holds something other than HTML.
    NotHtml,
    /// A skip: the server answered with a status other than 2xx.
    NotOk,
}

impl FaultKind {
    /// The word for this kind in reports.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::DamagedArchive => "damaged_archive",
            FaultKind::BadJson => "bad_json",
            FaultKind::MissingColumn => "missing_column",
            FaultKind::TooLarge => "too_large",
            FaultKind::CannotRead => "cannot_read",
            FaultKind::BadHttp => "bad_http",
            FaultKind::UnknownFormat => "unknown_format",
            FaultKind::NotHtml => "not_html",
            FaultKind::NotOk => "not_ok",
        }
    }

    /// Whether the record is sound but no page to work on, as images and redirects in a crawl are.
    pub fn is_skip(self) -> bool {
        matches!(self, FaultKind::NotHtml | FaultKind::NotOk)
    }
}

/// One page or file that could not be read, with its place and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it happened.
    pub place: Place,
    /// What kind of trouble it is.
    pub kind: FaultKind,
    message: String,
}

impl Fault {
    /// A fault at `place`. The message completes "PLACE: ...".
    pub fn new(place: Place, kind: FaultKind, message: impl Into<String>) -> Self {
        Fault { place, kind, message: message.into() }
    }

    /// The reason, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for Fault {}
