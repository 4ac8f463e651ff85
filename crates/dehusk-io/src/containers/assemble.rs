//! Finished chunks joined into the output.
//!
//! Chunks are files of JSON lines, in order. The same chunks give the same bytes, and a file appears whole or not at
//! all.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::atomic_file::AtomicFile;
use crate::containers::chunks::copy_lines;
use crate::containers::csv_write::write_csv;
use crate::containers::folder::folder_write::write_folder;
use crate::containers::parquet::parquet_write::write_parquet;
use crate::containers::schema::OutputSchema;
use crate::containers::text_write::write_texts;
use crate::error::Error;

/// The container of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputContainer {
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
    /// Comma-separated values.
    Csv,
    /// The texts of all pages in one file.
    Texts,
}

impl OutputContainer {
    /// The container that a path asks for by its ending; a folder if the ending is not a known one. CSV and texts in one file are only for
    /// jobs that ask for them.
    #[must_use]
    pub fn of(path: &Path) -> OutputContainer {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let ends = |suffix: &str| name.ends_with(suffix);
        if ends(".jsonl") || ends(".ndjson") {
            OutputContainer::Jsonl
        } else if ends(".jsonl.gz") || ends(".ndjson.gz") {
            OutputContainer::JsonlGz
        } else if ends(".jsonl.zst") || ends(".ndjson.zst") {
            OutputContainer::JsonlZst
        } else if ends(".parquet") {
            OutputContainer::Parquet
        } else {
            OutputContainer::Folder
        }
    }
}

/// Joins chunks into the output.
///
/// Each line of a chunk is a JSON object; all have the same keys in the same order. In a folder, the key `path`, or else
/// `url`, gives the name of the file of a line.
///
/// # Errors
/// If a chunk cannot be read or has a line that does not match the schema, or the output cannot be written.
pub fn assemble(
    chunks: &[PathBuf],
    output: &Path,
    container: OutputContainer,
    schema: &OutputSchema,
) -> Result<(), Error> {
    match container {
        OutputContainer::Folder => write_folder(chunks, output, schema),
        OutputContainer::Parquet => write_file(output, |file| write_parquet(chunks, file, output, schema)),
        OutputContainer::Jsonl => write_plain(output, |writer| copy_lines(chunks, writer, output)),
        OutputContainer::Csv => write_plain(output, |writer| write_csv(chunks, writer, output, schema)),
        OutputContainer::Texts => write_plain(output, |writer| write_texts(chunks, writer, output, schema)),
        OutputContainer::JsonlGz => write_file(output, |file| {
            let writer = BufWriter::with_capacity(1 << 18, file);
            let mut encoder = flate2::write::GzEncoder::new(writer, flate2::Compression::default());
            copy_lines(chunks, &mut encoder, output)?;
            // Dropping the encoder would finish it, too, but lose the error of a full disk.
            encoder.finish().and_then(|mut writer| writer.flush()).map_err(|error| Error::write(output, error))
        }),
        OutputContainer::JsonlZst => write_file(output, |file| {
            let failed = |error| Error::write(output, error);
            let writer = BufWriter::with_capacity(1 << 18, file);
            let mut encoder = zstd::Encoder::new(writer, 3).map_err(failed)?;
            // Gzip always has a checksum, zstd only on request.
            encoder.include_checksum(true).map_err(failed)?;
            copy_lines(chunks, &mut encoder, output)?;
            encoder.finish().and_then(|mut writer| writer.flush()).map_err(failed)
        }),
    }
}

/// Writes a file that is not compressed.
fn write_plain(output: &Path, write: impl FnOnce(&mut BufWriter<&File>) -> Result<(), Error>) -> Result<(), Error> {
    write_file(output, |file| {
        let mut writer = BufWriter::with_capacity(1 << 18, file);
        write(&mut writer)?;
        writer.flush().map_err(|error| Error::write(output, error))
    })
}

fn write_file(output: &Path, write: impl FnOnce(&File) -> Result<(), Error>) -> Result<(), Error> {
    let file = AtomicFile::create(output).map_err(|error| Error::write(output, error))?;
    write(file.as_file())?;
    // Only reached if everything was written; dropping the file instead leaves the old output.
    file.commit().map_err(|error| Error::write(output, error))
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
