//! Finished segments joined into the output.
//!
//! Segments are files of JSON lines, in order. A file output is written beside its place under another name
//! and renamed when it is complete and on disk, so it appears whole or not at all. The same segments give the
//! same bytes.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::folder_write;
use crate::parquet_write;
use crate::write_error::WriteError;

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputKind {
    /// JSON lines.
    Jsonl,
    /// JSON lines, gzip.
    JsonlGz,
    /// JSON lines, zstd.
    JsonlZst,
    /// Parquet, zstd.
    Parquet,
    /// A file per page.
    Folder,
}

impl OutputKind {
    /// The form a path asks for: by its ending, a folder if it has none of the known ones.
    pub fn of(path: &Path) -> OutputKind {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let ends = |suffix: &str| name.ends_with(suffix);
        if ends(".jsonl") || ends(".ndjson") {
            OutputKind::Jsonl
        } else if ends(".jsonl.gz") || ends(".ndjson.gz") {
            OutputKind::JsonlGz
        } else if ends(".jsonl.zst") || ends(".ndjson.zst") {
            OutputKind::JsonlZst
        } else if ends(".parquet") {
            OutputKind::Parquet
        } else {
            OutputKind::Folder
        }
    }
}

/// What a column of Parquet holds. Every column may have nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnType {
    /// Text.
    Utf8,
    /// Whole numbers.
    I64,
    /// Numbers.
    F64,
    /// True or false.
    Bool,
    /// Any value, written as JSON text.
    Json,
}

/// A key of the segments' lines and the type of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The key, and the name of the column.
    pub name: String,
    /// What it holds.
    pub kind: ColumnType,
}

impl Column {
    /// A column.
    pub fn new(name: impl Into<String>, kind: ColumnType) -> Self {
        Column { name: name.into(), kind }
    }
}

/// Which keys the output is made of.
#[derive(Clone, Debug)]
pub struct Layout {
    pub(crate) columns: Vec<Column>,
    pub(crate) contents_key: String,
    pub(crate) suffix: String,
}

impl Layout {
    /// The columns of Parquet, in order. JSON lines are copied and need none.
    pub fn new(columns: Vec<Column>) -> Self {
        Layout { columns, contents_key: "text".into(), suffix: ".txt".into() }
    }

    /// The key whose text becomes the file, in a folder. Default `text`.
    pub fn with_contents_key(mut self, key: impl Into<String>) -> Self {
        self.contents_key = key.into();
        self
    }

    /// The ending of file names made from urls, in a folder. Default `.txt`.
    pub fn with_suffix(mut self, suffix: impl Into<String>) -> Self {
        self.suffix = suffix.into();
        self
    }
}

/// Joins segments into the output.
///
/// Each line of a segment is a JSON object; all have the same keys in the same order. In a folder, the key
/// `path`, or else `url`, names the file of a line.
pub fn assemble(segments: &[PathBuf], output: &Path, kind: OutputKind, layout: &Layout) -> Result<(), WriteError> {
    match kind {
        OutputKind::Folder => folder_write::write_folder(segments, output, layout),
        OutputKind::Parquet => write_whole(output, |file| parquet_write::write_parquet(segments, file, output, layout)),
        OutputKind::Jsonl => write_whole(output, |file| {
            let mut writer = BufWriter::with_capacity(1 << 18, file);
            copy_lines(segments, &mut writer, output)?;
            writer.flush().map_err(|error| cannot_write(output, &error))
        }),
        OutputKind::JsonlGz => write_whole(output, |file| {
            let writer = BufWriter::with_capacity(1 << 18, file);
            let mut encoder = flate2::write::GzEncoder::new(writer, flate2::Compression::default());
            copy_lines(segments, &mut encoder, output)?;
            encoder.finish().and_then(|mut writer| writer.flush()).map_err(|error| cannot_write(output, &error))
        }),
        OutputKind::JsonlZst => write_whole(output, |file| {
            let failed = |error: io::Error| cannot_write(output, &error);
            let writer = BufWriter::with_capacity(1 << 18, file);
            let mut encoder = zstd::Encoder::new(writer, 3).map_err(failed)?;
            encoder.include_checksum(true).map_err(failed)?;
            copy_lines(segments, &mut encoder, output)?;
            encoder.finish().and_then(|mut writer| writer.flush()).map_err(failed)
        }),
    }
}

pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> WriteError {
    WriteError::io(path, "cannot be written", error)
}

pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> WriteError {
    WriteError::io(path, "cannot be read", error)
}

/// Copies the segments, each ended by a line end.
fn copy_lines(segments: &[PathBuf], writer: &mut impl Write, output: &Path) -> Result<(), WriteError> {
    let mut buffer = vec![0; 1 << 18];
    for segment in segments {
        let failed = |error: io::Error| cannot_read(segment, &error);
        let mut file = File::open(segment).map_err(failed)?;
        let mut last = b'\n';
        loop {
            let count = match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failed(error)),
            };
            last = buffer[count - 1];
            writer.write_all(&buffer[..count]).map_err(|error| cannot_write(output, &error))?;
        }
        if last != b'\n' {
            writer.write_all(b"\n").map_err(|error| cannot_write(output, &error))?;
        }
    }
    Ok(())
}

/// Calls `each` with every object of the segments.
pub(crate) fn for_each_object(
    segments: &[PathBuf],
    mut each: impl FnMut(serde_json::Map<String, serde_json::Value>, &Path, u64) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let mut line = Vec::new();
    for segment in segments {
        let failed = |error: io::Error| cannot_read(segment, &error);
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
                .map_err(|error| WriteError::segment(segment, format!("line {number} is no JSON object: {error}")))?;
            each(object, segment, number)?;
        }
    }
    Ok(())
}

/// Writes a file that appears whole or not at all. Devices and pipes are written directly.
fn write_whole(output: &Path, write: impl FnOnce(&File) -> Result<(), WriteError>) -> Result<(), WriteError> {
    let failed = |error: io::Error| cannot_write(output, &error);
    let existing = fs::metadata(output);
    if existing.as_ref().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return write(&File::options().write(true).open(output).map_err(failed)?);
    }
    // A link is followed, so that the rename replaces what it points at and not the link.
    let target = if existing.is_ok() { fs::canonicalize(output).map_err(failed)? } else { output.to_path_buf() };
    let temporary = temporary_beside(&target).map_err(failed)?;
    write(temporary.as_file())?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(&target).map_err(|error| failed(error.error))?;
    sync_folder(&target);
    Ok(())
}

/// A temporary file in the folder of `target`, so that a rename moves no bytes, with ordinary permissions. Its name is
/// made from that of the target: when a run is killed, the next one for the same output clears away what it left.
pub(crate) fn temporary_beside(target: &Path) -> io::Result<NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".part");
    if let Err(error) = fs::remove_file(folder.join(&name))
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    builder.prefix(&name).suffix("").rand_bytes(0);
    #[cfg(unix)]
    let permissions: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(permissions);
    builder.tempfile_in(folder)
}

/// Puts the rename itself on disk. Systems that cannot do this for folders need not be told.
fn sync_folder(target: &Path) {
    if let Some(folder) = target.parent()
        && let Ok(folder) = File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
    {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
