//! Where two sequences are too long and too different to be aligned by the rules: the tokens that stand once in each.
//!
//! Takes two sequences, returns pairs of places that rise in both. Between them, the parts are aligned on their own. The
//! result is a valid alignment, but need not be the best one.

/// The longest rising run of pairs of tokens that stand exactly once in either sequence.
pub(super) fn anchors(first: &[u32], second: &[u32]) -> Vec<(usize, usize)> {
    let (one, two) = (singles(first), singles(second));
    let mut pairs = Vec::new();
    let mut at = 0;
    for (token, place) in one {
        while at < two.len() && two[at].0 < token {
            at += 1;
        }
        if at < two.len() && two[at].0 == token {
            pairs.push((place, two[at].1));
        }
    }
    pairs.sort_unstable();
    longest_rising(&pairs)
}

/// Tokens that stand once, sorted, with their places.
fn singles(tokens: &[u32]) -> Vec<(u32, usize)> {
    let mut sorted: Vec<(u32, usize)> = tokens.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    sorted.chunk_by(|one, two| one.0 == two.0).filter(|run| run.len() == 1).map(|run| run[0]).collect()
}

/// The longest subsequence whose second places rise, by patience sorting.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best run of each length, and for each pair the one before it.
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
    let mut run = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        run.push(pairs[at]);
        at = before[at];
    }
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_rise_in_both() {
        assert_eq!(anchors(&[1, 2, 9, 9, 3, 4], &[3, 1, 9, 2, 5, 4]), [(0, 1), (1, 3), (5, 5)]);
        assert_eq!(anchors(&[], &[1]), []);
        assert_eq!(anchors(&[1, 1], &[1, 1]), []);
    }
}
