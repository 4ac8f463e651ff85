//! A folder of pages, and the reading of one page file.
//!
//! Walking gives page files and containers in the order of their paths; links are followed, and a loop of
//! links is a fault. Files of other names are passed over: a crawl's folder also holds images and styles. So are the
//! folders in which runs keep their state.

use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::fault::{Fault, FaultKind};
use crate::inflate::Tape;
use crate::options::{ReadOptions, bytes_text};
use crate::place::Place;
use crate::record::{Record, path_text};
use crate::source::Kind;
use crate::spool::Origin;

/// One finding of a walk.
pub(crate) enum Entry {
    Page { path: PathBuf, url: String, bytes: u64 },
    Container { path: PathBuf, bytes: u64 },
}

/// The files under one folder, in order.
pub(crate) struct Folder {
    root: PathBuf,
    walk: walkdir::IntoIter,
}

impl Folder {
    pub(crate) fn new(root: &Path) -> Self {
        let walk = WalkDir::new(root).follow_links(true).sort_by_file_name().into_iter();
        Folder { root: root.into(), walk }
    }

    pub(crate) fn next(&mut self) -> Option<Result<Entry, Fault>> {
        loop {
            let entry = match self.walk.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(walk_fault(&self.root, &error))),
            };
            if !entry.file_type().is_file() {
                if entry.depth() > 0 && is_state_folder(entry.path()) {
                    self.walk.skip_current_dir();
                }
                continue;
            }
            // A file that cannot be measured will say why when it is opened.
            let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
            let path = entry.into_path();
            match Kind::of_name(&path) {
                Some(Kind::Page) => {
                    let url = page_url(path.strip_prefix(&self.root).unwrap_or(&path));
                    return Some(Ok(Entry::Page { path, url, bytes }));
                }
                Some(_) if !is_bare_json(&path) => return Some(Ok(Entry::Container { path, bytes })),
                _ => {}
            }
        }
    }
}

/// What the name of the folder with the state of a run ends in.
pub(crate) const STATE_SUFFIX: &str = ".dehusk-run";

/// Whether a folder holds the state of a run, whose files look like a crawl and are none.
fn is_state_folder(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(STATE_SUFFIX))
}

/// Whether a name ends in `.json`: beside pages that is as a rule something about them, not pages.
fn is_bare_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

fn walk_fault(root: &Path, error: &walkdir::Error) -> Fault {
    let place = Place::whole(error.path().unwrap_or(root));
    let message = match (error.loop_ancestor(), error.io_error()) {
        (Some(ancestor), _) => format!("the link leads back to {}", ancestor.display()),
        (None, Some(error)) => format!("cannot be read: {error}"),
        (None, None) => "cannot be read".into(),
    };
    Fault::new(place, FaultKind::CannotRead, message)
}

/// The url of a page file by its path in the folder: crawlers save `host/path`.
pub(crate) fn page_url(relative: &Path) -> String {
    let text = path_text(relative);
    let lower = text.to_ascii_lowercase();
    let stem = match [".gz", ".zst"].iter().find(|suffix| lower.ends_with(*suffix)) {
        Some(suffix) => &text[..text.len() - suffix.len()],
        None => &text,
    };
    match stem.split_once('/') {
        Some((host, _)) if looks_like_host(host) => format!("http://{stem}"),
        _ => stem.to_string(),
    }
}

fn looks_like_host(name: &str) -> bool {
    let inner_dot = name.trim_matches('.').contains('.');
    inner_dot
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '_'))
}

/// Reads one page file, inflating it if it is compressed.
pub(crate) fn open_page(origin: &Origin, url: String, place: Place, options: &ReadOptions) -> Result<Record, Fault> {
    let unreadable =
        |error: io::Error| Fault::new(place.clone(), FaultKind::CannotRead, format!("cannot be read: {error}"));
    let file = origin.open().map_err(unreadable)?;
    let mut tape = Tape::new(Box::new(file)).map_err(unreadable)?;
    let mut html = Vec::new();
    while tape.ensure(1) > 0 {
        let data = tape.data();
        if html.len() as u64 + data.len() as u64 > options.max_bytes {
            let limit = bytes_text(options.max_bytes);
            return Err(Fault::new(
                place,
                FaultKind::TooLarge,
                format!("the page is larger than the limit of {limit}"),
            ));
        }
        html.extend_from_slice(data);
        tape.consume(data.len());
    }
    if let Some(trouble) = tape.trouble() {
        return Err(Fault::new(place, trouble.kind, trouble.message.clone()));
    }
    let carried = options.carry.iter().map(|name| (name.clone(), serde_json::Value::Null)).collect();
    Ok(Record { url, id: None, html, content_type: None, carried, truncated: false, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_folder_with_a_dot_is_the_host() {
        let url = |path: &str| page_url(Path::new(path));
        assert_eq!(url("www.example.org/a/b.html"), "http://www.example.org/a/b.html");
        assert_eq!(url("example.org:8080/b.html.gz"), "http://example.org:8080/b.html");
        assert_eq!(url("news/b.HTML.ZST"), "news/b.HTML");
        assert_eq!(url("page.html"), "page.html");
        assert_eq!(url("./page.html"), "./page.html");
    }
}
