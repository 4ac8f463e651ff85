//! A folder with a file for each row.

use std::borrow::Cow;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::atomic_file::AtomicFile;
use crate::containers::chunks::{bad_line, for_each_object};
use crate::containers::folder::file_names::{FileNames, safe_parts, url_parts};
use crate::containers::schema::OutputSchema;
use crate::error::Error;

/// Writes the files, each of which appears whole or not at all.
pub(crate) fn write_folder(chunks: &[PathBuf], output: &Path, schema: &OutputSchema) -> Result<(), Error> {
    fs::create_dir_all(output).map_err(|error| Error::write(output, error))?;
    let mut names = FileNames::default();
    let mut last_parent = String::new();
    for_each_object(chunks, |object, chunk, number| {
        for (key, suffix) in &schema.files {
            let contents = match object.get(key.as_str()).map(|value| value.get()) {
                Some("null") => Cow::Borrowed(""),
                // The row is one value inside the line: its own JSON.
                Some(other) => text(other).map_or(Cow::Borrowed(other), Cow::Owned),
                None => return Err(bad_line(chunk, number, &format!("the key \"{key}\" is missing"))),
            };
            let value = |key| object.get(key).and_then(|value| text(value.get()));
            let parts = match (value("path"), value("url")) {
                (Some(path), _) => safe_parts(&path),
                (None, Some(url)) => url_parts(&url, suffix),
                (None, None) => vec![format!("page{suffix}")],
            };
            let name = names.unique(parts);
            let path = output.join(&name);
            let failed = |error| Error::write(&path, error);
            let parent = name.rsplit_once('/').map_or("", |(parent, _)| parent);
            // Pages of one site come together, so most files need no new folder.
            if parent != last_parent {
                fs::create_dir_all(output.join(parent)).map_err(failed)?;
                last_parent = parent.to_string();
            }
            let mut file = AtomicFile::create(&path).map_err(failed)?;
            file.write_all(contents.as_bytes()).map_err(failed)?;
            file.commit_unsynced().map_err(failed)?;
        }
        Ok(())
    })
}

/// The text of a JSON string.
fn text(json: &str) -> Option<String> {
    if json.starts_with('"') { serde_json::from_str(json).ok() } else { None }
}
