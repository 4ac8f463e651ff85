//! The counts of all sites of a run, in memory that does not grow with their number.
//!
//! The parts of a run give the counts of their sites in any order. They are sorted by site, in files if need be, and summed
//! site by site. All sites are counted; the counts of those with the most pages, the most failures, the lowest confidence,
//! or templates that no longer fit are kept for the report.

use crate::crawl::counts::tally::{SiteTally, Tally};
use crate::error::Error;
use crate::spill_sort::{SpillItem, SpillSort, read_or_end};
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of counts held in memory.
const TABLE_BYTES: usize = 32 << 20;
/// The sites with the most pages that are kept.
const MOST_PAGES: usize = 1000;
/// The sites kept for each other reason.
const MOST_OTHERS: usize = 100;

/// Sums the counts of sites.
pub(crate) struct HostTable {
    folder: PathBuf,
    entries: SpillSort<Entry>,
}

impl HostTable {
    /// A table that uses unnamed files in a folder.
    pub(crate) fn new(folder: &Path) -> HostTable {
        HostTable { folder: folder.into(), entries: SpillSort::new(folder, TABLE_BYTES) }
    }

    /// Adds the counts of a site in a part of the run.
    pub(crate) fn add(&mut self, name: String, part: u64, tally: SiteTally) -> Result<(), Error> {
        self.entries.push(Entry { name, part, tally }).map_err(|error| Error::write(&self.folder, error))
    }

    /// Adds the sites to the counts of the run. `complete` completes the counts of each site.
    pub(crate) fn finish(
        self,
        tally: &mut Tally,
        mut complete: impl FnMut(&str, &mut SiteTally) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let HostTable { folder, entries } = self;
        let fail = |error| Error::read(&folder, error);
        let mut shown = Shown::new();
        let mut entries = entries.finish().map_err(fail)?.peekable();
        while let Some(entry) = entries.next() {
            let Entry { name, tally: mut site, .. } = entry.map_err(fail)?;
            // An error counts as the same site, so that it is taken and returned.
            while let Some(more) = entries.next_if(|next| next.as_ref().map_or(true, |next| next.name == name)) {
                site.add(more.map_err(fail)?.tally);
            }
            complete(&name, &mut site)?;
            tally.site_count += 1;
            tally.sites_without_template += u64::from(site.template_pages == 0);
            tally.drifted_sites += u64::from(!site.drift.is_empty());
            shown.add(&name, &site);
        }
        tally.sites = shown.finish();
        Ok(())
    }
}

/// The counts of a site in a part of the run, ordered by site and part.
struct Entry {
    name: String,
    part: u64,
    tally: SiteTally,
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        // By part as well: a site keeps the first sample it has, which must not depend on how the entries were sorted.
        (&self.name, self.part).cmp(&(&other.name, other.part))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

impl SpillItem for Entry {
    fn memory(&self) -> usize {
        let sample = self.tally.sample.as_ref().map_or(0, |sample| sample.address.len() + sample.text.len());
        size_of::<Entry>() + 64 + self.name.len() + sample + 16 * self.tally.fits.len()
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let tally = serde_json::to_vec(&self.tally)?;
        for bytes in [self.name.as_bytes(), &tally] {
            out.write_all(&(bytes.len() as u32).to_le_bytes())?;
            out.write_all(bytes)?;
        }
        out.write_all(&self.part.to_le_bytes())
    }

