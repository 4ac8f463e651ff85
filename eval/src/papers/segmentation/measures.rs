//! How well segments agree with marked ones: adjusted Rand, normalized mutual information, and BCubed F1.

use dehusk_train::adjusted_rand;
use std::collections::BTreeMap;

/// The four measures of a page, or their means.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Agreement {
    /// Adjusted Rand index.
    pub(crate) rand: f64,
    /// Normalized mutual information, by the geometric mean.
    pub(crate) information: f64,
    /// BCubed F1, each leaf counting the same.
    pub(crate) by_leaf: f64,
    /// BCubed F1, each character counting the same.
    pub(crate) by_character: f64,
}

impl Agreement {
    /// Compares labels of leaves. `weights` are the characters of the leaves.
    pub(crate) fn new(truth: &[u32], found: &[u32], weights: &[f64]) -> Agreement {
        let ones = vec![1.0; truth.len()];
        // An image counts as one character.
        let characters: Vec<f64> = weights.iter().map(|weight| weight.max(1.0)).collect();
        Agreement {
            rand: adjusted_rand(truth, found),
            information: information(truth, found),
            by_leaf: bcubed(truth, found, &ones),
            by_character: bcubed(truth, found, &characters),
        }
    }

    pub(crate) fn mean(all: &[Agreement]) -> Agreement {
        let mean = |value: fn(&Agreement) -> f64| all.iter().map(value).sum::<f64>() / all.len().max(1) as f64;
        Agreement {
            rand: mean(|one| one.rand),
            information: mean(|one| one.information),
            by_leaf: mean(|one| one.by_leaf),
            by_character: mean(|one| one.by_character),
        }
    }

    pub(crate) fn cells(&self) -> Vec<String> {
        [self.rand, self.information, self.by_leaf, self.by_character].map(|value| format!("{value:.3}")).to_vec()
    }
}

type Sizes = BTreeMap<u32, f64>;

fn sizes(truth: &[u32], found: &[u32], weights: &[f64]) -> (Sizes, Sizes, BTreeMap<(u32, u32), f64>) {
    let (mut ones, mut twos, mut both) = (Sizes::new(), Sizes::new(), BTreeMap::new());
    for ((one, two), weight) in truth.iter().zip(found).zip(weights) {
        *ones.entry(*one).or_default() += weight;
        *twos.entry(*two).or_default() += weight;
        *both.entry((*one, *two)).or_default() += weight;
    }
    (ones, twos, both)
}

fn information(truth: &[u32], found: &[u32]) -> f64 {
    let total = truth.len() as f64;
    let (ones, twos, both) = sizes(truth, found, &vec![1.0; truth.len()]);
    let entropy = |sizes: &Sizes| -> f64 { sizes.values().map(|size| -size / total * (size / total).ln()).sum() };
    let (first, second) = (entropy(&ones), entropy(&twos));
    if first == 0.0 && second == 0.0 {
        return 1.0;
    }
    let mutual: f64 =
        both.iter().map(|((one, two), size)| size / total * (size * total / (ones[one] * twos[two])).ln()).sum();
    if first * second > 0.0 { mutual / (first * second).sqrt() } else { 0.0 }
}

/// Each item's share of its found segment that is of its true one is its precision, and the other way round its recall.
fn bcubed(truth: &[u32], found: &[u32], weights: &[f64]) -> f64 {
    let (ones, twos, both) = sizes(truth, found, weights);
    let total: f64 = weights.iter().sum();
    let (mut precision, mut recall) = (0.0, 0.0);
    for ((one, two), size) in &both {
        precision += size * size / twos[two];
        recall += size * size / ones[one];
    }
    let (precision, recall) = (precision / total.max(1e-9), recall / total.max(1e-9));
    2.0 * precision * recall / (precision + recall).max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_segments_agree_fully_and_names_do_not_matter() {
        let all = Agreement::new(&[1, 1, 2, 3], &[7, 7, 9, 4], &[3.0, 0.0, 5.0, 1.0]);
        assert!(
            [all.rand, all.information, all.by_leaf, all.by_character].iter().all(|value| (value - 1.0).abs() < 1e-9)
        );
    }

    #[test]
    fn bcubed_is_the_mean_over_items() {
        // One segment of truth {a, b, c}, found as {a, b} and {c}: precision 1, recall (2/3 + 2/3 + 1/3) / 3.
        let recall = 5.0 / 9.0;
        let expected = 2.0 * recall / (1.0 + recall);
        assert!((bcubed(&[0, 0, 0], &[0, 0, 1], &[1.0; 3]) - expected).abs() < 1e-9);
        assert_eq!(information(&[0, 0], &[0, 1]), 0.0);
    }
}
