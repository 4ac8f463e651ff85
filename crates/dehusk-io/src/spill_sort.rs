//! Sorts more items than fit into memory.
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

/// What can be sorted: items with an order that can be written and read back.
pub trait SpillItem: Ord + Sized {
    /// The approximate number of bytes it needs in memory.
    fn memory(&self) -> usize;
    /// Writes it.
    fn write(&self, out: &mut impl Write) -> io::Result<()>;
    /// Reads what `write` has written; nothing at the end.
    fn read(input: &mut impl Read) -> io::Result<Option<Self>>;
}

impl<const N: usize> SpillItem for [u8; N] {
    fn memory(&self) -> usize {
        N
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(self)
    }

    fn read(input: &mut impl Read) -> io::Result<Option<Self>> {
        let mut item = [0; N];
        Ok(read_or_end(input, &mut item)?.then_some(item))
    }
}

/// Fills a buffer. False if the input ends before its first byte.
pub(crate) fn read_or_end(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    loop {
        match input.read(&mut buffer[..1]) {
            Ok(0) => return Ok(false),
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    input.read_exact(&mut buffer[1..])?;
    Ok(true)
}

/// Collects items and gives them back in order.
pub struct SpillSort<R> {
    folder: PathBuf,
    /// Bytes in memory before they are sorted and written.
    budget: usize,
    bytes: usize,
    held: Vec<R>,
    runs: Vec<File>,
}

impl<R: SpillItem> SpillSort<R> {
    /// A sorter that holds about `bytes` in memory and writes the rest to unnamed files in a folder.
    #[must_use]
    pub fn new(folder: &Path, bytes: usize) -> SpillSort<R> {
        SpillSort { folder: folder.into(), budget: bytes, bytes: 0, held: Vec::new(), runs: Vec::new() }
    }

    /// Adds an item.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn push(&mut self, item: R) -> io::Result<()> {
        self.bytes += item.memory();
        self.held.push(item);
        if self.bytes >= self.budget { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        self.bytes = 0;
        let run = write_run(&self.folder, self.held.drain(..).map(Ok))?;
        self.runs.push(run);
        // Merged on the way, so that neither open files nor read buffers grow with the number of items.
        if self.runs.len() >= MAX_RUNS {
            let merged = Sorted::<R>::new(std::mem::take(&mut self.runs), Vec::new())?;
            self.runs.push(write_run(&self.folder, merged)?);
        }
        Ok(())
    }

    /// All items in order.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn finish(mut self) -> io::Result<Sorted<R>> {
        self.held.sort_unstable();
        Sorted::new(self.runs, self.held)
    }
}

fn write_run<R: SpillItem>(folder: &Path, items: impl Iterator<Item = io::Result<R>>) -> io::Result<File> {
    // Unnamed: the system deletes it when the program ends, however that happens.
    let mut writer = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(folder)?);
    for item in items {
        item?.write(&mut writer)?;
    }
    let mut file = writer.into_inner().map_err(|error| error.into_error())?;
    file.rewind()?;
    Ok(file)
}

/// Items in order.
pub struct Sorted<R> {
    runs: Vec<BufReader<File>>,
    held: std::vec::IntoIter<R>,
    /// The next item of each run; the run after the last is what was held in memory.
    next: BinaryHeap<Reverse<(R, usize)>>,
}

impl<R: SpillItem> Sorted<R> {
    fn new(runs: Vec<File>, held: Vec<R>) -> io::Result<Sorted<R>> {
        let runs: Vec<_> = runs.into_iter().map(|run| BufReader::with_capacity(1 << 16, run)).collect();
        let mut sorted = Sorted { runs, held: held.into_iter(), next: BinaryHeap::new() };
        for run in 0..=sorted.runs.len() {
            sorted.advance(run)?;
        }
        Ok(sorted)
    }

    fn advance(&mut self, run: usize) -> io::Result<()> {
        let item = match self.runs.get_mut(run) {
            None => self.held.next(),
            Some(reader) => R::read(reader)?,
        };
        self.next.extend(item.map(|item| Reverse((item, run))));
        Ok(())
    }
}

impl<R: SpillItem> Iterator for Sorted<R> {
    type Item = io::Result<R>;

    fn next(&mut self) -> Option<io::Result<R>> {
        let Reverse((item, run)) = self.next.pop()?;
        Some(self.advance(run).map(|()| item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_budget_gives_the_same_order() {
        let items: Vec<[u8; 4]> =
            (0..5000u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 20).to_be_bytes()).collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        let folder = tempfile::tempdir().unwrap();
        for bytes in [4, 40, 400, 4000, 1 << 20] {
            let mut sort = SpillSort::new(folder.path(), bytes);
            items.iter().for_each(|item| sort.push(*item).unwrap());
            let sorted: Vec<_> = sort.finish().unwrap().map(Result::unwrap).collect();
            assert_eq!(sorted, expected, "{bytes} bytes");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
