//! The longest increasing subsequence of pairs of positions. Both alignments of children and of tokens need it.

/// Returns the longest subsequence of pairs whose second positions increase, by patience sorting. The pairs are sorted by
/// their first positions.
pub fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the last pair of the best subsequence so far; for each pair, the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; pairs.len()];
    for (number, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < pair.1);
        if length > 0 {
            before[number] = ends[length - 1];
        }
        match ends.get_mut(length) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let mut increasing = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        increasing.push(pairs[at]);
        at = before[at];
    }
    increasing.reverse();
    increasing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_one_is_found() {
        let pairs = [(0, 5), (1, 1), (2, 2), (3, 0), (4, 3)];
        assert_eq!(longest_increasing(&pairs), [(1, 1), (2, 2), (4, 3)]);
        assert_eq!(longest_increasing(&[]), []);
    }
}
