//! Input that cannot be read twice, copied once to a temporary file that can.
//!
//! Learning a site's template and applying it are two readings of the same pages, and skipping back over
//! damage needs seeking; standard input and pipes allow neither. The copy lies in the system's folder for
//! temporary files (`TMPDIR`) and goes away with the last source that reads it.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::NamedTempFile;
use xxhash_rust::xxh3::Xxh3;

/// A finished copy of an input on disk.
#[derive(Debug)]
pub struct Spool {
    file: NamedTempFile,
    bytes: u64,
    digest: u64,
}

impl Spool {
    /// Copies everything `input` gives.
    pub fn copy_of(input: impl Read) -> io::Result<Spool> {
        let file = NamedTempFile::with_prefix("dehusk-input-")?;
        let mut writer = BufWriter::with_capacity(1 << 18, file.as_file());
        let mut input = Digested { input, digest: Xxh3::new() };
        let bytes = io::copy(&mut input, &mut writer)?;
        writer.flush()?;
        drop(writer);
        Ok(Spool { file, bytes, digest: input.digest.digest() })
    }

    /// Copies standard input to its end.
    pub fn of_stdin() -> io::Result<Spool> {
        Spool::copy_of(io::stdin().lock())
    }

    /// Opens the copy at its start, with a position of its own.
    pub fn reopen(&self) -> io::Result<File> {
        self.file.reopen()
    }

    /// The bytes copied.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Spool {
    /// A hash of the bytes copied, by which a later run sees whether it got the same ones.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }
}

/// A reader that hashes what passes through.
struct Digested<R> {
    input: R,
    digest: Xxh3,
}

impl<R: Read> Read for Digested<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.digest.update(&buffer[..count]);
        Ok(count)
    }
}

/// A file to read: one on disk, or the copy of a stream under the stream's name.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    File(PathBuf),
    Spool { name: PathBuf, spool: Arc<Spool> },
}

impl Origin {
    /// The path as the user knows it.
    pub(crate) fn name(&self) -> &Path {
        match self {
            Origin::File(path) => path,
            Origin::Spool { name, .. } => name,
        }
    }

    pub(crate) fn open(&self) -> io::Result<File> {
        match self {
            Origin::File(path) => File::open(path),
            Origin::Spool { spool, .. } => spool.reopen(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spool_can_be_read_twice() {
        let spool = Spool::copy_of(&b"once"[..]).unwrap();
        for _ in 0..2 {
            let mut text = String::new();
            spool.reopen().unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "once");
        }
        assert_eq!(spool.bytes(), 4);
    }
}
