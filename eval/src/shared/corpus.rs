//! The data folder: locations of the corpora, and reading pages from them.

use crate::Stop;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Window size of the archives: they were compressed with a 128 MiB window.
const WINDOW_LOG: u32 = 27;

pub(crate) struct Data {
    root: PathBuf,
}

impl Data {
    pub(crate) fn new(root: PathBuf) -> Data {
        Data { root }
    }

    /// A file or folder below the data folder, if it is there.
    pub(crate) fn find(&self, name: &str) -> Result<PathBuf, Stop> {
        let path = self.root.join(name);
        if path.exists() { Ok(path) } else { Err(Stop::Absent(format!("there is no {}", path.display()))) }
    }

    /// The files with an extension in a folder, sorted by name.
    pub(crate) fn list(&self, folder: &str, ending: &str) -> Result<Vec<PathBuf>, Stop> {
        let folder = self.find(folder)?;
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_file() && path.to_string_lossy().ends_with(ending) {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }
}

/// Calls back with each record of a compressed JSONL file.
pub(crate) fn read_records(path: &Path, mut each: impl FnMut(Value)) -> Result<(), Stop> {
    let broken = |error: &dyn std::fmt::Display| Stop::Broken(format!("{}: {error}", path.display()));
    let mut decoder = zstd::Decoder::new(File::open(path)?)?;
    decoder.window_log_max(WINDOW_LOG)?;
    for line in BufReader::with_capacity(1 << 20, decoder).lines() {
        let record: Value = serde_json::from_str(&line?).map_err(|error| broken(&error))?;
        each(record);
    }
    Ok(())
}

/// Calls back with the URL and the source of each page of a compressed JSONL file.
pub(crate) fn read_pages(path: &Path, mut each: impl FnMut(&str, String)) -> Result<(), Stop> {
    read_records(path, |mut record| {
        let address = record["url"].as_str().unwrap_or_default().to_string();
        if let Value::String(html) = record["html"].take() {
            each(&address, html);
        }
    })
}
