//! Counts of a run, for its summary and its reports.

use crate::shortened::{MAX_SHOWN, shortened};
use dehusk::details::TemplateFit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The number of largest and of slowest pages that a report names.
const NAMED_PAGES: usize = 5;

/// Counts of a run or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tally {
    /// Rows written, those with an error included.
    pub pages: u64,
    /// Rows with an error.
    pub failed: u64,
    /// Inputs that do not hold a page, such as pictures; nothing is written for them.
    pub skipped: u64,
    /// Pages that could be read and have no address.
    #[serde(default)]
    pub without_url: u64,
    /// Bytes of the pages.
    pub bytes: u64,
    /// Characters of visible text.
    pub characters: u64,
    /// How many of these were dropped.
    pub dropped: u64,
    /// Records written, if the job writes records.
    #[serde(default)]
    pub records: u64,
    /// Errors by kind.
    pub errors: BTreeMap<String, u64>,
    /// Flags by name.
    pub flags: BTreeMap<String, u64>,
    /// By site. Of a whole run only those with the most pages, the most failures, the lowest confidence, or drift; all of
    /// them if there are at most a thousand.
    pub sites: BTreeMap<String, SiteTally>,
    /// The number of sites of a whole run.
    #[serde(skip)]
    pub site_count: u64,
    /// How many of these have no template.
    #[serde(skip)]
    pub sites_without_template: u64,
    /// How many of these have templates that fit worse than before.
    #[serde(skip)]
    pub drifted_sites: u64,
    /// The largest pages, by bytes.
    pub largest: Vec<RankedPage>,
    /// The slowest pages of this run, by microseconds. Those of a killed run are not kept.
    #[serde(skip)]
    pub slowest: Vec<RankedPage>,
}

/// A page that a report names because few have as much of something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RankedPage {
    /// How much it has: bytes, or microseconds.
    pub amount: u64,
    /// Its address, or where it was read.
    pub address: String,
}

/// Some of what was dropped from a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DroppedSample {
    /// The address of the page, or where it was read.
    pub address: String,
    /// The first words of its largest dropped part.
    pub text: String,
}

/// Counts of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SiteTally {
    /// Rows written.
    pub pages: u64,
    /// Rows with an error.
    pub failed: u64,
    /// Characters of visible text.
    pub characters: u64,
    /// How many of these were dropped.
    pub dropped: u64,
    /// Pages from which its template was learned, 0 if it has none.
    pub template_pages: u64,
    /// Pages with a confidence, and the sum of their confidences in thousandths.
    #[serde(default)]
    pub rated: u64,
    /// See `rated`.
    #[serde(default)]
    pub confidence_sum: u64,
    /// For each of its templates the pages that fit it, and the sum of their fits in thousandths.
    #[serde(default)]
    pub fits: Vec<(u32, u64)>,
    /// Pages that fit none of its templates.
    #[serde(default)]
    pub unfit: u32,
    /// Which templates fit worse than before, or no longer.
    #[serde(default)]
    pub drift: Vec<String>,
    /// Some of what was dropped from one of its pages.
    pub sample: Option<DroppedSample>,
}

/// Counts of one page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageTally {
    pub(crate) site: String,
    pub(crate) address: String,
    pub(crate) without_url: bool,
    pub(crate) bytes: u64,
    pub(crate) characters: u64,
    pub(crate) dropped: u64,
    pub(crate) records: u64,
    pub(crate) template_pages: u64,
    pub(crate) confidence: Option<f32>,
    pub(crate) fit: Option<TemplateFit>,
    pub(crate) error: Option<String>,
    pub(crate) flags: Vec<&'static str>,
    pub(crate) micros: u64,
    /// Some of what was dropped.
    pub(crate) sample: String,
}

