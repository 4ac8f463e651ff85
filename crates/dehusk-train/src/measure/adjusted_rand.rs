//! How well two clusterings agree, such as the segments found on a page and those that people marked.

use rustc_hash::FxHashMap;

/// How well two clusterings of the same things agree beyond chance: 1 the same, 0 as by chance (adjusted Rand index).
#[must_use]
pub fn adjusted_rand(one: &[u32], two: &[u32]) -> f64 {
    let mut both: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    let (mut ones, mut twos): (FxHashMap<u32, u64>, FxHashMap<u32, u64>) = Default::default();
    for pair in one.iter().copied().zip(two.iter().copied()) {
        *both.entry(pair).or_default() += 1;
        *ones.entry(pair.0).or_default() += 1;
        *twos.entry(pair.1).or_default() += 1;
    }
    // Sums of whole numbers do not depend on the order.
    let pairs = |counts: &mut dyn Iterator<Item = u64>| {
        counts.map(|count| u128::from(count * count.saturating_sub(1) / 2)).sum::<u128>() as f64
    };
    let together = pairs(&mut both.values().copied());
    let (in_one, in_two) = (pairs(&mut ones.values().copied()), pairs(&mut twos.values().copied()));
    let all = pairs(&mut std::iter::once(one.len() as u64));
    let expected = if all > 0.0 { in_one * in_two / all } else { 0.0 };
    let max = (in_one + in_two) / 2.0;
    if max == expected { 1.0 } else { (together - expected) / (max - expected) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusted_rand_of_known_cases() {
        assert_eq!(adjusted_rand(&[0, 0, 1, 1], &[5, 5, 2, 2]), 1.0);
        assert!((adjusted_rand(&[0, 0, 1, 1], &[0, 0, 1, 2]) - 0.571_428_57).abs() < 1e-6);
        assert!((adjusted_rand(&[0, 0, 1, 1], &[0, 1, 0, 1]) + 0.5).abs() < 1e-9);
        assert_eq!(adjusted_rand(&[], &[]), 1.0);
    }
}
