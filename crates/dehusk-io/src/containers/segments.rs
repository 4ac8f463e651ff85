//! Segments: finished parts of a result, as files of JSON lines.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};

/// Copies the segments, each with a line end after its last line.
pub(crate) fn copy_lines(segments: &[PathBuf], writer: &mut impl Write, output: &Path) -> Result<(), Error> {
    let mut buffer = vec![0; 1 << 18];
    for segment in segments {
        let mut file = File::open(segment).map_err(|error| Error::read(segment, error))?;
        let mut last = b'\n';
        loop {
            let count = match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::read(segment, error)),
            };
            last = buffer[count - 1];
            writer.write_all(&buffer[..count]).map_err(|error| Error::write(output, error))?;
        }
        if last != b'\n' {
            writer.write_all(b"\n").map_err(|error| Error::write(output, error))?;
        }
    }
    Ok(())
}

/// The values of a line by their keys, not yet parsed: numbers keep their digits.
pub(crate) type Object<'a> = HashMap<Cow<'a, str>, &'a RawValue>;

/// Calls `each` with every object of the segments, its segment and its line.
pub(crate) fn for_each_object(
    segments: &[PathBuf],
    mut each: impl FnMut(&Object<'_>, &Path, u64) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut line = Vec::new();
    for segment in segments {
        let failed = |error| Error::read(segment, error);
        let mut reader = BufReader::with_capacity(1 << 18, File::open(segment).map_err(failed)?);
        for number in 1.. {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(failed)? == 0 {
                break;
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let object = serde_json::from_slice(&line)
                .map_err(|error| bad_line(segment, number, "not a JSON object").because(error))?;
            each(&object, segment, number)?;
        }
    }
    Ok(())
}

/// The error of a line that is not what it should be.
pub(crate) fn bad_line(segment: &Path, number: u64, message: &str) -> Error {
    Error::new(ErrorKind::Damaged, format!("line {number}: {message}")).at(segment)
}