impl Tally {
    pub(crate) fn add_page(&mut self, page: PageTally) {
        self.pages += 1;
        self.without_url += u64::from(page.without_url);
        self.bytes += page.bytes;
        self.characters += page.characters;
        self.dropped += page.dropped;
        self.records += page.records;
        for flag in page.flags {
            *self.flags.entry(flag.to_string()).or_default() += 1;
        }
        let site = self.sites.entry(page.site).or_default();
        site.pages += 1;
        site.characters += page.characters;
        site.dropped += page.dropped;
        // Pages that failed have none, although their site has a template.
        site.template_pages = site.template_pages.max(page.template_pages);
        if let Some(confidence) = page.confidence {
            site.rated += 1;
            // Whole thousandths, because a sum of floats depends on the order in which parts are added.
            site.confidence_sum += (confidence * 1000.0).round() as u64;
        }
        match page.fit {
            Some(TemplateFit { template: Some(number), fit }) => {
                add_fits(&mut site.fits, number as usize, (1, (fit * 1000.0).round() as u64));
            }
            Some(_) => site.unfit += 1,
            None => {}
        }
        if let Some(kind) = page.error {
            self.failed += 1;
            site.failed += 1;
            *self.errors.entry(kind).or_default() += 1;
        }
        let address = shortened(&page.address, MAX_SHOWN).into_owned();
        if site.sample.is_none() && !page.sample.is_empty() {
            site.sample = Some(DroppedSample { address: address.clone(), text: page.sample });
        }
        keep_largest(&mut self.largest, [RankedPage { amount: page.bytes, address: address.clone() }]);
        keep_largest(&mut self.slowest, [RankedPage { amount: page.micros, address }]);
    }

    /// Adds the counts of another part, except those of its sites.
    pub(crate) fn add(&mut self, other: Tally) {
        self.pages += other.pages;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.without_url += other.without_url;
        self.bytes += other.bytes;
        self.characters += other.characters;
        self.dropped += other.dropped;
        self.records += other.records;
        for (sums, more) in [(&mut self.errors, other.errors), (&mut self.flags, other.flags)] {
            for (name, count) in more {
                *sums.entry(name).or_default() += count;
            }
        }
        keep_largest(&mut self.largest, other.largest);
        keep_largest(&mut self.slowest, other.slowest);
    }

    /// The share of the text that was dropped.
    #[must_use]
    pub fn dropped_share(&self) -> f64 {
        self.dropped as f64 / self.characters.max(1) as f64
    }
}

impl SiteTally {
    /// Adds the counts of the same site in a later part.
    pub(crate) fn add(&mut self, more: SiteTally) {
        self.pages += more.pages;
        self.failed += more.failed;
        self.characters += more.characters;
        self.dropped += more.dropped;
        self.template_pages = self.template_pages.max(more.template_pages);
        self.rated += more.rated;
        self.confidence_sum += more.confidence_sum;
        self.unfit += more.unfit;
        for (number, fits) in more.fits.into_iter().enumerate() {
            add_fits(&mut self.fits, number, fits);
        }
        self.drift.extend(more.drift);
        self.sample = self.sample.take().or(more.sample);
    }

    /// The mean confidence of its pages, 0 to 1, to three digits.
    #[must_use]
    pub fn confidence(&self) -> Option<f64> {
        (self.rated > 0).then(|| (self.confidence_sum as f64 / self.rated as f64).round() / 1000.0)
    }
}

fn add_fits(fits: &mut Vec<(u32, u64)>, number: usize, more: (u32, u64)) {
    if fits.len() <= number {
        fits.resize(number + 1, (0, 0));
    }
    fits[number] = (fits[number].0 + more.0, fits[number].1 + more.1);
}

fn keep_largest(list: &mut Vec<RankedPage>, more: impl IntoIterator<Item = RankedPage>) {
    for entry in more {
        if list.len() < NAMED_PAGES || list.last().is_some_and(|last| entry.amount > last.amount) {
            // Equal ones stay in the order of the input.
            let at = list.partition_point(|other| other.amount >= entry.amount);
            list.insert(at, entry);
            list.truncate(NAMED_PAGES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u64) -> PageTally {
        PageTally {
            site: format!("g{}", number % 3),
            address: number.to_string(),
            bytes: number * 7 % 11,
            characters: 10,
            dropped: number % 4,
            error: number.is_multiple_of(5).then(|| "bad".to_string()),
            ..PageTally::default()
        }
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let mut whole = Tally::default();
        (0..40).for_each(|number| whole.add_page(page(number)));
        let mut sum = Tally::default();
        for part in 0..4 {
            let mut tally = Tally::default();
            (part * 10..part * 10 + 10).for_each(|number| tally.add_page(page(number)));
            for (name, site) in std::mem::take(&mut tally.sites) {
                sum.sites.entry(name).or_default().add(site);
            }
            sum.add(tally);
        }
        assert_eq!(sum, whole);
        assert_eq!((whole.pages, whole.failed, whole.largest.len()), (40, 8, NAMED_PAGES));
    }
}
