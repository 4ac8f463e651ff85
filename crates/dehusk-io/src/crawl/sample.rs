//! A sample of each site's pages in bounded memory.
//!
//! Of every site the pages with the smallest hashes are kept, at most [`SAMPLE_PAGES`]: a random sample that depends neither
//! on the order of the crawl nor on the number of threads, and that merges with others of the same site. What does not fit
//! into memory is sorted and written to temporary files; at the end all files are merged, site by site.

use super::evidence::PageEvidence;
use crate::error::Error;
use dehusk::methods::site::MAX_SAMPLE_PAGES;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Pages of one site that are examined. More add little: what is on a tenth of a site's pages is on some of 200.
const SAMPLE_PAGES: usize = 200;

/// Which pages may still be among those whose sources are kept, so that the others need not be made. Shared by threads; the
/// answer for a page may change while the page is worked on, but only from yes to no.
#[derive(Default)]
pub(super) struct SourceFilter {
    /// By site, the largest priority among the pages kept, once there are enough.
    largest: Mutex<FxHashMap<String, u64>>,
}

impl SourceFilter {
    pub(super) fn accepts(&self, group: &str, name: &str, seed: u64) -> bool {
        let largest = self.largest.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        largest.get(group).is_none_or(|largest| PageEvidence::priority_of(name, seed) <= *largest)
    }

    fn lower(&self, group: &str, largest: u64) {
        let mut known = self.largest.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match known.get_mut(group) {
            Some(known) => *known = largest,
            None => drop(known.insert(group.to_string(), largest)),
        }
    }
}

/// Collects the evidence of pages.
pub struct Sampler {
    filter: Arc<SourceFilter>,
    folder: PathBuf,
    budget: usize,
    held: usize,
    pages: Vec<PageEvidence>,
    runs: Vec<File>,
    /// The smallest priorities of each site, so that pages that cannot be in its sample are left out at once.
    smallest: FxHashMap<String, BTreeSet<u64>>,
}

/// The maximum number of files merged at once; each has a read buffer.
const MAX_RUNS: usize = 64;

impl Sampler {
    /// A sampler that holds about `budget` bytes in memory and writes the rest to unnamed files in a folder.
    pub fn new(folder: &Path, budget: usize) -> Sampler {
        Sampler {
            filter: Arc::default(),
            folder: folder.to_path_buf(),
            budget,
            held: 0,
            pages: Vec::new(),
            runs: Vec::new(),
            smallest: FxHashMap::default(),
        }
    }

    /// Which pages still need a source.
    pub(super) fn source_filter(&self) -> Arc<SourceFilter> {
        self.filter.clone()
    }

    /// Adds a page.
    pub fn add(&mut self, mut page: PageEvidence) -> Result<(), Error> {
        let smallest = match self.smallest.get_mut(&page.group) {
            Some(smallest) => smallest,
            None => self.smallest.entry(page.group.clone()).or_default(),
        };
        // A page that comes twice counts once, or the sample would depend on the order; merging removes duplicates.
        smallest.insert(page.priority);
        if smallest.len() > SAMPLE_PAGES && smallest.pop_last() == Some(page.priority) {
            return Ok(());
        }
        if !page.source.is_empty()
            && let Some(largest) = smallest.iter().nth(MAX_SAMPLE_PAGES - 1)
        {
            self.filter.lower(&page.group, *largest);
            if page.priority > *largest {
                page.source = Vec::new();
            }
        }
        self.held += page.memory();
        self.pages.push(page);
        if self.held > self.budget { self.spill() } else { Ok(()) }
    }

    /// Writes what is in memory to a sorted file.
    fn spill(&mut self) -> Result<(), Error> {
        self.pages.sort_unstable();
        let pages = std::mem::take(&mut self.pages);
        self.held = 0;
        let run = self.write_run(pages.into_iter().map(Ok))?;
        self.runs.push(run);
        if self.runs.len() >= MAX_RUNS {
            let runs = std::mem::take(&mut self.runs);
            let merged = Merge::new(runs, Vec::new(), &self.folder)?;
            let run = self.write_run(merged)?;
            self.runs.push(run);
        }
        Ok(())
    }

