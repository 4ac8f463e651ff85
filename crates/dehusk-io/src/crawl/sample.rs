//! A sample of each site's pages in bounded memory.
//!
//! Of every site the pages with the smallest hashes are kept, at most [`SAMPLE_PAGES`]: a random sample that depends neither on
//! the order of the crawl nor on the number of threads, and that merges with others of the same site. What does not fit
//! into memory is sorted and written to temporary files; at the end all files are merged, site by site.

use super::CrawlError;
use dehusk::methods::site::MAX_SAMPLE_PAGES;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Pages of one site that are looked at. More say little new: what stands on a tenth of a site stands on some of 200 pages.
pub const SAMPLE_PAGES: usize = 200;

/// One page's evidence: which page it is and what stands on it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Evidence {
    /// Its site.
    pub group: String,
    /// A hash of the page's name; small ones are in the sample.
    pub priority: u64,
    /// A hash of its name that no seed changes.
    pub identity: u64,
    /// What stands on it.
    pub fingerprints: Vec<u64>,
    /// The page's source, compressed, where a method wants it; empty for most pages.
    pub(super) source: Vec<u8>,
}

impl Evidence {
    /// The evidence of a page of a name. The same names and the same seed give the same sample.
    pub fn new(group: String, name: &str, seed: u64, fingerprints: Vec<u64>) -> Evidence {
        let (priority, identity) = Evidence::place(name, seed);
        Evidence { group, priority, identity, fingerprints, source: Vec::new() }
    }

    /// The priority and the identity of a page.
    fn place(name: &str, seed: u64) -> (u64, u64) {
        let identity = xxh3_64_with_seed(name.as_bytes(), 0);
        (xxh3_64_with_seed(&identity.to_le_bytes(), seed), identity)
    }

    /// Adds the source of the page.
    pub(super) fn with_source(mut self, source: &str) -> Evidence {
        // A page that cannot be compressed is counted like one that is too large to be kept.
        self.source = zstd::bulk::compress(source.as_bytes(), SOURCE_LEVEL).unwrap_or_default();
        self
    }

    /// The source of the page, if it was kept.
    pub(super) fn read_source(&self) -> Option<String> {
        if self.source.is_empty() {
            return None;
        }
        String::from_utf8(zstd::bulk::decompress(&self.source, MOST_SOURCE).ok()?).ok()
    }

    fn memory(&self) -> usize {
        self.group.len() + self.fingerprints.len() * 8 + self.source.len() + 120
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        out.write_all(&(self.group.len() as u32).to_le_bytes())?;
        out.write_all(self.group.as_bytes())?;
        out.write_all(&self.priority.to_le_bytes())?;
        out.write_all(&self.identity.to_le_bytes())?;
        out.write_all(&(self.fingerprints.len() as u32).to_le_bytes())?;
        self.fingerprints.iter().try_for_each(|fingerprint| out.write_all(&fingerprint.to_le_bytes()))?;
        out.write_all(&(self.source.len() as u32).to_le_bytes())?;
        out.write_all(&self.source)
    }

    fn read(input: &mut impl Read) -> std::io::Result<Option<Evidence>> {
        let mut four = [0; 4];
        match input.read(&mut four[..1])? {
            0 => return Ok(None),
            _ => input.read_exact(&mut four[1..])?,
        }
        let mut group = vec![0; u32::from_le_bytes(four) as usize];
        input.read_exact(&mut group)?;
        let group = String::from_utf8(group).map_err(std::io::Error::other)?;
        let mut eight = [0; 8];
        input.read_exact(&mut eight)?;
        let priority = u64::from_le_bytes(eight);
        input.read_exact(&mut eight)?;
        let identity = u64::from_le_bytes(eight);
        input.read_exact(&mut four)?;
        let mut fingerprints = Vec::with_capacity(u32::from_le_bytes(four) as usize);
        for _ in 0..fingerprints.capacity() {
            input.read_exact(&mut eight)?;
            fingerprints.push(u64::from_le_bytes(eight));
        }
        input.read_exact(&mut four)?;
        let mut source = vec![0; u32::from_le_bytes(four) as usize];
        input.read_exact(&mut source)?;
        Ok(Some(Evidence { group, priority, identity, fingerprints, source }))
    }
}

/// The level sources are compressed at: they are written once and read once. And no source is larger than this, in bytes.
const SOURCE_LEVEL: i32 = 3;
const MOST_SOURCE: usize = 1 << 20;

/// Which pages may still be among those whose sources are kept, so that the others need not be made. Shared by threads; what
/// it says of a page may change while the page is worked on, but only from yes to no.
#[derive(Default)]
pub struct Room {
    /// By site, the largest priority among the pages kept, once there are enough.
    largest: Mutex<FxHashMap<String, u64>>,
}

