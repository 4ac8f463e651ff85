//! Errors of reading a page, a template file or a model file.

use std::fmt;

/// The kind of an [`Error`], for code to act on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input is larger than [`Limits::bytes`](crate::Limits::bytes).
    TooLarge,
    /// The input is not text, such as an image named `.html`.
    NotText,
    /// A template file is damaged, or is not a template file.
    BadTemplate,
    /// A template file or a template was made with other settings or by an incompatible version.
    Incompatible,
    /// A model file is damaged, or is not a model file.
    BadModel,
    /// Options contradict each other or are out of range.
    BadOptions,
}

impl ErrorKind {
    /// A short name for reports, such as `too_large`.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::TooLarge => "too_large",
            ErrorKind::NotText => "not_text",
            ErrorKind::BadTemplate => "bad_template",
            ErrorKind::Incompatible => "incompatible",
            ErrorKind::BadModel => "bad_model",
            ErrorKind::BadOptions => "bad_options",
        }
    }
}

/// An error of this crate. The message names the problem and the limit that was hit; callers add the name of the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    /// An error, for methods of other crates as well.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    /// A name that is not among those of its kind.
    #[must_use]
    pub fn unknown_name(kind: &str, name: &str, known: &[&str]) -> Error {
        Error::new(ErrorKind::BadOptions, format!("{name:?} is none of the {kind}s {}", known.join(", ")))
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl From<crate::dom::Error> for Error {
    fn from(error: crate::dom::Error) -> Error {
        let kind = match error.kind() {
            crate::dom::ErrorKind::NotText => ErrorKind::NotText,
            _ => ErrorKind::TooLarge,
        };
        Error::new(kind, error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
