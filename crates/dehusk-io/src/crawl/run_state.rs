//! The state of a run, in a folder next to its output, so that a killed run can be resumed.
//!
//! Results are written in segments of a fixed number of records. A segment appears whole or not at all, so the existing
//! segments show how far the run got. A resumed run skips as many records of the input and writes the next segment; the
//! bytes are those of an uninterrupted run.

use super::tally::Tally;
use crate::atomic_file::write_atomic;
use crate::containers::RUN_STATE_SUFFIX;
use crate::error::{Error, ErrorKind};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The number of records in a segment.
pub(super) const RECORDS_PER_SEGMENT: usize = 1000;

pub(super) struct RunState {
    folder: PathBuf,
    /// Held until the run ends, so that no second run works on the same output.
    _lock: File,
}

impl RunState {
    /// The folder with the state of a run that has this output.
    fn folder_of(output: &Path) -> PathBuf {
        let mut name = output.file_name().unwrap_or_default().to_os_string();
        name.push(RUN_STATE_SUFFIX);
        output.with_file_name(name)
    }

    /// Starts a run, or resumes one. `plan` says what the run does; a run can only be resumed with the same plan. `needs` is
    /// added to the message about a different plan.
    pub(super) fn open(output: &Path, plan: &str, needs: &str, resume: bool) -> Result<RunState, Error> {
        let folder = RunState::folder_of(output);
        let plan_file = folder.join("plan.json");
        match fs::read_to_string(&plan_file).ok() {
            Some(_) if !resume => {
                let message = "there is an unfinished run for this output: resume it, or delete this folder";
                return Err(Error::new(ErrorKind::UnfinishedRun, message).at(&folder));
            }
            Some(existing) if existing != plan => {
                let message = format!(
                    "the unfinished run had other inputs or options: use the same ones{needs}, or delete this folder"
                );
                return Err(Error::new(ErrorKind::DifferentRun, message).at(&folder));
            }
            Some(_) => {}
            None => {
                // Without a plan the run has not started or is finished, and what is left of it can be deleted.
                let emptied = match fs::remove_dir_all(&folder) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                    _ => fs::create_dir_all(&folder),
                };
                emptied.map_err(|error| Error::write(&folder, error))?;
                write(&plan_file, plan.as_bytes())?;
            }
        }
        let lock = File::open(&plan_file).map_err(|error| Error::read(&plan_file, error))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                Err(Error::new(ErrorKind::InUse, "another run is working on this output").at(&folder))
            }
            // Some file systems have no locks; there, nothing prevents a second run.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(RunState { folder, _lock: lock }),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn learned_file(&self) -> PathBuf {
        self.folder.join("learned")
    }

    pub(super) fn is_learned(&self) -> bool {
        self.learned_file().is_file()
    }

    pub(super) fn mark_learned(&self) -> Result<(), Error> {
        write(&self.learned_file(), b"")
    }

    fn segment(&self, number: usize) -> PathBuf {
        self.folder.join(format!("segment-{number:08}.jsonl"))
    }

    fn tally(&self, number: usize) -> PathBuf {
        self.folder.join(format!("segment-{number:08}.tally.json"))
    }

    /// The segments that are finished, in order.
    pub(super) fn segments(&self) -> Vec<PathBuf> {
        (0..).map(|number| self.segment(number)).take_while(|path| path.is_file()).collect()
    }

    /// Finishes a segment.
    pub(super) fn write_segment(&self, number: usize, lines: &[u8], tally: &Tally) -> Result<(), Error> {
        let path = self.tally(number);
        let tally = serde_json::to_vec(tally).map_err(|error| Error::write(&path, error.into()))?;
        write(&path, &tally)?;
        write(&self.segment(number), lines)
    }

    /// The sum of the counts of the finished segments.
    pub(super) fn tally_of_segments(&self) -> Result<Tally, Error> {
        let mut sum = Tally::default();
        for number in 0..self.segments().len() {
            let path = self.tally(number);
            let bytes = fs::read(&path).map_err(|error| Error::read(&path, error))?;
            let tally = serde_json::from_slice(&bytes)
                .map_err(|error| Error::new(ErrorKind::Damaged, "damaged").at(&path).because(error))?;
            sum.add(tally);
        }
        Ok(sum)
    }

    /// Deletes the state of a finished run.
    pub(super) fn remove(self) -> Result<(), Error> {
        // The plan first: without it the rest is not a run.
        let plan = self.folder.join("plan.json");
        fs::remove_file(&plan).map_err(|error| Error::write(&plan, error))?;
        fs::remove_dir_all(&self.folder).map_err(|error| Error::write(&self.folder, error))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_atomic(path, bytes).map_err(|error| Error::write(path, error))
}
