//! Temporary folders, which are removed even if the program is interrupted: they can hold a whole crawl.

use crate::printer;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// What is said when the program is interrupted.
static ADVICE: Mutex<Option<&str>> = Mutex::new(None);
/// The exit code of a program that was interrupted, as shells report it.
pub(crate) const INTERRUPTED: i32 = 130;
/// How often to try to remove a folder that another thread still writes to, or makes again because its output goes there.
const ATTEMPTS: usize = 100;
/// How long a folder has to be gone before it counts as removed: long enough for a thread to come to the next thing it writes.
const SETTLED: Duration = Duration::from_millis(20);

/// A new folder, removed when it is dropped.
pub(crate) fn folder() -> std::io::Result<TempDir> {
    handle_interrupts();
    // Locked first: an interrupt in between would miss a folder that exists and is not listed yet.
    let mut folders = locked(&FOLDERS);
    let folder = tempfile::tempdir()?;
    folders.push(folder.path().into());
    Ok(folder)
}

/// Says this when the program is interrupted.
pub(crate) fn advise_when_interrupted(advice: &'static str) {
    handle_interrupts();
    *locked(&ADVICE) = Some(advice);
}

/// Does not return if the program is being interrupted: what fails because its folder was removed is not a failure to report.
pub(crate) fn wait_if_interrupted() {
    drop(locked(&FOLDERS));
}

fn handle_interrupts() {
    static ONCE: Once = Once::new();
    // Where signals cannot be handled, they end the program as they always do.
    ONCE.call_once(|| {
        let _ = ctrlc::set_handler(|| {
            if let Some(advice) = *locked(&ADVICE) {
                printer::note(advice);
            }
            // Held to the end, so that no folder is made meanwhile.
            let folders = locked(&FOLDERS);
            for _ in 0..ATTEMPTS {
                folders.iter().for_each(|folder| drop(std::fs::remove_dir_all(folder)));
                std::thread::sleep(SETTLED);
                if folders.iter().all(|folder| !folder.exists()) {
                    break;
                }
            }
            std::process::exit(INTERRUPTED);
        });
    });
}

fn locked<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
