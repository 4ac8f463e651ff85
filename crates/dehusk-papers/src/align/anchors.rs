//! Anchors for sequences that are too long and too different to be aligned exactly: the tokens that occur once in
//! each.
//!
//! Input: two sequences. Output: pairs of positions that increase in both. The parts between anchors are aligned
//! separately. The result is a valid alignment, but not necessarily the best one.

use dehusk::site::longest_increasing;

/// Returns the longest increasing run of pairs of tokens that occur exactly once in each sequence.
pub(super) fn anchors(first: &[u32], second: &[u32]) -> Vec<(usize, usize)> {
    let (one, two) = (unique_tokens(first), unique_tokens(second));
    let mut pairs = Vec::new();
    let mut at = 0;
    for (token, position) in one {
        while at < two.len() && two[at].0 < token {
            at += 1;
        }
        if at < two.len() && two[at].0 == token {
            pairs.push((position, two[at].1));
        }
    }
    pairs.sort_unstable();
    longest_increasing(&pairs)
}

/// The tokens that occur once, sorted, with their positions.
fn unique_tokens(tokens: &[u32]) -> Vec<(u32, usize)> {
    let mut sorted: Vec<(u32, usize)> = tokens.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    sorted.chunk_by(|one, two| one.0 == two.0).filter(|run| run.len() == 1).map(|run| run[0]).collect()
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
