//! Pages from files and folders, and files that appear whole or not at all.

use crate::outcome::Failure;
use crate::printer;
use std::ffi::OsStr;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// A page to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its path under the folder it was found in: where its result goes under the output folder.
    pub(crate) relative: PathBuf,
}

/// Reads a file, or standard input for `-`, up to one byte more than the limit: that byte shows that it is too large.
pub(crate) fn read(path: &Path, most: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = match is_stream(path) {
        true => std::io::stdin().lock().take(most as u64 + 1).read_to_end(&mut bytes),
        false => std::fs::File::open(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes)),
    };
    match read {
        Ok(length) if length > most => {
            Err(Failure::new(format!("{}: more than {most} bytes (--max-bytes raises the limit)", path.display())))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::new(format!("{}: {error}", path.display()))),
    }
}

/// The pages among files and folders, sorted within each folder. Files are taken whatever their name is, and must exist.
pub(crate) fn pages(paths: &[PathBuf]) -> Result<Vec<PageFile>, Failure> {
    let mut pages = Vec::new();
    for path in paths {
        if path.is_dir() {
            pages.extend(pages_in(path)?);
        } else if let Err(error) = std::fs::symlink_metadata(path) {
            return Err(Failure::about(path, error));
        } else {
            let name = path.file_name().unwrap_or(OsStr::new("page"));
            pages.push(PageFile { path: path.clone(), relative: name.into() });
        }
    }
    Ok(pages)
}

/// The HTML files in a folder and below, sorted by path.
pub(crate) fn pages_in(folder: &Path) -> Result<Vec<PageFile>, Failure> {
    let mut pages = Vec::new();
    // Sorted, so that the same folder gives the same messages and reports on every system.
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
        if entry.file_type().is_file() && is_page_name(entry.path()) {
            let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path()).to_path_buf();
            pages.push(PageFile { path: entry.path().to_path_buf(), relative });
        }
    }
    Ok(pages)
}

fn is_page_name(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    ["html", "htm", "xhtml"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Whether a path stands for standard input or output.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes a file that appears whole or not at all, and the folders it is in. `-` is standard output.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_stream(path) {
        let mut out = std::io::stdout().lock();
        return out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::output);
    }
    std::fs::create_dir_all(dehusk_io::folder_of(path))
        .and_then(|()| dehusk_io::write_atomic(path, bytes))
        .map_err(|error| cannot_write(path, &error))
}

pub(crate) fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: cannot write: {error}", path.display()))
}

/// Writes to a file, or to standard output where none is named. On a terminal, control characters are escaped, so that it does not obey
/// them.
pub(crate) fn write_or_print(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    match path.filter(|path| !is_stream(path)) {
        Some(path) => write(path, text.as_bytes()),
        None => {
            let mut out = std::io::stdout().lock();
            let text = if out.is_terminal() { printer::shown(text) } else { text.into() };
            out.write_all(text.as_bytes())
                .and_then(|()| if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") })
                .and_then(|()| out.flush())
                .map_err(Failure::output)
        }
    }
}

/// The path of a page's result: the page's path with the format's ending added, so that `a.htm` and `a.html` stay apart.
pub(crate) fn result_path(output: &Path, page: &PageFile, extension: &str) -> PathBuf {
    let mut path = output.join(&page.relative);
    if path.extension().and_then(OsStr::to_str) != Some(extension) {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".");
        name.push(extension);
        path.set_file_name(name);
    }
    path
}
