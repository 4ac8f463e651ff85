//! Chunks: finished parts of a result, as files of JSON lines.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};

/// Copies the chunks, each with a line end after its last line.
pub(crate) fn copy_lines(chunks: &[PathBuf], writer: &mut impl Write, output: &Path) -> Result<(), Error> {
    let mut buffer = vec![0; 1 << 18];
    for chunk in chunks {
        let mut file = File::open(chunk).map_err(|error| Error::read(chunk, error))?;
        let mut last = b'\n';
        loop {
            let count = match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::read(chunk, error)),
            };
            last = buffer[count - 1];
            writer.write_all(&buffer[..count]).map_err(|error| Error::write(output, error))?;
        }
        // The next chunk must begin on a line of its own.
        if last != b'\n' {
            writer.write_all(b"\n").map_err(|error| Error::write(output, error))?;
        }
    }
    Ok(())
}

/// The values of a line by their keys, not yet parsed: numbers keep their digits.
pub(crate) type Object<'a> = HashMap<Cow<'a, str>, &'a RawValue>;

/// Calls `each` with every object of the chunks, its chunk and its line.
pub(crate) fn for_each_object(
    chunks: &[PathBuf],
    mut each: impl FnMut(&Object<'_>, &Path, u64) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut line = Vec::new();
    for chunk in chunks {
        let failed = |error| Error::read(chunk, error);
        let mut reader = BufReader::with_capacity(1 << 18, File::open(chunk).map_err(failed)?);
        for number in 1.. {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(failed)? == 0 {
                break;
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let object = serde_json::from_slice(&line)
                .map_err(|error| bad_line(chunk, number, "not a JSON object").because(error))?;
            each(&object, chunk, number)?;
        }
    }
    Ok(())
}

/// The error of a line that is not what it should be.
pub(crate) fn bad_line(chunk: &Path, number: u64, message: &str) -> Error {
    Error::new(ErrorKind::Damaged, format!("line {number}: {message}")).at(chunk)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(texts: &[&str]) -> (tempfile::TempDir, Vec<PathBuf>) {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..texts.len()).map(|number| folder.path().join(number.to_string())).collect();
        paths.iter().zip(texts).for_each(|(path, text)| std::fs::write(path, text).unwrap());
        (folder, paths)
    }

    #[test]
    fn every_line_ends() {
        let (_folder, paths) = chunks(&["{\"a\":1}\n{\"a\":2}", "", "{\"a\":3}\n"]);
        let mut out = Vec::new();
        copy_lines(&paths, &mut out, Path::new("out")).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
    }

    #[test]
    fn values_keep_their_digits_and_bad_lines_are_named() {
        let (_folder, paths) = chunks(&["{\"a\":1.00}\n\n{\"a\":1e400}\n", "[]\n"]);
        let mut seen = Vec::new();
        let error = for_each_object(&paths, |object, _, line| {
            seen.push((object["a"].get().to_string(), line));
            Ok(())
        })
        .unwrap_err();
        assert_eq!(seen, [("1.00".to_string(), 1), ("1e400".to_string(), 3)]);
        assert_eq!((error.kind(), error.path()), (ErrorKind::Damaged, Some(paths[1].as_path())));
        assert!(error.to_string().contains("line 1: not a JSON object"), "{error}");
    }
}
