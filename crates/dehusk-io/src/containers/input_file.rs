//! Input files that can be read several times, standard input and pipes included.
//!
//! Learning a site's template and applying it are two passes over the same pages, and recovering from damage needs
//! seeking; standard input and pipes allow neither. They are copied to the system's folder for temporary files (`TMPDIR`).
//! Where the system can open a file again that has no name any more, as Linux can, the copy has none, so that it never
//! outlives the program. Elsewhere it is deleted with the last source that reads it.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::{NamedTempFile, TempPath};

use crate::hash::StreamHash;

/// A copy of a stream on disk.
#[derive(Debug)]
pub(crate) struct TemporaryCopy {
    /// Held open: a copy without a name lasts as long as this.
    _file: File,
    path: PathBuf,
    /// Deletes the file at the end if it has a name.
    _named: Option<TempPath>,
    bytes: u64,
    hash: u64,
}

impl TemporaryCopy {
    /// Copies everything `input` gives.
    pub(crate) fn of(input: impl Read) -> io::Result<TemporaryCopy> {
        let file = NamedTempFile::with_prefix("dehusk-input-")?;
        let (file, named) = file.into_parts();
        let (path, named) = match nameless_path(&file) {
            Some(path) => {
                named.close()?;
                (path, None)
            }
            None => (named.to_path_buf(), Some(named)),
        };
        let mut writer = BufWriter::with_capacity(1 << 18, &file);
        let mut input = HashingReader { input, hash: StreamHash::default() };
        let bytes = io::copy(&mut input, &mut writer)?;
        writer.flush()?;
        drop(writer);
        Ok(TemporaryCopy { _file: file, path, _named: named, bytes, hash: input.hash.finish() })
    }

    /// Copies standard input to its end.
    pub(crate) fn of_stdin() -> io::Result<TemporaryCopy> {
        TemporaryCopy::of(io::stdin().lock())
    }

    /// The number of bytes copied.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A hash of the bytes copied, by which a later run can tell whether it got the same ones.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }
}

/// A path by which an open file can be opened again without its name.
fn nameless_path(file: &File) -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd as _;
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        // Tried, because `/proc` may not be mounted.
        File::open(&path).is_ok().then_some(path)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        None
    }
}

/// A reader that hashes what passes through.
struct HashingReader<R> {
    input: R,
    hash: StreamHash,
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.hash.update(&buffer[..count]);
        Ok(count)
    }
}

/// A file to read: one on disk, or the copy of a stream under the stream's name.
#[derive(Clone, Debug)]
pub(crate) enum InputFile {
    OnDisk(PathBuf),
    Copied { name: PathBuf, copy: Arc<TemporaryCopy> },
}

impl InputFile {
    /// The path as the user knows it.
    pub(crate) fn name(&self) -> &Path {
        match self {
            InputFile::OnDisk(path) => path,
            InputFile::Copied { name, .. } => name,
        }
    }

    /// Opens the file at its start.
    pub(crate) fn open(&self) -> io::Result<File> {
        match self {
            InputFile::OnDisk(path) => File::open(path),
            InputFile::Copied { copy, .. } => File::open(&copy.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_stream_can_be_read_twice() {
        let copy = Arc::new(TemporaryCopy::of(&b"once"[..]).unwrap());
        assert_eq!(copy.bytes(), 4);
        let file = InputFile::Copied { name: "-".into(), copy };
        for _ in 0..2 {
            let mut text = String::new();
            file.open().unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "once");
        }
    }
}
