//! Why the output could not be written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The kind of a failure to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteErrorKind {
    /// The disk or the quota is full.
    NoSpace,
    /// The system does not allow it.
    NotAllowed,
    /// A line of a segment is not what the columns promise.
    BadSegment,
    /// Anything else.
    Other,
}

/// A failure to write the output: which file, what failed, and what to do.
#[derive(Debug)]
pub struct WriteError {
    kind: WriteErrorKind,
    path: PathBuf,
    message: String,
}

impl WriteError {
    /// The kind of the failure.
    pub fn kind(&self) -> WriteErrorKind {
        self.kind
    }

    /// The file that could not be written, or the segment that could not be read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn io(path: &Path, what: &str, error: &io::Error) -> WriteError {
        let (kind, advice) = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                (WriteErrorKind::NoSpace, "; make room and run again with --resume, which keeps the finished part")
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => (
                WriteErrorKind::NotAllowed,
                "; make it writable or choose another output, and run again with --resume, which keeps the finished part",
            ),
            _ => (WriteErrorKind::Other, "; run again with --resume, which keeps the finished part"),
        };
        WriteError { kind, path: path.into(), message: format!("{what}: {error}{advice}") }
    }

    pub(crate) fn segment(path: &Path, message: impl Into<String>) -> WriteError {
        WriteError { kind: WriteErrorKind::BadSegment, path: path.into(), message: message.into() }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for WriteError {}
