//! Why a crawl could not go on. Pages that cannot be read are no reason: each gets a record that says so.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

/// An error that ends a crawl. Its text names the file, what is wrong and what to do.
#[derive(Debug)]
pub struct CrawlError {
    message: String,
}

impl CrawlError {
    /// An error with this text.
    pub fn new(message: impl Into<String>) -> CrawlError {
        CrawlError { message: message.into() }
    }

    pub(crate) fn write(path: &Path, error: std::io::Error) -> CrawlError {
        let advice = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ": make room and go on with --resume",
            ErrorKind::PermissionDenied => ": allow writing there, or name another output",
            _ => "",
        };
        CrawlError::new(format!("{}: {error}{advice}", path.display()))
    }

    pub(crate) fn store(path: &Path, error: redb::Error) -> CrawlError {
        match error {
            redb::Error::Io(error) => CrawlError::write(path, error),
            redb::Error::DatabaseAlreadyOpen => {
                CrawlError::new(format!("{}: another run uses this template store", path.display()))
            }
            error => CrawlError::new(format!(
                "{}: the template store cannot be used: {error}; name another file or learn it again",
                path.display()
            )),
        }
    }

    pub(crate) fn template(path: &Path, group: &str, error: &dehusk::Error) -> CrawlError {
        CrawlError::new(format!("{}: the template of {group}: {error}", path.display()))
    }
}

impl fmt::Display for CrawlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CrawlError {}
