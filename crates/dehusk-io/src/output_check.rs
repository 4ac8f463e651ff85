//! What is checked of outputs before any work is done: that they replace no input, and that they can be written.

use crate::containers::{OutputContainer, files_in_folder, is_read_in_folders};
use crate::error::{Error, ErrorKind};
use std::ffi::OsStr;
use std::path::Path;

/// What is written to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputKind {
    /// A file.
    File,
    /// A file of records.
    Records,
    /// A file or a folder.
    Any,
    /// A file that is read before it is written.
    Kept,
}

/// A path that is written.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// The path; `-` is standard output.
    pub path: &'a Path,
    /// What is written there.
    pub kind: OutputKind,
}

/// What a job does with what an earlier one has left in its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ExistingOutput {
    /// A folder with files in it is refused.
    #[default]
    Refuse,
    /// An interrupted run goes on.
    Resume,
    /// Files of the same names are replaced.
    Replace,
}

/// Endings of files that a crawl job does not write. A name with any other unknown ending is a folder.
const OTHER_FILES: [&str; 12] = ["csv", "tsv", "json", "txt", "md", "html", "htm", "xml", "warc", "zip", "gz", "zst"];

/// Checks that the output of a crawl job is one for many pages, and holds nothing that it would be mixed with.
///
/// # Errors
/// If it is not, or holds files that it would be mixed with.
pub fn check_crawl_output(output: &Path, container: OutputContainer, existing: ExistingOutput) -> Result<(), Error> {
    let ending = output.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    let is_folder = container == OutputContainer::Folder;
    if is_folder && OTHER_FILES.contains(&&*ending) && !output.is_dir() {
        let message = "many pages go to a .jsonl (also .jsonl.gz, .jsonl.zst) or .parquet file, or to a folder, whose name does \
                       not end like that of a file";
        return Err(refused(output, message));
    }
    if output.exists() && output.is_dir() != is_folder {
        let message = match is_folder {
            true => {
                "is a file, and by its name the output is a folder: choose another name, for one file of records .jsonl or .parquet"
            }
            false => "is a folder, and by its name the output is a file: choose another name",
        };
        return Err(refused(output, message));
    }
    let holds_files = std::fs::read_dir(output).is_ok_and(|mut files| files.next().is_some());
    if holds_files && existing == ExistingOutput::Refuse {
        let message =
            "the folder is not empty, and the results of two runs would mix: name another, or add --overwrite";
        return Err(refused(output, message));
    }
    Ok(())
}

fn refused(path: &Path, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOptions, message).at(path)
}

/// Whether a path stands for standard input or output.
fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// The folder that a path is in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().map_or(Path::new("."), or_here)
}

/// The folder itself, or the current one if the path is empty.
fn or_here(folder: &Path) -> &Path {
    if folder == Path::new("") { Path::new(".") } else { folder }
}

/// Checks that outputs replace no input, are not named twice, and can be written.
///
/// # Errors
/// If one replaces an input, is named twice, or cannot be written.
pub fn check_outputs(inputs: &[&Path], outputs: &[Output<'_>]) -> Result<(), Error> {
    let outputs: Vec<&Output<'_>> = outputs.iter().filter(|output| !is_stream(output.path)).collect();
    for (number, output) in outputs.iter().enumerate() {
        let path = output.path;
        if let Some(other) = outputs[..number].iter().find(|other| is_same(other.path, path)) {
            return Err(refused(path, format!("named for two outputs (also as {})", other.path.display())));
        }
        // While it is being written, an output has another name, under which leftovers are removed.
        let is_replaced = |input: &&&Path| is_same(input, path) || is_part_file(input, path);
        if let Some(input) = inputs.iter().find(is_replaced) {
            return Err(replaces(path, input));
        }
    }
    inputs.iter().filter(|input| input.is_dir()).try_for_each(|folder| check_folder(folder, &outputs))?;
    outputs.iter().try_for_each(|output| output.check_kind().and_then(|()| check_writable(output.path)))
}

impl Output<'_> {
    fn check_kind(&self) -> Result<(), Error> {
        let Output { path, kind } = *self;
        if kind != OutputKind::Any && path.is_dir() {
            return Err(refused(path, "is a folder, and the output is a file: choose another name"));
        }
        if kind == OutputKind::Kept && path.exists() && !path.is_file() {
            return Err(refused(path, "is not a file"));
        }
        if kind == OutputKind::Records && OutputContainer::of(path) == OutputContainer::Folder {
            return Err(refused(path, "choose a name that ends in .jsonl, .jsonl.gz, .jsonl.zst or .parquet"));
        }
        Ok(())
    }
}

