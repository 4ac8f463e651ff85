//! Why a run cannot start or continue.
//!
//! A page or file that cannot be read does not stop a run: it is a `Fault`.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::shortened;

/// What stopped a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file cannot be read.
    CannotRead,
    /// A file cannot be written.
    CannotWrite,
    /// The disk or the quota is full.
    NoSpace,
    /// The system denies access to a file.
    PermissionDenied,
    /// A file that an earlier run wrote is damaged, or a line of a chunk does not match the columns.
    Damaged,
    /// The options contradict each other or cannot be used.
    InvalidOptions,
    /// The output would replace an input or be read as one.
    OutputIsInput,
    /// A run for the same output was interrupted and neither resumed nor deleted.
    UnfinishedRun,
    /// The run to resume had other inputs or options.
    DifferentRun,
    /// An input changed or disappeared while the run was reading it.
    InputChanged,
    /// Another process uses the output or the template store.
    InUse,
    /// The template store cannot be used.
    TemplateStore,
    /// A small input gives so much output that it would fill the disk.
    TooMuchOutput,
    /// The caller stopped the run.
    Interrupted,
    /// A bug in this program.
    Internal,
    /// An error of the caller's own code.
    Other,
}

impl ErrorKind {
    /// A short name for code and reports, such as `no_space`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::CannotRead => "cannot_read",
            ErrorKind::CannotWrite => "cannot_write",
            ErrorKind::NoSpace => "no_space",
            ErrorKind::PermissionDenied => "permission_denied",
            ErrorKind::Damaged => "damaged",
            ErrorKind::InvalidOptions => "bad_options",
            ErrorKind::OutputIsInput => "output_is_input",
            ErrorKind::UnfinishedRun => "unfinished_run",
            ErrorKind::DifferentRun => "different_run",
            ErrorKind::InputChanged => "input_changed",
            ErrorKind::InUse => "in_use",
            ErrorKind::TemplateStore => "template_store",
            ErrorKind::TooMuchOutput => "too_much_output",
            ErrorKind::Interrupted => "interrupted",
            ErrorKind::Internal => "internal",
            ErrorKind::Other => "other",
        }
    }
}

/// What stopped a run: the kind, the file concerned, and the cause. The text includes that of the source.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of the caller's own code, such as one that ends a run from inside.
    #[must_use]
    pub fn other(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        Error { kind: ErrorKind::Other, path: None, message: String::new(), source: Some(source.into()) }
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The file concerned.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether the same run can be resumed once the cause is removed.
    #[must_use]
    pub fn is_resumable(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::CannotWrite
                | ErrorKind::NoSpace
                | ErrorKind::PermissionDenied
                | ErrorKind::UnfinishedRun
                | ErrorKind::TooMuchOutput
                | ErrorKind::Interrupted
        )
    }

    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, path: None, message: shortened::message(message), source: None }
    }

    pub(crate) fn at(mut self, path: &Path) -> Error {
        self.path = Some(path.into());
        self
    }

    pub(crate) fn because(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        self.source = Some(source.into());
        self
    }

    pub(crate) fn read(path: &Path, error: io::Error) -> Error {
        Error::new(ErrorKind::CannotRead, "cannot be read").at(path).because(error)
    }

    pub(crate) fn write(path: &Path, error: io::Error) -> Error {
        let kind = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                ErrorKind::NoSpace
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => ErrorKind::PermissionDenied,
            _ => ErrorKind::CannotWrite,
        };
        Error::new(kind, "cannot be written").at(path).because(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.as_ref().map(|path| match path.as_os_str() == "-" {
            true => "standard input".to_string(),
            false => path.display().to_string(),
        });
        let message = (!self.message.is_empty()).then(|| self.message.clone());
        let source = self.source.as_ref().map(|source| source.to_string());
        let parts: Vec<String> = [path, message, source].into_iter().flatten().collect();
        out.write_str(&parts.join(": "))
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
