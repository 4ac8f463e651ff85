//! What is wrong with one page or one file, and where.
//!
//! A fault costs the page or file it names and nothing else: reading continues after it. Kinds are for code and for
//! counting, messages are for people.

use std::fmt;
use std::io;

use crate::input_value::InputValue;
use crate::location::Location;
use crate::shortened;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Compressed data or the structure of an archive is damaged or truncated.
    DamagedArchive,
    /// A line is not a JSON object, or one of its fields has the wrong type.
    BadJson,
    /// A requested column is missing.
    MissingColumn,
    /// A page, line or WARC record exceeds a limit.
    TooLarge,
    /// The operating system cannot read the file.
    CannotRead,
    /// The HTTP response inside a WARC record cannot be parsed.
    BadHttp,
    /// The file has no format that this crate reads.
    UnknownFormat,
    /// Skipped: something other than HTML.
    NotHtml,
    /// Skipped: the status of the response is not 2xx.
    NotOk,
    /// Skipped: a WARC record of a type that the standard does not have.
    UnknownType,
}

impl FaultKind {
    /// The name of this kind in output rows and reports.
    #[must_use]
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
            FaultKind::UnknownType => "unknown_type",
        }
    }

    /// Whether the input is sound but holds no page, such as an image or a redirect in a crawl.
    #[must_use]
    pub fn is_skip(self) -> bool {
        matches!(self, FaultKind::NotHtml | FaultKind::NotOk | FaultKind::UnknownType)
    }
}

/// One page or file that could not be read, with its location and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// Where it is.
    pub location: Location,
    /// The kind of the fault.
    pub kind: FaultKind,
    message: String,
    page: Option<Box<PageIdentity>>,
}

/// Which page a fault is about, as far as its container says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageIdentity {
    /// The address of the page; empty if it is unknown.
    pub url: String,
    /// The id that the input gives the page.
    pub id: Option<InputValue>,
    /// The fields to carry over, in the order of the options; empty if nothing is known of them.
    pub carried: Vec<(String, InputValue)>,
}

impl Fault {
    /// A fault at `location`. The message completes "LOCATION: ..."; what it repeats of the input is cut.
    #[must_use]
    pub fn new(location: Location, kind: FaultKind, message: impl Into<String>) -> Self {
        Fault { location, kind, message: shortened::message(message), page: None }
    }

    /// The same fault with the page it is about.
    pub(crate) fn of_page(mut self, page: PageIdentity) -> Self {
        self.page = Some(Box::new(page));
        self
    }

    /// The page that could not be read, if the input could be read far enough to know which it is.
    #[must_use]
    pub fn page(&self) -> Option<&PageIdentity> {
        self.page.as_deref()
    }

    /// The fault of something that the operating system cannot read.
    pub(crate) fn cannot_read(location: Location, error: &io::Error) -> Self {
        Fault::new(location, FaultKind::CannotRead, format!("cannot be read: {error}"))
    }

    /// The reason, without the location.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.location, self.message)
    }
}

impl std::error::Error for Fault {}