/// Checks that outputs are not among the files that are read in an input folder, and will not be the next time.
fn check_folder(folder: &Path, outputs: &[&Output<'_>]) -> Result<(), Error> {
    let outputs = outputs.iter().filter(|output| output.kind != OutputKind::Kept).map(|output| output.path);
    let existing: Vec<_> = outputs.clone().filter_map(|path| Some((path, FileIdentity::of(path)?))).collect();
    if !existing.is_empty() {
        // Links can lead to files anywhere.
        for input in files_in_folder(folder) {
            let own = FileIdentity::of(&input);
            if let Some((output, _)) = existing.iter().find(|(_, other)| Some(other) == own.as_ref()) {
                return Err(replaces(output, &input));
            }
        }
    }
    let is_read = |output: &&Path| is_read_in_folders(output) && is_in(output, folder);
    match outputs.clone().find(is_read) {
        None => Ok(()),
        Some(output) => Err(is_read_again(output, folder)),
    }
}

/// The error of an output that would be read as an input next time.
pub fn is_read_again(output: &Path, folder: &Path) -> Error {
    let folder = folder.display();
    let message = format!(
        "the output is inside the input folder {folder}, where it would be read next time; choose another output"
    );
    refused(output, message)
}

fn replaces(output: &Path, input: &Path) -> Error {
    let message = format!("the output would replace the input {}; choose another output", input.display());
    refused(output, message)
}

/// Whether both paths lead to the same file.
fn is_same(one: &Path, two: &Path) -> bool {
    if is_stream(one) {
        return false;
    }
    match (FileIdentity::of(one), FileIdentity::of(two)) {
        (Some(one), Some(two)) => one == two,
        // Files that do not exist yet are the same if they are named alike in the same folder.
        _ => {
            let folders = [one, two].map(|path| FileIdentity::of(folder_of(path)));
            one.file_name() == two.file_name() && folders[0].is_some() && folders[0] == folders[1]
        }
    }
}

/// Which file a path leads to: two paths to the same file have equal identities.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    number: u64,
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

impl FileIdentity {
    /// The file that a path leads to. It is not opened: whoever writes to a pipe would find it closed again.
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<FileIdentity> {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = std::fs::metadata(path).ok()?;
        Some(FileIdentity { device: metadata.dev(), number: metadata.ino() })
    }

    /// The file that a path leads to.
    #[cfg(not(unix))]
    pub fn of(path: &Path) -> Option<FileIdentity> {
        path.canonicalize().ok().map(|path| FileIdentity { path })
    }
}

/// Whether an input is named as an output is while it is being written: `.NAME.part`. Such a file is removed, as one that a killed run left.
fn is_part_file(input: &Path, output: &Path) -> bool {
    let (Some(input_name), Some(name)) = (input.file_name(), output.file_name()) else { return false };
    let (input_name, name) = (input_name.to_string_lossy(), name.to_string_lossy());
    let rest = input_name.strip_prefix('.').and_then(|rest| rest.strip_prefix(&*name));
    rest.is_some_and(|rest| rest.ends_with(".part")) && is_same(folder_of(input), folder_of(output))
}

/// Whether a path, which need not exist, is in a folder.
pub fn is_in(path: &Path, folder: &Path) -> bool {
    let existing = folder_of(path).ancestors().find_map(|ancestor| or_here(ancestor).canonicalize().ok());
    existing.zip(folder.canonicalize().ok()).is_some_and(|(path, folder)| path.starts_with(folder))
}

/// Writing the output is the last step; what forbids it should not wait until then.
fn check_writable(path: &Path) -> Result<(), Error> {
    let (is_folder, is_file) = (path.is_dir(), path.is_file());
    if path.exists() && !is_folder && !is_file {
        // Devices and pipes are written directly.
        return Ok(());
    }
    let folder = if is_folder { path } else { folder_of(path) };
    // The folders are made only when there is something to put into them.
    let folder = folder.ancestors().map(or_here).find(|folder| folder.exists()).unwrap_or(Path::new("."));
    tempfile::Builder::new()
        .prefix(".dehusk-")
        .tempfile_in(folder)
        .map(drop)
        .map_err(|error| refused(path, format!("cannot write: {error}")))
}
