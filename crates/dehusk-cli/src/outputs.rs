//! What is checked of outputs before any work is done: that they replace no input, and that they can be written.

use crate::files::{self, folder_of, is_stream};
use crate::outcome::Failure;
use dehusk_io::{OutputContainer, files_in_folder, is_read_in_folders};
use std::path::Path;

/// What a command writes to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// A file.
    File,
    /// A file of records.
    Records,
    /// A file or a folder, as the command decides.
    Any,
    /// A file that the command reads before it writes it.
    Kept,
}

/// A path that a command writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output<'a> {
    pub(crate) path: &'a Path,
    pub(crate) kind: OutputKind,
}

/// Checks that outputs replace no input, are not named twice, and can be written.
pub(crate) fn check_outputs(inputs: &[&Path], outputs: &[Output<'_>]) -> Result<(), Failure> {
    let outputs: Vec<&Output<'_>> = outputs.iter().filter(|output| !is_stream(output.path)).collect();
    for (number, output) in outputs.iter().enumerate() {
        let path = output.path;
        if let Some(other) = outputs[..number].iter().find(|other| is_same(other.path, path)) {
            return Err(Failure::about(path, format!("named for two outputs (also as {})", other.path.display())));
        }
        let is_replaced = |input: &&&Path| is_same(input, path) || is_part_file(input, path);
        if let Some(input) = inputs.iter().find(is_replaced) {
            return Err(replaces(path, input));
        }
    }
    inputs.iter().filter(|input| input.is_dir()).try_for_each(|folder| check_folder(folder, &outputs))?;
    outputs.iter().try_for_each(|output| output.check_kind().and_then(|()| check_writable(output.path)))
}

impl Output<'_> {
    fn check_kind(&self) -> Result<(), Failure> {
        let Output { path, kind } = *self;
        if kind != OutputKind::Any && path.is_dir() {
            return Err(Failure::about(path, "is a folder, and the output is a file: choose another name"));
        }
        if kind == OutputKind::Kept && path.exists() && !path.is_file() {
            return Err(Failure::about(path, "is not a file"));
        }
        if kind == OutputKind::Records && OutputContainer::of(path) == OutputContainer::Folder {
            return Err(Failure::about(path, "choose a name that ends in .jsonl, .jsonl.gz, .jsonl.zst or .parquet"));
        }
        Ok(())
    }
}

/// Checks that outputs are not among the files that are read in an input folder, and will not be the next time.
fn check_folder(folder: &Path, outputs: &[&Output<'_>]) -> Result<(), Failure> {
    let outputs = outputs.iter().filter(|output| output.kind != OutputKind::Kept).map(|output| output.path);
    let existing: Vec<_> = outputs.clone().filter_map(|path| Some((path, identity(path)?))).collect();
    if !existing.is_empty() {
        // Links can lead to files anywhere.
        for input in files_in_folder(folder) {
            let own = identity(&input);
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

/// An output that is read with the inputs the next time.
pub(crate) fn is_read_again(output: &Path, folder: &Path) -> Failure {
    let folder = folder.display();
    let message = format!(
        "the output is inside the input folder {folder}, where it would be read next time; choose another output"
    );
    Failure::about(output, message)
}

fn replaces(output: &Path, input: &Path) -> Failure {
    let message = format!("the output would replace the input {}; choose another output", input.display());
    Failure::about(output, message)
}

/// Whether both paths lead to the same file.
fn is_same(one: &Path, two: &Path) -> bool {
    if is_stream(one) {
        return false;
    }
    match (identity(one), identity(two)) {
        (Some(one), Some(two)) => one == two,
        // Files that do not exist yet are the same if they are named alike in the same folder.
        _ => {
            let folders = [one, two].map(|path| identity(folder_of(path)));
            one.file_name() == two.file_name() && folders[0].is_some() && folders[0] == folders[1]
        }
    }
}

/// Which file a path leads to. It is not opened: who writes to a pipe would find it closed again.
#[cfg(unix)]
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Which file a path leads to.
#[cfg(not(unix))]
pub(crate) fn identity(path: &Path) -> Option<std::path::PathBuf> {
    path.canonicalize().ok()
}

/// Whether an input is named as an output is while it is being written: `.NAME.part`. Such a file is removed, as one that a killed run left.
fn is_part_file(input: &Path, output: &Path) -> bool {
    let (Some(input_name), Some(name)) = (input.file_name(), output.file_name()) else { return false };
    let (input_name, name) = (input_name.to_string_lossy(), name.to_string_lossy());
    let rest = input_name.strip_prefix('.').and_then(|rest| rest.strip_prefix(&*name));
    rest.is_some_and(|rest| rest.ends_with(".part")) && is_same(folder_of(input), folder_of(output))
}

/// Whether a path, which need not exist, is in a folder.
pub(crate) fn is_in(path: &Path, folder: &Path) -> bool {
    let existing = folder_of(path).ancestors().find_map(|ancestor| files::or_here(ancestor).canonicalize().ok());
    existing.zip(folder.canonicalize().ok()).is_some_and(|(path, folder)| path.starts_with(folder))
}

/// Writing the output is the last step; what forbids it should not wait until then.
fn check_writable(path: &Path) -> Result<(), Failure> {
    let (is_folder, is_file) = (path.is_dir(), path.is_file());
    if path.exists() && !is_folder && !is_file {
        // Devices and pipes are written directly.
        return Ok(());
    }
    let folder = if is_folder { path } else { folder_of(path) };
    // The folders are made only when there is something to put into them.
    let folder = folder.ancestors().map(files::or_here).find(|folder| folder.exists()).unwrap_or(Path::new("."));
    tempfile::Builder::new()
        .prefix(".dehusk-")
        .tempfile_in(folder)
        .map(drop)
        .map_err(|error| files::cannot_write(path, &error))
}
