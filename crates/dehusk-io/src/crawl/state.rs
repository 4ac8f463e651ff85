//! The state of a run, in a folder beside its output, so that a killed run can go on.
//!
//! Results are written in segments of a fixed number of records. A segment appears whole (temporary file, fsync, rename)
//! or not at all, so the segments that are there say how far the run came. A run that goes on skips as many records of the
//! input and writes the next segment; the bytes are those of an undisturbed run.

use super::CrawlError;
use super::tally::Tally;
use crate::html_dir::STATE_SUFFIX;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Records of one segment.
pub(super) const SEGMENT_RECORDS: usize = 1000;

pub(super) struct State {
    folder: PathBuf,
    /// Held until the run ends, so that no second one works on the same output.
    _lock: File,
}

impl State {
    /// Where the state of a run with this output is.
    pub(super) fn folder_of(output: &Path) -> PathBuf {
        let mut name = output.file_name().unwrap_or_default().to_os_string();
        name.push(STATE_SUFFIX);
        output.with_file_name(name)
    }

    /// Starts a run, or goes on with one. `plan` says what the run does; a run goes on only with the same plan.
    /// `needs` is what to say beside that to someone whose plan is another one.
    pub(super) fn open(output: &Path, plan: &str, needs: &str, resume: bool) -> Result<State, CrawlError> {
        let folder = State::folder_of(output);
        let plan_file = folder.join("plan.json");
        let there = fs::read_to_string(&plan_file).ok();
        match there {
            Some(_) if !resume => {
                return Err(CrawlError::new(format!(
                    "{}: there is an unfinished run for this output: go on with --resume, or delete that folder",
                    folder.display()
                )));
            }
            Some(there) if there != plan => {
                return Err(CrawlError::new(format!(
                    "{}: the unfinished run had other inputs or options; give the same ones{needs}, or delete that folder",
                    folder.display()
                )));
            }
            Some(_) => {}
            None => {
                // Without a plan nothing was done yet, or all was: then the rest of that run is in the way.
                let gone = match fs::remove_dir_all(&folder) {
                    Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                    _ => fs::create_dir_all(&folder),
                };
                gone.map_err(|error| CrawlError::write(&folder, error))?;
                write_whole(&plan_file, plan.as_bytes())?;
            }
        }
        let lock = File::open(&plan_file).map_err(|error| CrawlError::write(&plan_file, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(State { folder, _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(CrawlError::new(format!("{}: another run is working on this output", folder.display())))
            }
            // Some file systems have no locks; then nobody is kept out.
            Err(TryLockError::Error(_)) => Ok(State { folder, _lock: lock }),
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

    pub(super) fn mark_learned(&self) -> Result<(), CrawlError> {
        write_whole(&self.learned_file(), b"")
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
    pub(super) fn write_segment(&self, number: usize, lines: &[u8], tally: &Tally) -> Result<(), CrawlError> {
        let tally = serde_json::to_vec(tally).map_err(|error| CrawlError::new(error.to_string()))?;
        write_whole(&self.tally(number), &tally)?;
        write_whole(&self.segment(number), lines)
    }

    /// What the finished segments hold, added up.
    pub(super) fn tally_of_segments(&self) -> Result<Tally, CrawlError> {
        let mut sum = Tally::default();
        for number in 0..self.segments().len() {
            let path = self.tally(number);
            let bytes = fs::read(&path).map_err(|error| CrawlError::write(&path, error))?;
            let tally = serde_json::from_slice(&bytes)
                .map_err(|error| CrawlError::new(format!("{}: damaged: {error}", path.display())))?;
            sum.add(tally);
        }
        Ok(sum)
    }

    /// Forgets the run: its output is there.
    pub(super) fn remove(self) -> Result<(), CrawlError> {
        // The plan goes first: without it the rest is no run.
        let plan = self.folder.join("plan.json");
        fs::remove_file(&plan).map_err(|error| CrawlError::write(&plan, error))?;
        fs::remove_dir_all(&self.folder).map_err(|error| CrawlError::write(&self.folder, error))
    }
}

/// Writes a file so that it appears whole or not at all.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CrawlError> {
    let fail = |error| CrawlError::write(path, error);
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let file = tempfile::NamedTempFile::new_in(folder).map_err(fail)?;
    // To the file itself, whose errors do not name the temporary path too.
    file.as_file().write_all(bytes).map_err(fail)?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist(path).map_err(|error| fail(error.error))?;
    Ok(())
}
