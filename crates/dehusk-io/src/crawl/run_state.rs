//! The state of a run, in a folder next to its output, so that a killed run can be resumed.
//!
//! Results are written in chunks, each with its counts, its length and its checksum. A chunk appears whole or not at all, so
//! the existing chunks show how far the run got. A resumed run skips as many pages of the input as they count and writes the
//! next chunk; the bytes are those of an uninterrupted run. A chunk that was damaged meanwhile is made again, with all after it.

use crate::atomic_file::{AtomicFile, write_atomic};
use crate::containers::RUN_STATE_SUFFIX;
use crate::crawl::counts::host_table::HostTable;
use crate::crawl::counts::tally::{SiteTally, Tally};
use crate::crawl::rows::row_limits::RowLimits;
use crate::error::{Error, ErrorKind};
use crate::hash::StreamHash;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A chunk ends at this many pages or bytes, whichever comes first.
const CHUNK_PAGES: u64 = 1000;
const CHUNK_BYTES: u64 = 16 << 20;

/// The file that a run holds a lock on.
const LOCK: &str = "lock";

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
        let (plan_file, lock_file) = (folder.join("plan.json"), folder.join(LOCK));
        // A link would have the files of the run written, and later deleted, in a folder that somebody else chose.
        if fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_symlink()) {
            let message = "is a link, and the state of a run is never kept behind one: delete it";
            return Err(Error::new(ErrorKind::CannotWrite, message).at(&folder));
        }
        fs::create_dir_all(&folder).map_err(|error| Error::write(&folder, error))?;
        // Locked before anything else: another run may be writing the plan.
        let lock = File::create(&lock_file).map_err(|error| Error::write(&lock_file, error))?;
        // Some file systems have no locks; there, nothing prevents a second run.
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            let message = "another run is working on this output: wait until it ends, or name another output";
            return Err(Error::new(ErrorKind::InUse, message).at(output));
        }
        let state = RunState { folder, _lock: lock };
        let folder = state.folder();
        // Only a missing plan means that there is nothing to lose: one that cannot be read may belong to hours of work.
        let existing = match fs::read_to_string(&plan_file) {
            Ok(existing) => Some(existing),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::read(&plan_file, error)),
        };
        match existing {
            Some(_) if !resume => {
                let message = "there is an unfinished run for this output: resume it, or delete this folder";
                return Err(Error::new(ErrorKind::UnfinishedRun, message).at(folder));
            }
            Some(existing) if existing != plan => {
                let message = format!(
                    "the unfinished run had other inputs or options: use the same ones{needs}, or delete this folder"
                );
                return Err(Error::new(ErrorKind::DifferentRun, message).at(folder));
            }
            Some(_) => state.remove_damaged()?,
            None => {
                // Without a plan the run has not started or is finished, and what is left of it can be deleted.
                empty(folder).map_err(|error| Error::write(folder, error))?;
                // The plan last: from here on the folder is an unfinished run.
                write(&plan_file, plan.as_bytes())?;
            }
        }
        Ok(state)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn learned_file(&self) -> PathBuf {
        self.folder.join("learned")
    }

    /// The identity of the template store that the run cleans with, once that is known.
    pub(super) fn learned(&self) -> Result<Option<String>, Error> {
        match fs::read_to_string(self.learned_file()) {
            Ok(identity) => Ok(Some(identity)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::read(&self.learned_file(), error)),
        }
    }

    pub(super) fn mark_learned(&self, identity: &str) -> Result<(), Error> {
        write(&self.learned_file(), identity.as_bytes())
    }

    fn chunk(&self, number: usize) -> PathBuf {
        self.folder.join(format!("chunk-{number:08}.jsonl"))
    }

    /// The file that says what is in a chunk.
    fn contents_file(&self, number: usize) -> PathBuf {
        self.folder.join(format!("chunk-{number:08}.contents.json"))
    }

    /// The chunks that are finished, in order.
    pub(super) fn chunks(&self) -> Vec<PathBuf> {
        (0..).map(|number| self.chunk(number)).take_while(|path| path.is_file()).collect()
    }

    fn contents(&self, number: usize) -> Result<Contents, Error> {
        let path = self.contents_file(number);
        let bytes = fs::read(&path).map_err(|error| Error::read(&path, error))?;
        serde_json::from_slice(&bytes)
            .map_err(|error| Error::new(ErrorKind::Damaged, "damaged").at(&path).because(error))
    }

    /// Fails if a chunk is not what was written.
    pub(super) fn check_chunks(&self) -> Result<(), Error> {
        (0..self.chunks().len()).try_for_each(|number| self.check_chunk(number))
    }

    fn check_chunk(&self, number: usize) -> Result<(), Error> {
        let (path, contents) = (self.chunk(number), self.contents(number)?);
        let found = FileSum::of(&path).map_err(|error| Error::read(&path, error))?;
        match found == (FileSum { bytes: contents.bytes, checksum: contents.checksum }) {
            true => Ok(()),
            false => {
                let message =
                    "this finished part of the run was changed or damaged: resume the run, which makes it again";
                Err(Error::new(ErrorKind::Damaged, message).at(&path))
            }
        }
    }

    /// Removes the first chunk that is damaged, and those after it.
    fn remove_damaged(&self) -> Result<(), Error> {
        let chunks = self.chunks();
        let sound = (0..chunks.len()).take_while(|number| self.check_chunk(*number).is_ok()).count();
        // From the last one, so that no gap is left if this is interrupted.
        for path in chunks[sound..].iter().rev() {
            fs::remove_file(path).map_err(|error| Error::write(path, error))?;
        }
        Ok(())
    }

    /// How many pages of the input are in finished chunks.
    pub(super) fn pages_done(&self) -> Result<u64, Error> {
        (0..self.chunks().len()).map(|number| Ok(pages(&self.contents(number)?.counts))).sum()
    }

    /// The sum of the counts of the finished chunks. `complete` completes the counts of each site.
    pub(super) fn tally_of_chunks(
        &self,
        complete: impl FnMut(&str, &mut SiteTally) -> Result<(), Error>,
    ) -> Result<Tally, Error> {
        let mut sum = Tally::default();
        let mut hosts = HostTable::new(&self.folder);
        for number in 0..self.chunks().len() {
            let mut tally = self.contents(number)?.counts;
            for (name, site) in std::mem::take(&mut tally.sites) {
                hosts.add(name, number as u64, site)?;
            }
            sum.add(tally);
        }
        hosts.finish(&mut sum, complete)?;
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

/// What is in a chunk.
#[derive(Default, Serialize, Deserialize)]
struct Contents {
    bytes: u64,
    checksum: u64,
    counts: Tally,
    /// What is known of all rows up to its end.
    #[serde(default)]
    limits: RowLimits,
}

/// The length of a file and the hash of its bytes.
#[derive(PartialEq, Eq)]
struct FileSum {
    bytes: u64,
    checksum: u64,
}

impl FileSum {
    fn of(path: &Path) -> io::Result<FileSum> {
        let (mut file, mut hash, mut bytes) = (File::open(path)?, StreamHash::default(), 0);
        let mut buffer = vec![0; 1 << 18];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(FileSum { bytes, checksum: hash.finish() }),
                Ok(count) => {
                    hash.update(&buffer[..count]);
                    bytes += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The number of input pages that counts are of, skipped ones included.
fn pages(tally: &Tally) -> u64 {
    tally.pages + tally.skipped
}

/// Writes the chunks that come after the finished ones. Lines go to the disk at once, so memory does not depend on
/// their size.
pub(super) struct ChunkWriter<'a> {
    state: &'a RunState,
    number: usize,
    /// The chunk being written, if it has a line.
    file: Option<io::BufWriter<AtomicFile>>,
    contents: Contents,
    hash: StreamHash,
    /// What is known of the rows so far, those of finished chunks included.
    pub(super) limits: RowLimits,
}

impl<'a> ChunkWriter<'a> {
    pub(super) fn new(state: &'a RunState) -> Result<ChunkWriter<'a>, Error> {
        let number = state.chunks().len();
        let limits = match number.checked_sub(1) {
            Some(last) => state.contents(last)?.limits,
            None => RowLimits::default(),
        };
        Ok(ChunkWriter {
            state,
            number,
            file: None,
            contents: Contents::default(),
            hash: StreamHash::default(),
            limits,
        })
    }

    /// Adds a line; `count` counts it. Returns the counts of the chunk if this line ended it.
    pub(super) fn add(&mut self, line: &[u8], count: impl FnOnce(&mut Tally)) -> Result<Option<Tally>, Error> {
        let path = self.state.chunk(self.number);
        let fail = |error| Error::write(&path, error);
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(io::BufWriter::with_capacity(1 << 18, AtomicFile::create(&path).map_err(fail)?)),
        };
        file.write_all(line).map_err(fail)?;
        self.hash.update(line);
        let Contents { bytes, counts, .. } = &mut self.contents;
        *bytes += line.len() as u64;
        count(counts);
        let is_full = pages(counts) >= CHUNK_PAGES || *bytes >= CHUNK_BYTES;
        if is_full { self.finish() } else { Ok(None) }
    }

    /// Finishes the chunk and returns its counts, if it has a line.
    pub(super) fn finish(&mut self) -> Result<Option<Tally>, Error> {
        let Some(file) = self.file.take() else { return Ok(None) };
        let checksum = std::mem::take(&mut self.hash).finish();
        let contents = Contents { checksum, limits: self.limits.clone(), ..std::mem::take(&mut self.contents) };
        // This file first, so that every chunk that exists has one.
        let path = self.state.contents_file(self.number);
        write(&path, &serde_json::to_vec(&contents).map_err(|error| Error::write(&path, error.into()))?)?;
        let path = self.state.chunk(self.number);
        let file = file.into_inner().map_err(|error| Error::write(&path, error.into_error()))?;
        file.commit().map_err(|error| Error::write(&path, error))?;
        self.number += 1;
        Ok(Some(contents.counts))
    }
}

/// Deletes everything in a folder but the lock.
fn empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != LOCK {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_atomic(path, bytes).map_err(|error| Error::write(path, error))
}

#[cfg(test)]
#[path = "run_state_tests.rs"]
mod tests;
