//! The reasons why a page cannot be read.

use std::fmt;

/// The kind of an [`Error`], for code to act on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input is larger than [`Limits::bytes`](crate::Limits::bytes).
    TooLarge,
    /// The input is not text, such as an image named `.html`.
    NotText,
}

/// Why a page could not be read. The message names the problem and the limit that was hit; callers add the name of the
/// input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
