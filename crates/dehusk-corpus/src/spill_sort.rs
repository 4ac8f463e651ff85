//! Sorts more records than fit into memory.
//!
//! Written by hand: the crate for it (extsort) brings a documentation tester as a build dependency, and gives all sorters of a
//! folder the same file names.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The maximum number of files merged at once; each has a read buffer.
const MAX_RUNS: usize = 64;

/// Collects records of `N` bytes and gives them back in the order of their bytes.
pub(crate) struct SpillSort<const N: usize> {
    folder: PathBuf,
    /// Records in memory before they are sorted and written.
    budget: usize,
    held: Vec<[u8; N]>,
    runs: Vec<File>,
}

impl<const N: usize> SpillSort<N> {
    /// A sorter that holds about `bytes` in memory and writes the rest to unnamed files in a folder.
    pub(crate) fn new(folder: &Path, bytes: usize) -> SpillSort<N> {
        SpillSort { folder: folder.into(), budget: (bytes / N).max(1), held: Vec::new(), runs: Vec::new() }
    }

    pub(crate) fn push(&mut self, record: [u8; N]) -> io::Result<()> {
        self.held.push(record);
        if self.held.len() >= self.budget { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        let run = write_run(&self.folder, self.held.drain(..).map(Ok))?;
        self.runs.push(run);
        if self.runs.len() >= MAX_RUNS {
            let merged = Sorted::<N>::new(std::mem::take(&mut self.runs), Vec::new())?;
            self.runs.push(write_run(&self.folder, merged)?);
        }
        Ok(())
    }

    /// All records in order.
    pub(crate) fn finish(mut self) -> io::Result<Sorted<N>> {
        self.held.sort_unstable();
        Sorted::new(self.runs, self.held)
    }
}

fn write_run<const N: usize>(folder: &Path, records: impl Iterator<Item = io::Result<[u8; N]>>) -> io::Result<File> {
    // Unnamed: the system deletes it when the program ends, however that happens.
    let mut writer = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(folder)?);
    for record in records {
        writer.write_all(&record?)?;
    }
    let mut file = writer.into_inner().map_err(|error| error.into_error())?;
    file.rewind()?;
    Ok(file)
}

/// Records in order.
pub(crate) struct Sorted<const N: usize> {
    runs: Vec<BufReader<File>>,
    held: std::vec::IntoIter<[u8; N]>,
    /// The next record of each run; the run after the last is what was held in memory.
    next: BinaryHeap<Reverse<([u8; N], usize)>>,
}

impl<const N: usize> Sorted<N> {
    fn new(runs: Vec<File>, held: Vec<[u8; N]>) -> io::Result<Sorted<N>> {
        let runs: Vec<_> = runs.into_iter().map(|run| BufReader::with_capacity(1 << 16, run)).collect();
        let mut sorted = Sorted { runs, held: held.into_iter(), next: BinaryHeap::new() };
        for run in 0..=sorted.runs.len() {
            sorted.advance(run)?;
        }
        Ok(sorted)
    }

    fn advance(&mut self, run: usize) -> io::Result<()> {
        let record = match self.runs.get_mut(run) {
            None => self.held.next(),
            Some(reader) => {
                let mut record = [0; N];
                match reader.read_exact(&mut record) {
                    Ok(()) => Some(record),
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
                    Err(error) => return Err(error),
                }
            }
        };
        self.next.extend(record.map(|record| Reverse((record, run))));
        Ok(())
    }
}

impl<const N: usize> Iterator for Sorted<N> {
    type Item = io::Result<[u8; N]>;

    fn next(&mut self) -> Option<io::Result<[u8; N]>> {
        let Reverse((record, run)) = self.next.pop()?;
        Some(self.advance(run).map(|()| record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_budget_gives_the_same_order() {
        let records: Vec<[u8; 4]> =
            (0..5000u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 20).to_be_bytes()).collect();
        let mut expected = records.clone();
        expected.sort_unstable();
        let folder = tempfile::tempdir().unwrap();
        for bytes in [4, 40, 400, 4000, 1 << 20] {
            let mut sort = SpillSort::<4>::new(folder.path(), bytes);
            records.iter().for_each(|record| sort.push(*record).unwrap());
            let sorted: Vec<_> = sort.finish().unwrap().map(Result::unwrap).collect();
            assert_eq!(sorted, expected, "{bytes} bytes");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
