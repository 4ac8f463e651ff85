//! Counts the words of templates and of content, and turns the counts into log-odds for naive Bayes.
//!
//! A word counts once for each block it is in, and every site counts the same: the share of a word among all words of a site's
//! templates, or of its content, is averaged over the sites. Words of fewer than three sites are left out, which keeps names out
//! of models. The sites of one fold can be left out, so that rows are scored by words of other sites.

use dehusk::read::{HashedOdds, ODDS_SLOTS};
use rustc_hash::FxHashMap;

/// Words of fewer sites are left out.
const MIN_SITES: u32 = 3;
/// Shares are summed as whole numbers of this part, so that the order of the sites does not matter.
const UNIT: f64 = (1u64 << 40) as f64;
/// What is added to each sum of shares, so that a word seen in one class only is not certain: half a word of a site with a thousand words.
const SMOOTHING: f64 = 0.5 / 1000.0;

/// Counts of words by site.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordCounts {
    /// By slot of a word and site: how many template blocks and content blocks it is in.
    counts: FxHashMap<(u16, u32), [u32; 2]>,
    /// By site: words of templates and of content.
    totals: FxHashMap<u32, [u32; 2]>,
}

impl WordCounts {
    /// Counts the words of a block of a site, given by their slots; each should come once.
    pub(crate) fn add(&mut self, site: u32, words: &[u16], is_template: bool) {
        let class = usize::from(!is_template);
        for word in words {
            self.counts.entry((*word, site)).or_default()[class] += 1;
        }
        self.totals.entry(site).or_default()[class] += words.len() as u32;
    }

    /// The odds of the words of all sites that `counts_site` takes.
    pub(crate) fn odds(&self, counts_site: impl Fn(u32) -> bool) -> HashedOdds {
        // By word: sums of shares in templates and in content, and sites.
        let mut words: FxHashMap<u16, ([u64; 2], u32)> = FxHashMap::default();
        #[allow(clippy::iter_over_hash_type, reason = "sums of whole numbers")]
        for ((word, site), counts) in &self.counts {
            let Some(totals) = self.totals.get(site).filter(|_| counts_site(*site)) else { continue };
            let (sums, sites) = words.entry(*word).or_default();
            for class in 0..2 {
                sums[class] += (f64::from(counts[class]) / f64::from(totals[class].max(1)) * UNIT) as u64;
            }
            *sites += 1;
        }
        words.retain(|_, (_, sites)| *sites >= MIN_SITES);
        let mut all = [0u64; 2];
        #[allow(clippy::iter_over_hash_type, reason = "sums of whole numbers")]
        for (sums, _) in words.values() {
            all[0] += sums[0];
            all[1] += sums[1];
        }
        let more = SMOOTHING * words.len() as f64;
        let chance = |sum: u64, all: u64| (sum as f64 / UNIT + SMOOTHING) / (all as f64 / UNIT + more);
        let odds = |sums: [u64; 2]| (chance(sums[0], all[0]) / chance(sums[1], all[1])).ln() as f32;
        HashedOdds::new((0..ODDS_SLOTS).map(|slot| words.get(&(slot as u16)).map_or(0.0, |(sums, _)| odds(*sums))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_those_of_the_formula() {
        let mut counts = WordCounts::default();
        for site in 0..3 {
            counts.add(site, &[1, 2], true);
            counts.add(site, &[2, 3], false);
        }
        counts.add(0, &[4], false);
        // Words 1, 2, 3 on three sites, 4 on one only. Each is half of its site's templates; of the content of site 0 a third.
        let odds = counts.odds(|_| true);
        assert_eq!(odds.of(4), 0.0);
        let more = 3.0 * SMOOTHING;
        let template = |sum: f64| (sum + SMOOTHING) / (3.0 + more);
        let content = |sum: f64| (sum + SMOOTHING) / (2.0 * (1.0 + 1.0 / 3.0) + more);
        for (word, in_template, in_content) in [(1, 1.5, 0.0), (2, 1.5, 4.0 / 3.0), (3, 0.0, 4.0 / 3.0)] {
            let expected = (template(in_template) / content(in_content)).ln() as f32;
            assert!((odds.of(word) - expected.clamp(-128.0 / 24.0, 127.0 / 24.0)).abs() < 0.03, "{word}");
        }
        assert_eq!(counts.odds(|site| site != 1), HashedOdds::default());
    }

    #[test]
    fn every_site_counts_the_same() {
        let mut counts = WordCounts::default();
        // One large site says that word 1 is of templates, three small ones that it is of content.
        for _ in 0..1000 {
            counts.add(0, &[1], true);
            counts.add(0, &[2], false);
        }
        for site in 1..4 {
            counts.add(site, &[2], true);
            counts.add(site, &[1], false);
        }
        let odds = counts.odds(|_| true);
        assert!(odds.of(1) < -1.0 && odds.of(2) > 1.0);
    }
}
