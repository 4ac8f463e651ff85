//! Counts of a run, for its summary and its reports.

use dehusk::details::TemplateFit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The number of largest and of slowest pages that a report names.
const NAMED_PAGES: usize = 5;
/// The maximum number of sites with a sample of what was dropped.
const MAX_SAMPLED_GROUPS: usize = 1000;

/// Counts of a run or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tally {
    /// Records written, those with an error included.
    pub pages: u64,
    /// Records with an error.
    pub failed: u64,
    /// Records that do not hold a page, such as pictures; nothing is written for them.
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
    /// Errors by kind.
    pub errors: BTreeMap<String, u64>,
    /// Flags by name.
    pub flags: BTreeMap<String, u64>,
    /// By site.
    pub groups: BTreeMap<String, GroupTally>,
    /// The largest pages: bytes and address.
    pub largest: Vec<(u64, String)>,
    /// The slowest pages of this run: microseconds and address. Those of a killed run are not kept.
    #[serde(skip)]
    pub slowest: Vec<(u64, String)>,
}

/// Counts of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupTally {
    /// Records written.
    pub pages: u64,
    /// Records with an error.
    pub failed: u64,
    /// Characters of visible text.
    pub characters: u64,
    /// How many of these were dropped.
    pub dropped: u64,
    /// Pages from which its template was learned, 0 if it has none.
    pub template_pages: u64,
    /// For each of its templates the pages that fit it, and the sum of their fits in thousandths.
    #[serde(default)]
    pub fits: Vec<(u32, u64)>,
    /// Pages that fit none of its templates.
    #[serde(default)]
    pub unfit: u32,
    /// Which templates fit worse than before, or no longer.
    #[serde(default)]
    pub drift: Vec<String>,
    /// A page, and some of what was dropped from it.
    pub sample: Option<(String, String)>,
}

/// Counts of one page.
#[derive(Clone, Debug, Default)]
pub(super) struct PageTally {
    pub(super) group: String,
    pub(super) address: String,
    pub(super) without_url: bool,
    pub(super) bytes: u64,
    pub(super) characters: u64,
    pub(super) dropped: u64,
    pub(super) template_pages: u64,
    pub(super) fit: Option<TemplateFit>,
    pub(super) error: Option<String>,
    pub(super) flags: Vec<&'static str>,
    pub(super) micros: u64,
    /// Some of what was dropped.
    pub(super) sample: String,
}

impl Tally {
    pub(super) fn add_page(&mut self, page: PageTally) {
        self.pages += 1;
        self.without_url += u64::from(page.without_url);
        self.bytes += page.bytes;
        self.characters += page.characters;
        self.dropped += page.dropped;
        for flag in page.flags {
            *self.flags.entry(flag.to_string()).or_default() += 1;
        }
        let sampled = self.groups.len() < MAX_SAMPLED_GROUPS;
        let group = self.groups.entry(page.group).or_default();
        group.pages += 1;
        group.characters += page.characters;
        group.dropped += page.dropped;
        group.template_pages = group.template_pages.max(page.template_pages);
        match page.fit {
            Some(TemplateFit { template: Some(number), fit }) => {
                add_fits(&mut group.fits, number as usize, (1, (fit * 1000.0).round() as u64));
            }
            Some(_) => group.unfit += 1,
            None => {}
        }
        if let Some(kind) = page.error {
            self.failed += 1;
            group.failed += 1;
            *self.errors.entry(kind).or_default() += 1;
        }
        if sampled && group.sample.is_none() && !page.sample.is_empty() {
            group.sample = Some((page.address.clone(), page.sample));
        }
        keep_largest(&mut self.largest, [(page.bytes, page.address.clone())]);
        keep_largest(&mut self.slowest, [(page.micros, page.address)]);
    }

    pub(super) fn add(&mut self, other: Tally) {
        self.pages += other.pages;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.without_url += other.without_url;
        self.bytes += other.bytes;
        self.characters += other.characters;
        self.dropped += other.dropped;
        for (sums, more) in [(&mut self.errors, other.errors), (&mut self.flags, other.flags)] {
            for (name, count) in more {
                *sums.entry(name).or_default() += count;
            }
        }
        for (name, more) in other.groups {
            let group = self.groups.entry(name).or_default();
            group.pages += more.pages;
            group.failed += more.failed;
            group.characters += more.characters;
            group.dropped += more.dropped;
            group.template_pages = group.template_pages.max(more.template_pages);
            group.unfit += more.unfit;
            for (number, fits) in more.fits.into_iter().enumerate() {
                add_fits(&mut group.fits, number, fits);
            }
            group.drift.extend(more.drift);
            group.sample = group.sample.take().or(more.sample);
        }
        keep_largest(&mut self.largest, other.largest);
        keep_largest(&mut self.slowest, other.slowest);
    }

    /// The share of the text that was dropped.
    pub fn dropped_share(&self) -> f64 {
        self.dropped as f64 / self.characters.max(1) as f64
    }

    /// Sites that have no template.
    pub fn groups_without_template(&self) -> usize {
        self.groups.values().filter(|group| group.template_pages == 0).count()
    }
}

fn add_fits(fits: &mut Vec<(u32, u64)>, number: usize, more: (u32, u64)) {
    if fits.len() <= number {
        fits.resize(number + 1, (0, 0));
    }
    fits[number] = (fits[number].0 + more.0, fits[number].1 + more.1);
}

fn keep_largest(list: &mut Vec<(u64, String)>, more: impl IntoIterator<Item = (u64, String)>) {
    for entry in more {
        if list.len() < NAMED_PAGES || list.last().is_some_and(|last| entry.0 > last.0) {
            // Equal ones stay in the order of the input.
            let at = list.partition_point(|other| other.0 >= entry.0);
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
            group: format!("g{}", number % 3),
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
            sum.add(tally);
        }
        assert_eq!(sum, whole);
        assert_eq!((whole.pages, whole.failed, whole.largest.len()), (40, 8, NAMED_PAGES));
    }
}
