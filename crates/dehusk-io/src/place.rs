//! Where in the input a page stands: the file, and the line, byte or row inside it.
//!
//! A place is cheap to clone and prints as a person would say it. It does not open or read anything.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The position of one page inside its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum At {
    /// The file as a whole is the page, or the trouble concerns the whole file.
    Whole,
    /// The line, counted from 1.
    Line(u64),
    /// The byte of the file where the record, or the compressed member that holds it, starts.
    Byte(u64),
    /// A byte of the inflated content of the compressed member that starts at byte `member` of the file.
    Inflated {
        /// The byte of the file where the member starts.
        member: u64,
        /// The byte inside the inflated member.
        offset: u64,
    },
    /// The row, counted from 1.
    Row(u64),
}

/// The file of a page and the position inside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    file: Arc<Path>,
    at: At,
}

impl Place {
    /// A place in `file`. The path `-` is printed as standard input.
    pub fn new(file: Arc<Path>, at: At) -> Self {
        Place { file, at }
    }

    /// A place that is a whole file.
    pub fn whole(file: &Path) -> Self {
        Place { file: PathBuf::from(file).into(), at: At::Whole }
    }

    /// The file, as it was named or found.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The position inside the file.
    pub fn at(&self) -> At {
        self.at
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file.as_os_str() == "-" {
            out.write_str("standard input")?;
        } else {
            write!(out, "{}", self.file.display())?;
        }
        match self.at {
            At::Whole => Ok(()),
            At::Line(line) => write!(out, " line {line}"),
            At::Byte(byte) => write!(out, " at byte {byte}"),
            At::Inflated { member, offset } => write!(out, " at byte {member}, inflated byte {offset}"),
            At::Row(row) => write!(out, " row {row}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_print_as_a_person_would_say_them() {
        let show = |file: &str, at| Place::new(PathBuf::from(file).into(), at).to_string();
        assert_eq!(show("crawl.warc.gz", At::Byte(1234)), "crawl.warc.gz at byte 1234");
        assert_eq!(show("c.warc.gz", At::Inflated { member: 0, offset: 9 }), "c.warc.gz at byte 0, inflated byte 9");
        assert_eq!(show("pages.jsonl", At::Line(7)), "pages.jsonl line 7");
        assert_eq!(show("x.parquet", At::Row(9)), "x.parquet row 9");
        assert_eq!(show("-", At::Line(2)), "standard input line 2");
        assert_eq!(show("a/b.html", At::Whole), "a/b.html");
    }
}
