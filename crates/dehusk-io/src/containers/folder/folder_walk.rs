//! The files under a folder.
//!
//! Gives page files and containers in the order of their paths. Links are followed, and a loop of links is a fault; a folder
//! is read once, however many links lead to it. Other files are ignored, since the folder of a crawl also holds images and
//! styles; so are the folders in which runs keep their state.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::containers::folder::path_url::{is_known_host, path_url};
use crate::containers::format::InputFormat;
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
    /// What comes before the path of a page in its url.
    site: Option<String>,
    /// The folders that links lead to.
    linked: BTreeSet<PathBuf>,
}

impl Folder {
    /// The pages and containers of a folder, or the files of text and containers.
    pub(crate) fn new(root: &Path, texts: bool) -> Self {
        // Sorted, so that every pass gives the same pages in the same order, whatever the file system does.
        let walk = WalkDir::new(root).follow_links(true).sort_by_file_name().into_iter();
        Folder { root: root.into(), walk, texts, site: site_of(root, texts), linked: BTreeSet::new() }
    }

    /// Whether a link leads to a folder that is read anyway: one below the root, or one that another link leads to.
    fn is_read_elsewhere(&mut self, link: &Path) -> bool {
        let (Ok(target), Ok(root)) = (link.canonicalize(), self.root.canonicalize()) else { return false };
        // A link to a folder above is a loop, which the walk reports.
        !root.starts_with(&target) && (target.starts_with(&root) || !self.linked.insert(target))
    }

    pub(crate) fn next(&mut self) -> Option<Result<Entry, Fault>> {
        loop {
            let entry = match self.walk.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(walk_fault(&self.root, &error))),
            };
            if !entry.file_type().is_file() {
                let is_folder = entry.file_type().is_dir() && entry.depth() > 0;
                let is_left_out = is_folder
                    && (is_state_folder(entry.path())
                        || (entry.path_is_symlink() && self.is_read_elsewhere(entry.path())));
                if is_left_out {
                    self.walk.skip_current_dir();
                }
                continue;
            }
            // A file whose size is unknown gives a fault when it is opened.
            let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
            let path = entry.into_path();
            match format_in_folder(&path, self.texts) {
                Some(InputFormat::Page) => {
                    let url = path_url(path.strip_prefix(&self.root).unwrap_or(&path));
                    let url = match &self.site {
                        Some(site) if !url.starts_with("http://") && (site != SITE_PATH || url.contains('/')) => {
                            format!("{site}{url}")
                        }
                        _ => url,
                    };
                    return Some(Ok(Entry::Page { path, url, bytes }));
                }
                Some(_) => return Some(Ok(Entry::Container { path, bytes })),
                None => {}
            }
        }
    }
}

/// The files that are read in a folder, as pages or as texts.
pub fn files_in_folder(folder: &Path) -> impl Iterator<Item = PathBuf> {
    [false, true].into_iter().flat_map(move |texts| {
        let mut walk = Folder::new(folder, texts);
        std::iter::from_fn(move || walk.next()).filter_map(|entry| match entry {
            Ok(Entry::Page { path, .. } | Entry::Container { path, .. }) => Some(path),
            Err(_) => None,
        })
    })
}

/// Whether a file of this name would be read in an input folder, as a page or as a text.
#[must_use]
pub fn is_read_in_folders(name: &Path) -> bool {
    [false, true].into_iter().any(|texts| format_in_folder(name, texts).is_some())
}

/// The format of a file that is found in a folder, if it is read there.
fn format_in_folder(path: &Path, texts: bool) -> Option<InputFormat> {
    InputFormat::of_name(path, texts).filter(|_| !is_bare_json(path))
}

/// Pages whose paths start like this belong together, whatever folders they are in.
const SITE_PATH: &str = "./";

/// The start of the urls of pages if a folder is that of one site: its name is a host, or there are pages in the folder itself.
/// Otherwise, each folder in it is a site.
fn site_of(root: &Path, texts: bool) -> Option<String> {
    let full = root.canonicalize().ok()?;
    let name = full.file_name()?.to_string_lossy();
    if is_known_host(&name) {
        return Some(format!("http://{name}/"));
    }
    let mut files = root.read_dir().ok()?.flatten();
    let has_pages =
        files.any(|file| InputFormat::of_name(&file.path(), texts) == Some(InputFormat::Page) && file.path().is_file());
    has_pages.then(|| SITE_PATH.to_string())
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
