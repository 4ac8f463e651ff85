//! Files that appear whole or not at all.
//!
//! A file is written under a temporary name in the folder of its target and renamed when it is complete, so neither a
//! full disk nor a killed process leaves half a file under the target's name. Devices and pipes are written directly.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;
use tempfile::{NamedTempFile, TempPath};

/// A file that replaces its target when it is committed, and leaves it as it is if it is dropped before that.
///
/// Each of several writers of a target writes a file of its own; the last one to commit replaces the others.
#[derive(Debug)]
pub struct AtomicFile {
    file: Inner,
}

#[derive(Debug)]
enum Inner {
    Temporary { file: NamedTempFile, target: PathBuf },
    Direct(File),
}

impl AtomicFile {
    /// Starts to write the file at `path`, whose folder must exist.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        let existing = fs::metadata(path);
        // A rename would replace a device or a pipe with an ordinary file.
        if existing.as_ref().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            return Ok(AtomicFile { file: Inner::Direct(File::options().write(true).open(path)?) });
        }
        // A link is followed, so that the rename replaces what it points at and not the link.
        let target = if existing.is_ok() { fs::canonicalize(path)? } else { path.to_path_buf() };
        Ok(AtomicFile { file: Inner::Temporary { file: temporary_beside(&target)?, target } })
    }

    /// The file to write to. Its errors do not name the temporary path.
    #[must_use]
    pub fn as_file(&self) -> &File {
        match &self.file {
            Inner::Temporary { file, .. } => file.as_file(),
            Inner::Direct(file) => file,
        }
    }

    /// Puts the file on disk and gives it its name.
    ///
    /// # Errors
    /// If the file cannot be written or renamed; its target then stays as it was.
    pub fn commit(self) -> io::Result<()> {
        if let Inner::Temporary { file, target } = self.file {
            // Before the rename: otherwise a power failure could leave the name on a file whose bytes never reached the disk.
            file.as_file().sync_all()?;
            file.persist(&target).map_err(|error| error.error)?;
            sync_folder(&target);
        }
        Ok(())
    }

    /// Gives the file its name without waiting for the disk, for thousands of small files. The file survives a killed
    /// process, but not a power failure.
    pub(crate) fn commit_unsynced(self) -> io::Result<()> {
        if let Inner::Temporary { file, target } = self.file {
            file.persist(&target).map_err(|error| error.error)?;
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.as_file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.as_file().flush()
    }
}

/// Writes a file that appears whole or not at all.
///
/// # Errors
/// If the file cannot be written; what was there then stays as it was.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// The maximum number of runs that can write to a target at the same time.
const MAX_WRITERS: usize = 100;

/// A temporary file in the folder of `target`, so that a rename moves no bytes, with the permissions of any new file. It is locked
/// as long as it is written. Its name follows from the target's, so that the next run removes what a killed one left.
fn temporary_beside(target: &Path) -> io::Result<NamedTempFile> {
    let mut names = temporary_names(target);
    while let Some(path) = names.next() {
        remove_left_over(&path);
        match File::options().read(true).write(true).create_new(true).open(&path) {
            Ok(file) if is_locked_as(&file, &path) => {
                // Files of runs that wrote at the same time and were killed.
                names.take_while(|path| path.exists()).for_each(|path| remove_left_over(&path));
                return Ok(NamedTempFile::from_parts(file, TempPath::try_from_path(path)?));
            }
            // Another run took it for a left-over file before it was locked.
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "too many runs are writing this file"))
}

/// Removes the file of a killed run: one that nobody holds a lock on.
fn remove_left_over(path: &Path) {
    // Opening a pipe would wait for its other end.
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return;
    }
    if let Ok(file) = File::open(path)
        && is_locked_as(&file, path)
    {
        // If it stays, another name is taken.
        let _ = fs::remove_file(path);
    }
}

/// Locks a file, unless another run has. Returns whether it is locked and still has its name, which only the holder of the lock may
/// take away.
fn is_locked_as(file: &File, path: &Path) -> bool {
    // Some file systems have no locks; there, a file that is being written looks just like one that was left over.
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
        && file
            .try_clone()
            .and_then(Handle::from_file)
            .is_ok_and(|own| Handle::from_path(path).is_ok_and(|now| own == now))
}

/// The names of a file while it is being written: `.NAME.part`, and `.NAME.1.part` and so on for others that write it at the same time.
pub(crate) fn temporary_names(target: &Path) -> impl Iterator<Item = PathBuf> {
    (0..MAX_WRITERS).map(|number| {
        let mut name = OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(if number == 0 { ".part".into() } else { format!(".{number}.part") });
        folder_of(target).join(name)
    })
}

/// Puts the rename itself on disk, where the system can do that for folders.
fn sync_folder(target: &Path) {
    if let Ok(folder) = File::open(folder_of(target)) {
        let _ = folder.sync_all();
    }
}

fn folder_of(path: &Path) -> &Path {
    // The parent of a bare file name is the empty path, which cannot be opened.
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_replaces_its_target_only_when_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomic(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write_atomic(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn two_writers_do_not_mix_and_killed_ones_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(folder.path().join(".a.txt.part"), b"left by a killed run").unwrap();
        let mut one = AtomicFile::create(&path).unwrap();
        one.write_all(b"one, ").unwrap();
        let mut two = AtomicFile::create(&path).unwrap();
        two.write_all(b"half of two").unwrap();
        one.write_all(b"whole").unwrap();
        one.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one, whole");
        two.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"half of two");
        fs::write(folder.path().join(".a.txt.1.part"), b"left by a killed second run").unwrap();
        write_atomic(&path, b"three").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_are_those_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (plain, path, link) = (folder.path().join("plain"), folder.path().join("a"), folder.path().join("b"));
        fs::write(&plain, "").unwrap();
        write_atomic(&path, b"old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_atomic(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain));
        write_atomic(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