    fn read(input: &mut impl Read) -> io::Result<Option<Entry>> {
        let mut length = [0; 4];
        if !read_or_end(input, &mut length)? {
            return Ok(None);
        }
        let mut name = vec![0; u32::from_le_bytes(length) as usize];
        input.read_exact(&mut name)?;
        input.read_exact(&mut length)?;
        let mut tally = vec![0; u32::from_le_bytes(length) as usize];
        input.read_exact(&mut tally)?;
        let mut part = [0; 8];
        input.read_exact(&mut part)?;
        let name = String::from_utf8(name).map_err(io::Error::other)?;
        Ok(Some(Entry { name, part: u64::from_le_bytes(part), tally: serde_json::from_slice(&tally)? }))
    }
}

/// The sites that are kept.
struct Shown {
    by_pages: Top,
    by_failures: Top,
    by_doubt: Top,
    by_drift: Top,
}

impl Shown {
    fn new() -> Shown {
        let top = |most| Top { most, sites: BTreeMap::new() };
        Shown {
            by_pages: top(MOST_PAGES),
            by_failures: top(MOST_OTHERS),
            by_doubt: top(MOST_OTHERS),
            by_drift: top(MOST_OTHERS),
        }
    }

    fn add(&mut self, name: &str, site: &SiteTally) {
        self.by_pages.add(site.pages, name, site);
        if site.failed > 0 {
            self.by_failures.add(site.failed, name, site);
        }
        if let Some(confidence) = site.confidence() {
            self.by_doubt.add(1_000_000 - (confidence * 1e6) as u64, name, site);
        }
        if !site.drift.is_empty() {
            self.by_drift.add(site.pages, name, site);
        }
    }

    fn finish(self) -> BTreeMap<String, SiteTally> {
        let all = [self.by_pages, self.by_failures, self.by_doubt, self.by_drift];
        all.into_iter().flat_map(|top| top.sites).map(|((_, Reverse(name)), site)| (name, site)).collect()
    }
}

/// The sites of the highest ranks; among equals the first by name.
struct Top {
    most: usize,
    sites: BTreeMap<(u64, Reverse<String>), SiteTally>,
}

impl Top {
    fn add(&mut self, rank: u64, name: &str, site: &SiteTally) {
        let is_full = self.sites.len() >= self.most;
        let lowest = self.sites.first_key_value().map(|((rank, Reverse(name)), _)| (*rank, Reverse(name.as_str())));
        if is_full && lowest.is_some_and(|lowest| (rank, Reverse(name)) < lowest) {
            return;
        }
        if is_full {
            self.sites.pop_first();
        }
        self.sites.insert((rank, Reverse(name.to_string())), site.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::counts::tally::DroppedSample;

    #[test]
    fn all_sites_are_counted_and_the_extreme_ones_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut table = HostTable { folder: folder.path().into(), entries: SpillSort::new(folder.path(), 100_000) };
        for part in 0..3 {
            for number in 0..4000 {
                let site = SiteTally {
                    pages: if number % 1000 == 7 { 9 } else { 1 },
                    failed: u64::from(number == 3999 && part == 1),
                    rated: 1,
                    confidence_sum: if number == 3998 { 10 } else { 900 },
                    template_pages: u64::from(number % 2 == 0),
                    sample: Some(DroppedSample { address: part.to_string(), text: "x".into() }),
                    ..SiteTally::default()
                };
                table.add(format!("h{number:04}"), part, site).unwrap();
            }
        }
        let mut tally = Tally::default();
        let complete = |name: &str, site: &mut SiteTally| {
            site.drift.extend((name == "h3997").then(|| "stopped".to_string()));
            Ok(())
        };
        table.finish(&mut tally, complete).unwrap();
        assert_eq!((tally.site_count, tally.sites_without_template, tally.drifted_sites), (4000, 2000, 1));
        assert!((MOST_PAGES..=MOST_PAGES + 3 * MOST_OTHERS).contains(&tally.sites.len()));
        // Nine pages thrice; the first by name among equals; the one with a failure; the least sure; the one that drifted.
        for name in ["h3007", "h0000", "h3999", "h3998", "h3997"] {
            assert!(tally.sites.contains_key(name), "{name}");
        }
        assert!(!tally.sites.contains_key("h3996"));
        assert_eq!((tally.sites["h3007"].pages, tally.sites["h3999"].failed), (27, 1));
        assert_eq!(tally.sites["h3998"].confidence(), Some(0.01));
        assert_eq!(tally.sites["h3007"].sample.as_ref().map(|sample| &*sample.address), Some("0"));
    }
}