impl Room {
    pub(super) fn is_for(&self, group: &str, name: &str, seed: u64) -> bool {
        let (priority, _) = Evidence::place(name, seed);
        let largest = self.largest.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        largest.get(group).is_none_or(|largest| priority <= *largest)
    }

    fn shrink(&self, group: &str, largest: u64) {
        let mut known = self.largest.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match known.get_mut(group) {
            Some(known) => *known = largest,
            None => drop(known.insert(group.to_string(), largest)),
        }
    }
}

/// Gathers evidence.
pub struct Sampler<'a> {
    room: &'a Room,
    folder: PathBuf,
    budget: usize,
    held: usize,
    pages: Vec<Evidence>,
    runs: Vec<File>,
    /// The smallest priorities of each site, to leave out at once what cannot be in its sample.
    smallest: FxHashMap<String, BTreeSet<u64>>,
}

/// Files merged at once; each has a read buffer.
const MOST_RUNS: usize = 64;

impl<'a> Sampler<'a> {
    /// A sampler that holds about `budget` bytes and writes the rest to unnamed files in a folder.
    pub fn new(folder: &Path, budget: usize, room: &'a Room) -> Sampler<'a> {
        Sampler {
            room,
            folder: folder.to_path_buf(),
            budget,
            held: 0,
            pages: Vec::new(),
            runs: Vec::new(),
            smallest: FxHashMap::default(),
        }
    }

    /// Adds a page.
    pub fn add(&mut self, mut page: Evidence) -> Result<(), CrawlError> {
        let smallest = match self.smallest.get_mut(&page.group) {
            Some(smallest) => smallest,
            None => self.smallest.entry(page.group.clone()).or_default(),
        };
        // A page that comes twice counts once, or the sample would depend on the order; the merge drops doubles.
        smallest.insert(page.priority);
        if smallest.len() > SAMPLE_PAGES && smallest.pop_last() == Some(page.priority) {
            return Ok(());
        }
        if !page.source.is_empty()
            && let Some(largest) = smallest.iter().nth(MAX_SAMPLE_PAGES - 1)
        {
            self.room.shrink(&page.group, *largest);
            if page.priority > *largest {
                page.source = Vec::new();
            }
        }
        self.held += page.memory();
        self.pages.push(page);
        if self.held > self.budget { self.spill() } else { Ok(()) }
    }

    /// Writes what is held to a sorted file.
    fn spill(&mut self) -> Result<(), CrawlError> {
        self.pages.sort_unstable();
        let pages = std::mem::take(&mut self.pages);
        self.held = 0;
        let run = self.write_run(pages.into_iter().map(Ok))?;
        self.runs.push(run);
        if self.runs.len() >= MOST_RUNS {
            let runs = std::mem::take(&mut self.runs);
            let merged = Merge::new(runs, Vec::new(), &self.folder)?;
            let run = self.write_run(merged)?;
            self.runs.push(run);
        }
        Ok(())
    }

    fn write_run(&self, pages: impl Iterator<Item = Result<Evidence, CrawlError>>) -> Result<File, CrawlError> {
        let fail = |error| CrawlError::write(&self.folder, error);
        // Unnamed: it is gone when the program is, however that ends.
        let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder).map_err(fail)?);
        for page in pages {
            page?.write(&mut out).map_err(fail)?;
        }
        let mut file = out.into_inner().map_err(|error| fail(error.into_error()))?;
        file.rewind().map_err(fail)?;
        Ok(file)
    }

    /// All samples, site by site in order of their names.
    pub fn finish(mut self) -> Result<Groups, CrawlError> {
        self.pages.sort_unstable();
        self.smallest = FxHashMap::default();
        Ok(Groups { merge: Merge::new(self.runs, self.pages, &self.folder)?, ahead: None })
    }
}

/// Merges sorted runs.
struct Merge {
    runs: Vec<BufReader<File>>,
    held: std::vec::IntoIter<Evidence>,
    heads: BinaryHeap<Reverse<(Evidence, usize)>>,
    folder: PathBuf,
}

impl Merge {
    fn new(runs: Vec<File>, held: Vec<Evidence>, folder: &Path) -> Result<Merge, CrawlError> {
        let mut merge = Merge {
            runs: runs.into_iter().map(|run| BufReader::with_capacity(1 << 16, run)).collect(),
            held: held.into_iter(),
            heads: BinaryHeap::new(),
            folder: folder.to_path_buf(),
        };
        for number in 0..=merge.runs.len() {
            merge.refill(number)?;
        }
        Ok(merge)
    }

