//! Where in the input a page is: the file, and the line, byte or row inside it.
//!
//! A location is cheap to clone. It does not open or read anything.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The position of one page inside its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Position {
    /// The file as a whole.
    Whole,
    /// The line, counted from 1.
    Line(u64),
    /// The byte of the file at which the WARC record, or the compressed member that holds it, starts.
    Byte(u64),
    /// A byte of the inflated content of the compressed member that starts at byte `member` of the file.
    Inflated {
        /// The byte of the file at which the member starts.
        member: u64,
        /// The byte inside the inflated member.
        offset: u64,
    },
    /// The row, counted from 1.
    Row(u64),
}

/// The file of a page and the position inside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    file: Arc<Path>,
    position: Position,
}

impl Location {
    /// A position in `file`. The path `-` is printed as standard input.
    #[must_use]
    pub fn new(file: Arc<Path>, position: Position) -> Self {
        Location { file, position }
    }

    /// A whole file.
    #[must_use]
    pub fn whole_file(file: &Path) -> Self {
        Location { file: PathBuf::from(file).into(), position: Position::Whole }
    }

    /// The file, as it was named or found.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The position inside the file.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file.as_os_str() == "-" {
            out.write_str("standard input")?;
        } else {
            write!(out, "{}", self.file.display())?;
        }
        match self.position {
            Position::Whole => Ok(()),
            Position::Line(line) => write!(out, " line {line}"),
            Position::Byte(byte) => write!(out, " at byte {byte}"),
            Position::Inflated { member, offset } => write!(out, " at byte {member}, inflated byte {offset}"),
            Position::Row(row) => write!(out, " row {row}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_readable() {
        let show = |file: &str, position| Location::new(PathBuf::from(file).into(), position).to_string();
        assert_eq!(show("crawl.warc.gz", Position::Byte(1234)), "crawl.warc.gz at byte 1234");
        let inflated = Position::Inflated { member: 0, offset: 9 };
        assert_eq!(show("c.warc.gz", inflated), "c.warc.gz at byte 0, inflated byte 9");
        assert_eq!(show("pages.jsonl", Position::Line(7)), "pages.jsonl line 7");
        assert_eq!(show("x.parquet", Position::Row(9)), "x.parquet row 9");
        assert_eq!(show("-", Position::Line(2)), "standard input line 2");
        assert_eq!(show("a/b.html", Position::Whole), "a/b.html");
    }
}
