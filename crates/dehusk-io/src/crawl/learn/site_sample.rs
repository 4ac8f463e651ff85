//! Samples of sites as values: filled in many places, moved as bytes, and merged.
//!
//! A crawl that is spread over machines is learned in parts. Each part keeps the same pages of a site that one sampler over the
//! whole crawl would keep, or more, and merging leaves those of the whole: the template does not depend on how the crawl was split.

use crate::crawl::learn::evidence::PageEvidence;
use crate::crawl::learn::sample::{SAMPLE_PAGES, merge_samples};
use crate::error::{Error, ErrorKind};
use crate::hash::hash64;
use crate::spill_sort::SpillItem;
use dehusk::site::MAX_SAMPLE_PAGES;
use std::collections::BTreeMap;

/// The first bytes of a sample.
const MARK: &[u8; 8] = b"husksam1";
/// Samples are moved once: pages of a site share most of their fingerprints, which even the fastest level finds.
const LEVEL: i32 = 1;
/// The maximum size of the pages of a sample; a larger one is treated as damage.
const MAX_BYTES: usize = 1 << 30;

/// The sample of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteSample {
    /// In order of priority, each page once.
    pages: Vec<PageEvidence>,
}

impl SiteSample {
    /// The pages of the sample.
    #[must_use]
    pub fn pages(&self) -> &[PageEvidence] {
        &self.pages
    }

    pub(crate) fn into_pages(self) -> Vec<PageEvidence> {
        self.pages
    }

    /// Adds the sample of other pages of the same site.
    pub fn merge(&mut self, other: SiteSample) {
        self.pages = merge_samples(std::mem::take(&mut self.pages), other.pages);
    }

    /// The sample as bytes: a mark, a checksum, and the pages, compressed.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut pages = Vec::new();
        for page in &self.pages {
            // Writing to memory cannot fail.
            let _ = page.write(&mut pages);
        }
        let packed = zstd::bulk::compress(&pages, LEVEL).unwrap_or_default();
        let length = (pages.len() as u64).to_le_bytes();
        // The length is the seed, so that the checksum covers it, too.
        [&MARK[..], &hash64(&packed, pages.len() as u64).to_le_bytes(), &length, &packed].concat()
    }

    /// Reads a sample of a site.
    ///
    /// # Errors
    /// If the bytes are not a sample, or a damaged one.
    pub fn from_bytes(bytes: &[u8]) -> Result<SiteSample, Error> {
        let damaged =
            || Error::new(ErrorKind::Damaged, "this is not a sample of a site of this version, or it is damaged");
        let (mark, rest) = bytes.split_at_checked(MARK.len()).ok_or_else(damaged)?;
        let (checksum, rest) = rest.split_at_checked(8).ok_or_else(damaged)?;
        let (length, packed) = rest.split_at_checked(8).ok_or_else(damaged)?;
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let length = number(length);
        // The checksum is compared first, so that no length is wrong by accident.
        if mark != MARK || hash64(packed, length) != number(checksum) || length > MAX_BYTES as u64 {
            return Err(damaged());
        }
        let pages = zstd::bulk::decompress(packed, length as usize).map_err(|_| damaged())?;
        let (mut rest, mut sample) = (&*pages, SiteSample::default());
        while let Some(page) = PageEvidence::read(&mut rest).map_err(|_| damaged())? {
            sample.pages.push(page);
        }
        Ok(sample)
    }

    /// Adds a page, or finds that it is not among those to keep. Returns by how much the memory grew.
    fn add(&mut self, mut page: PageEvidence) -> isize {
        let place = self.pages.binary_search(&page).unwrap_or_else(|place| place);
        let is_copy = |other: Option<&PageEvidence>| {
            other.is_some_and(|other| (other.priority, other.identity) == (page.priority, page.identity))
        };
        // Of pages with the same name, the smallest is kept, as in a sorted crawl.
        if place >= SAMPLE_PAGES || is_copy(place.checked_sub(1).and_then(|before| self.pages.get(before))) {
            return 0;
        }
        let replaces = is_copy(self.pages.get(place));
        if place >= MAX_SAMPLE_PAGES {
            page.source = Vec::new();
        }
        let mut growth = page.memory() as isize;
        if replaces {
            growth -= self.pages[place].memory() as isize;
            self.pages[place] = page;
            return growth;
        }
        self.pages.insert(place, page);
        if let Some(last) = self.pages.get_mut(MAX_SAMPLE_PAGES) {
            growth -= std::mem::take(&mut last.source).len() as isize;
        }
        if self.pages.len() > SAMPLE_PAGES {
            growth -= self.pages.pop().map_or(0, |page| page.memory() as isize);
        }
        growth
    }
}