    fn refill(&mut self, number: usize) -> Result<(), CrawlError> {
        let next = match self.runs.get_mut(number) {
            Some(run) => Evidence::read(run).map_err(|error| CrawlError::write(&self.folder, error))?,
            None => self.held.next(),
        };
        self.heads.extend(next.map(|page| Reverse((page, number))));
        Ok(())
    }
}

impl Iterator for Merge {
    type Item = Result<Evidence, CrawlError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((page, number)) = self.heads.pop()?;
        Some(self.refill(number).map(|()| page))
    }
}

/// The samples of all sites, one after the other.
pub struct Groups {
    merge: Merge,
    ahead: Option<Evidence>,
}

impl Groups {
    /// The next site's name and its sample, in order of priority, each page once.
    pub fn next_site(&mut self) -> Result<Option<(String, Vec<Evidence>)>, CrawlError> {
        let first = match self.ahead.take() {
            Some(first) => first,
            None => match self.merge.next() {
                None => return Ok(None),
                Some(first) => first?,
            },
        };
        let group = first.group.clone();
        let mut pages = vec![first];
        for page in self.merge.by_ref() {
            let page = page?;
            if page.group != group {
                self.ahead = Some(page);
                break;
            }
            add_to_sample(&mut pages, page);
        }
        Ok(Some((group, pages)))
    }
}

/// Adds a page that comes in order of priority, unless it is there or the sample is full. Sources are kept of the first pages
/// only: of the others some are there and some are not, as the order of the crawl had it.
fn add_to_sample(pages: &mut Vec<Evidence>, mut page: Evidence) {
    let is_there = pages.last().is_some_and(|last| last.priority == page.priority && last.identity == page.identity);
    if !is_there && pages.len() < SAMPLE_PAGES {
        if pages.len() >= MAX_SAMPLE_PAGES {
            page.source = Vec::new();
        }
        pages.push(page);
    }
}

/// The sample of two samples of one site.
pub(super) fn merge_samples(one: Vec<Evidence>, two: Vec<Evidence>) -> Vec<Evidence> {
    let mut all = one;
    all.extend(two);
    all.sort_unstable();
    let mut merged = Vec::with_capacity(all.len().min(SAMPLE_PAGES));
    all.into_iter().for_each(|page| add_to_sample(&mut merged, page));
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(group: usize, number: usize) -> Evidence {
        let page = Evidence::new(format!("g{group}"), &format!("{group}/{number}"), 7, vec![number as u64; 20]);
        // Some pages are too large to be kept.
        if number.is_multiple_of(5) { page } else { page.with_source(&format!("<p>{number}")) }
    }

    fn sample(pages: impl Iterator<Item = Evidence>, budget: usize) -> Vec<(String, Vec<Evidence>)> {
        let folder = tempfile::tempdir().unwrap();
        let room = Room::default();
        let mut sampler = Sampler::new(folder.path(), budget, &room);
        pages.for_each(|page| sampler.add(page).unwrap());
        let mut groups = sampler.finish().unwrap();
        let mut out = Vec::new();
        while let Some(group) = groups.next_site().unwrap() {
            out.push(group);
        }
        out
    }

    fn crawl() -> Vec<Evidence> {
        (0..900).map(|number| page(number % 3, number / 3)).collect()
    }

    #[test]
    fn the_sample_depends_on_nothing_but_the_pages() {
        let whole = sample(crawl().into_iter(), usize::MAX);
        assert_eq!(whole.len(), 3);
        assert!(whole.iter().all(|(_, pages)| pages.len() == SAMPLE_PAGES));
        let kept = |pages: &[Evidence]| pages.iter().filter(|page| page.read_source().is_some()).count();
        assert!(whole.iter().all(|(_, pages)| (20..=MAX_SAMPLE_PAGES).contains(&kept(pages))));
        // Spilled after every few pages, in another order, with every page twice.
        assert_eq!(sample(crawl().into_iter(), 1000), whole);
        assert_eq!(sample(crawl().into_iter().rev(), 5000), whole);
        assert_eq!(sample(crawl().into_iter().chain(crawl()), 5000), whole);
        assert_eq!(sample(crawl().into_iter().flat_map(|page| [page.clone(), page]), 5000), whole);
    }

    #[test]
    fn samples_of_halves_merge_to_the_sample_of_the_whole() {
        let whole = sample(crawl().into_iter(), usize::MAX);
        let half = |odd: usize| sample(crawl().into_iter().filter(move |page| page.identity % 2 == odd as u64), 3000);
        let merged: Vec<_> =
            half(0).into_iter().zip(half(1)).map(|((group, one), (_, two))| (group, merge_samples(one, two))).collect();
        assert_eq!(merged, whole);
    }
}
