//! Counts words of templates and of content, and makes the odds of naive Bayes of them.
//!
//! A word counts once per block it stands in and at most a few times per site, so that no site decides alone what a word
//! means; words of fewer than three sites are left out, which keeps names out of models. Counts can leave out the sites of one
//! fold: rows are then scored by words their own site had no part in.

use dehusk::model::WordOdds;
use rustc_hash::FxHashMap;

/// A site counts a word at most so many times for each class.
const MOST_PER_SITE: u32 = 4;
/// Words of fewer sites are left out.
const LEAST_SITES: u32 = 3;
/// What is added to each count, so that a word seen in one class only is not certain.
const SMOOTHING: f64 = 0.5;

/// Counts of words by site.
#[derive(Clone, Debug, Default)]
pub struct WordCounts {
    /// By word and site: blocks of templates and of content it stands in.
    counts: FxHashMap<(u32, u32), [u32; 2]>,
}

impl WordCounts {
    /// Counts the words of a block of a site; each should come once.
    pub fn add(&mut self, site: u32, words: &[u32], is_template: bool) {
        for word in words {
            let count = &mut self.counts.entry((*word, site)).or_default()[usize::from(!is_template)];
            *count = (*count + 1).min(MOST_PER_SITE);
        }
    }

    /// The odds of the words of all sites that `counts_site` takes.
    pub fn odds(&self, counts_site: impl Fn(u32) -> bool) -> WordOdds {
        // By word: template, content, sites. Sums of whole numbers do not depend on the order.
        let mut words: FxHashMap<u32, [u32; 3]> = FxHashMap::default();
        #[allow(clippy::iter_over_hash_type, reason = "sums of whole numbers")]
        for ((word, site), [template, content]) in &self.counts {
            if counts_site(*site) {
                let sums = words.entry(*word).or_default();
                sums[0] += template;
                sums[1] += content;
                sums[2] += 1;
            }
        }
        words.retain(|_, sums| sums[2] >= LEAST_SITES);
        let (mut templates, mut contents) = (0u64, 0u64);
        #[allow(clippy::iter_over_hash_type, reason = "sums of whole numbers")]
        for sums in words.values() {
            templates += u64::from(sums[0]);
            contents += u64::from(sums[1]);
        }
        let smooth = SMOOTHING * words.len() as f64;
        let odds = |sums: [u32; 3]| {
            let template = (f64::from(sums[0]) + SMOOTHING) / (templates as f64 + smooth);
            let content = (f64::from(sums[1]) + SMOOTHING) / (contents as f64 + smooth);
            (template / content).ln() as f32
        };
        // The model sorts them.
        WordOdds::new(words.into_iter().map(|(word, sums)| (word, odds(sums))).collect())
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
        counts.add(0, &[4], true);
        // Words 1, 2, 3 on three sites; 4 on one only. Template: 3 + 3 + 0, content: 0 + 3 + 3.
        let odds = counts.odds(|_| true);
        assert_eq!(odds.len(), 3);
        assert_eq!(odds.odds(4), None);
        assert_eq!(odds.odds(2), Some(0.0));
        let expected = ((3.5 / 7.5) / (0.5 / 7.5)) as f64;
        assert!((odds.odds(1).unwrap() - expected.ln() as f32).abs() < 1e-6);
        assert!((odds.odds(3).unwrap() + expected.ln() as f32).abs() < 1e-6);
        assert!(counts.odds(|site| site != 1).is_empty());
    }

    #[test]
    fn one_site_counts_a_few_times_only() {
        let mut counts = WordCounts::default();
        for _ in 0..1000 {
            counts.add(0, &[1], true);
        }
        for site in 0..3 {
            counts.add(site, &[1], false);
            counts.add(site, &[2], true);
        }
        // Template: 4 of word 1, 3 of word 2; content: 3 of word 1.
        let odds = counts.odds(|_| true).odds(1).unwrap();
        assert!((odds - ((4.5f32 / 8.0) / (3.5 / 4.0)).ln()).abs() < 1e-6);
    }
}