/// The samples of many sites, in bounded memory: when it is full, what it holds is taken, and it starts again.
#[derive(Debug)]
pub struct SampleTable {
    sites: BTreeMap<String, (u64, SiteSample)>,
    bytes: isize,
    max_bytes: usize,
}

/// The approximate memory of a site besides its pages.
const SITE_BYTES: isize = 200;

impl SampleTable {
    /// A table that is full when it holds this many bytes.
    #[must_use]
    pub fn new(max_bytes: usize) -> SampleTable {
        SampleTable { sites: BTreeMap::new(), bytes: 0, max_bytes }
    }

    /// Whether a page of this priority can be among those whose source is kept.
    #[must_use]
    pub fn wants_source(&self, site: &str, priority: u64) -> bool {
        let last = self.sites.get(site).and_then(|(_, sample)| sample.pages.get(MAX_SAMPLE_PAGES - 1));
        last.is_none_or(|last| priority <= last.priority)
    }

    /// Adds a page.
    pub fn add(&mut self, page: PageEvidence) {
        if !self.sites.contains_key(&page.site) {
            self.bytes += SITE_BYTES + page.site.len() as isize;
        }
        let (count, sample) = self.sites.entry(page.site.clone()).or_default();
        *count += 1;
        self.bytes += sample.add(page);
    }

    /// Whether the samples should be taken before more pages are added.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bytes > self.max_bytes as isize
    }

    /// The name of each site, how many of its pages were added, and its sample, in order of their names. Leaves an empty table.
    pub fn take(&mut self) -> impl Iterator<Item = (String, u64, SiteSample)> + use<> {
        self.bytes = 0;
        std::mem::take(&mut self.sites).into_iter().map(|(site, (count, sample))| (site, count, sample))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::learn::sample::Sampler;

    fn page(number: usize) -> PageEvidence {
        let name = format!("{}", number % 700);
        // The same names with other content.
        let page = PageEvidence::new("a.example".into(), &name, 3, vec![number as u64; 30]);
        if number.is_multiple_of(7) { page } else { page.with_source(&format!("<p>{number}")) }
    }

    fn in_parts(parts: usize, max_bytes: usize) -> SiteSample {
        let mut tables: Vec<SampleTable> = (0..parts).map(|_| SampleTable::new(max_bytes)).collect();
        let mut merged = SiteSample::default();
        let take = |table: &mut SampleTable, merged: &mut SiteSample| {
            for (_, _, sample) in table.take() {
                merged.merge(SiteSample::from_bytes(&sample.to_bytes()).unwrap());
            }
        };
        for number in 0..1000 {
            let table = &mut tables[number * 7919 % parts];
            table.add(page(number));
            if table.is_full() {
                take(table, &mut merged);
            }
        }
        tables.iter_mut().rev().for_each(|table| take(table, &mut merged));
        merged
    }

    #[test]
    fn parts_merge_to_the_sample_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut sampler = Sampler::new(folder.path(), usize::MAX);
        (0..1000).for_each(|number| sampler.add(page(number)).unwrap());
        let (_, whole) = sampler.finish().unwrap().next_site().unwrap().unwrap();
        for (parts, max_bytes) in [(1, usize::MAX), (1, 20_000), (4, usize::MAX), (4, 5_000), (16, 1)] {
            assert_eq!(in_parts(parts, max_bytes).pages, whole, "{parts} parts of {max_bytes} bytes");
        }
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let mut table = SampleTable::new(0);
        (0..20).for_each(|number| table.add(page(number)));
        let bytes = table.take().next().unwrap().2.to_bytes();
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x41;
            assert!(SiteSample::from_bytes(&damaged).is_err());
            assert!(SiteSample::from_bytes(&bytes[..place]).is_err());
        }
    }
}
