//! A sample of each site's pages in bounded memory.
//!
//! Of every site the pages with the smallest hashes are kept, at most [`SAMPLE_PAGES`]: a random sample that depends neither
//! on the order of the crawl nor on the number of threads, and that merges with others of the same site. What does not fit
//! into memory is sorted and written to temporary files; at the end all files are merged, site by site. Memory does not grow
//! with the number of sites.

use crate::crawl::learn::evidence::PageEvidence;
use crate::error::Error;
use crate::spill_sort::{Sorted, SpillSort};
use dehusk::site::MAX_SAMPLE_PAGES;
use std::collections::BTreeSet;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Pages of one site that are examined. More add little: what is on a tenth of a site's pages is on some of 200.
pub(crate) const SAMPLE_PAGES: usize = 200;

/// Which pages may still be among those whose sources are kept, so that the others need not be made. Shared by threads; the
/// answer for a page may change while the page is worked on, but only from yes to no.
#[derive(Default)]
pub(crate) struct SourceFilter {
    /// By site, the largest priority among the pages kept, once there are enough.
    largest: Mutex<HashMap<String, u64>>,
}

impl SourceFilter {
    pub(crate) fn accepts(&self, site: &str, priority: u64) -> bool {
        let largest = self.largest.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        largest.get(site).is_none_or(|largest| priority <= *largest)
    }

    fn lower(&self, site: &str, largest: u64) {
        let mut known = self.largest.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match known.get_mut(site) {
            Some(known) => *known = largest,
            None => drop(known.insert(site.to_string(), largest)),
        }
    }

    fn clear(&self) {
        *self.largest.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = HashMap::default();
    }
}

/// Collects the evidence of pages.
pub struct Sampler {
    filter: Arc<SourceFilter>,
    folder: PathBuf,
    pages: SpillSort<PageEvidence>,
    /// The smallest priorities of sites, so that pages that cannot be in a sample are left out at once. Forgetting
    /// some of them changes no sample: more pages are written, and merging leaves them out.
    smallest: HashMap<String, BTreeSet<u64>>,
    /// The approximate memory of `smallest`, and its limit.
    smallest_bytes: usize,
    max_smallest_bytes: usize,
}

/// The approximate memory of a site and of a priority in `smallest`.
const SITE_BYTES: usize = 250;
const PRIORITY_BYTES: usize = 12;

impl Sampler {
    /// A sampler that holds about `budget` bytes in memory and writes the rest to unnamed files in a folder.
    #[must_use]
    pub fn new(folder: &Path, budget: usize) -> Sampler {
        let max_smallest_bytes = budget / 4;
        Sampler {
            filter: Arc::default(),
            folder: folder.to_path_buf(),
            pages: SpillSort::new(folder, budget - max_smallest_bytes),
            smallest: HashMap::default(),
            smallest_bytes: 0,
            max_smallest_bytes,
        }
    }

    /// Which pages still need a source.
    pub(crate) fn source_filter(&self) -> Arc<SourceFilter> {
        self.filter.clone()
    }

    /// Adds a page.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn add(&mut self, mut page: PageEvidence) -> Result<(), Error> {
        if self.smallest_bytes > self.max_smallest_bytes {
            self.smallest = HashMap::default();
            self.smallest_bytes = 0;
            self.filter.clear();
        }
        let smallest = match self.smallest.get_mut(&page.site) {
            Some(smallest) => smallest,
            None => {
                self.smallest_bytes += SITE_BYTES + page.site.len();
                self.smallest.entry(page.site.clone()).or_default()
            }
        };
        // A page that comes twice counts once, or the sample would depend on the order; merging removes duplicates.
        if smallest.insert(page.priority) {
            self.smallest_bytes += PRIORITY_BYTES;
        }
        if smallest.len() > SAMPLE_PAGES {
            self.smallest_bytes -= PRIORITY_BYTES;
            if smallest.pop_last() == Some(page.priority) {
                return Ok(());
            }
        }
        if !page.source.is_empty()
            && let Some(largest) = smallest.iter().nth(MAX_SAMPLE_PAGES - 1)
        {
            self.filter.lower(&page.site, *largest);
            if page.priority > *largest {
                page.source = Vec::new();
            }
        }
        self.pages.push(page).map_err(|error| Error::write(&self.folder, error))
    }

    /// All samples, site by site in order of their names.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn finish(self) -> Result<SiteSamples, Error> {
        // Not needed for merging, which has buffers of its own.
        drop(self.smallest);
        let pages = self.pages.finish().map_err(|error| Error::read(&self.folder, error))?;
        Ok(SiteSamples { pages, folder: self.folder, ahead: None })
    }
}

/// The samples of all sites, one after the other.
pub struct SiteSamples {
    pages: Sorted<PageEvidence>,
    folder: PathBuf,
    ahead: Option<PageEvidence>,
}

impl SiteSamples {
    /// The next site's name and its sample, in order of priority, each page once.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn next_site(&mut self) -> Result<Option<(String, Vec<PageEvidence>)>, Error> {
        let fail = |error| Error::read(&self.folder, error);
        let first = match self.ahead.take() {
            Some(first) => first,
            None => match self.pages.next() {
                None => return Ok(None),
                Some(first) => first.map_err(fail)?,
            },
        };
        let site = first.site.clone();
        let mut pages = vec![first];
        for page in self.pages.by_ref() {
            let page = page.map_err(fail)?;
            if page.site != site {
                self.ahead = Some(page);
                break;
            }
            add_to_sample(&mut pages, page);
        }
        Ok(Some((site, pages)))
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
pub(crate) fn merge_samples(one: Vec<PageEvidence>, two: Vec<PageEvidence>) -> Vec<PageEvidence> {
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

    fn page(site: usize, number: usize) -> PageEvidence {
        let page = PageEvidence::new(format!("g{site}"), &format!("{site}/{number}"), 7, vec![number as u64; 20]);
        // Some pages are too large to be kept.
        if number.is_multiple_of(5) { page } else { page.with_source(&format!("<p>{number}")) }
    }

    fn sample(pages: impl Iterator<Item = PageEvidence>, budget: usize) -> Vec<(String, Vec<PageEvidence>)> {
        let folder = tempfile::tempdir().unwrap();
        let mut sampler = Sampler::new(folder.path(), budget);
        pages.for_each(|page| sampler.add(page).unwrap());
        let mut sites = sampler.finish().unwrap();
        let mut out = Vec::new();
        while let Some(site) = sites.next_site().unwrap() {
            out.push(site);
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
            half(0).into_iter().zip(half(1)).map(|((site, one), (_, two))| (site, merge_samples(one, two))).collect();
        assert_eq!(merged, whole);
    }
}
