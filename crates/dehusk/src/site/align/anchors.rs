//! Where two sequences are too long and too different to be aligned by the rules: the tokens that stand once in each.
//!
//! Takes two sequences, returns pairs of places that rise in both. Between them, the parts are aligned on their own. The
//! result is a valid alignment, but need not be the best one.

use crate::site::increasing::longest_increasing;

/// The longest rising run of pairs of tokens that stand exactly once in either sequence.
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

/// Tokens that stand once, sorted, with their places.
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