    fn write_run(&self, pages: impl Iterator<Item = Result<PageEvidence, Error>>) -> Result<File, Error> {
        let fail = |error| Error::write(&self.folder, error);
        // Unnamed: the system deletes it when the program ends, however that happens.
        let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder).map_err(fail)?);
        for page in pages {
            page?.write(&mut out).map_err(fail)?;
        }
        let mut file = out.into_inner().map_err(|error| fail(error.into_error()))?;
        file.rewind().map_err(fail)?;
        Ok(file)
    }

    /// All samples, site by site in order of their names.
    pub fn finish(mut self) -> Result<SiteSamples, Error> {
        self.pages.sort_unstable();
        self.smallest = FxHashMap::default();
        Ok(SiteSamples { merge: Merge::new(self.runs, self.pages, &self.folder)?, ahead: None })
    }
}

/// Merges sorted runs.
struct Merge {
    runs: Vec<BufReader<File>>,
    held: std::vec::IntoIter<PageEvidence>,
    heads: BinaryHeap<Reverse<(PageEvidence, usize)>>,
    folder: PathBuf,
}

impl Merge {
    fn new(runs: Vec<File>, held: Vec<PageEvidence>, folder: &Path) -> Result<Merge, Error> {
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

    fn refill(&mut self, number: usize) -> Result<(), Error> {
        let next = match self.runs.get_mut(number) {
            Some(run) => PageEvidence::read(run).map_err(|error| Error::read(&self.folder, error))?,
            None => self.held.next(),
        };
        self.heads.extend(next.map(|page| Reverse((page, number))));
        Ok(())
    }
}

impl Iterator for Merge {
    type Item = Result<PageEvidence, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((page, number)) = self.heads.pop()?;
        Some(self.refill(number).map(|()| page))
    }
}

/// The samples of all sites, one after the other.
pub struct SiteSamples {
    merge: Merge,
    ahead: Option<PageEvidence>,
}

impl SiteSamples {
    /// The next site's name and its sample, in order of priority, each page once.
    pub fn next_site(&mut self) -> Result<Option<(String, Vec<PageEvidence>)>, Error> {
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

/// Adds a page, in order of priority, unless it is a duplicate or the sample is full. Only the first pages keep their
/// sources: which of the others have one depends on the order of the crawl.
fn add_to_sample(pages: &mut Vec<PageEvidence>, mut page: PageEvidence) {
    let is_duplicate =
        pages.last().is_some_and(|last| last.priority == page.priority && last.identity == page.identity);
    if !is_duplicate && pages.len() < SAMPLE_PAGES {
        if pages.len() >= MAX_SAMPLE_PAGES {
            page.source = Vec::new();
        }
        pages.push(page);
    }
}

/// The sample of two samples of one site.
pub(super) fn merge_samples(one: Vec<PageEvidence>, two: Vec<PageEvidence>) -> Vec<PageEvidence> {
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

    fn page(group: usize, number: usize) -> PageEvidence {
        let page = PageEvidence::new(format!("g{group}"), &format!("{group}/{number}"), 7, vec![number as u64; 20]);
        // Some pages are too large to be kept.
        if number.is_multiple_of(5) { page } else { page.with_source(&format!("<p>{number}")) }
    }

    fn sample(pages: impl Iterator<Item = PageEvidence>, budget: usize) -> Vec<(String, Vec<PageEvidence>)> {
        let folder = tempfile::tempdir().unwrap();
        let mut sampler = Sampler::new(folder.path(), budget);
        pages.for_each(|page| sampler.add(page).unwrap());
        let mut groups = sampler.finish().unwrap();
        let mut out = Vec::new();
        while let Some(group) = groups.next_site().unwrap() {
            out.push(group);
        }
        out
    }

    fn crawl() -> Vec<PageEvidence> {
        (0..900).map(|number| page(number % 3, number / 3)).collect()
    }

    #[test]
    fn the_sample_depends_on_nothing_but_the_pages() {
        let whole = sample(crawl().into_iter(), usize::MAX);
        assert_eq!(whole.len(), 3);
        assert!(whole.iter().all(|(_, pages)| pages.len() == SAMPLE_PAGES));
        let kept = |pages: &[PageEvidence]| pages.iter().filter(|page| page.read_source().is_some()).count();
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
