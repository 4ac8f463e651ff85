//! The files under a folder.
//!
//! Gives page files and containers in the order of their paths. Links are followed, and a loop of links is a fault. Other
//! files are ignored, since the folder of a crawl also holds images and styles; so are the folders in which runs keep
//! their state.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::containers::format::InputFormat;
use crate::containers::path_url::path_url;
use crate::fault::{Fault, FaultKind};
use crate::location::Location;

/// A file to read.
pub(crate) enum Entry {
    Page { path: PathBuf, url: String, bytes: u64 },
    Container { path: PathBuf, bytes: u64 },
}

/// The files under one folder, in order.
pub(crate) struct Folder {
    root: PathBuf,
    walk: walkdir::IntoIter,
    texts: bool,
}

impl Folder {
    /// The pages and containers of a folder, or the files of text and containers.
    pub(crate) fn new(root: &Path, texts: bool) -> Self {
        let walk = WalkDir::new(root).follow_links(true).sort_by_file_name().into_iter();
        Folder { root: root.into(), walk, texts }
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
            // A file whose size is unknown gives a fault when it is opened.
            let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
            let path = entry.into_path();
            match InputFormat::of_name(&path, self.texts) {
                Some(InputFormat::Page) => {
                    let url = path_url(path.strip_prefix(&self.root).unwrap_or(&path));
                    return Some(Ok(Entry::Page { path, url, bytes }));
                }
                Some(_) if !is_bare_json(&path) => return Some(Ok(Entry::Container { path, bytes })),
                _ => {}
            }
        }
    }
}

/// How the name of the folder with the state of a run ends.
pub(crate) const RUN_STATE_SUFFIX: &str = ".dehusk-run";

/// Whether a folder holds the state of a run, whose files look like a crawl but are not.
fn is_state_folder(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(RUN_STATE_SUFFIX))
}

/// Whether a name ends in `.json`: among pages, such a file usually holds something about them and not pages.
fn is_bare_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

fn walk_fault(root: &Path, error: &walkdir::Error) -> Fault {
    let location = Location::whole_file(error.path().unwrap_or(root));
    let message = match (error.loop_ancestor(), error.io_error()) {
        (Some(ancestor), _) => format!("the link leads back to {}", ancestor.display()),
        (None, Some(error)) => format!("cannot be read: {error}"),
        (None, None) => "cannot be read".into(),
    };
    Fault::new(location, FaultKind::CannotRead, message)
}
