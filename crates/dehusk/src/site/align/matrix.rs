//! Needleman–Wunsch as in the textbook: all prefixes against all prefixes.
//!
//! Takes two sequences, appends the steps of the best alignment. One byte for each pair of prefixes: for small inputs, and
//! for the parts of larger ones.

use super::pairwise::Step;

/// The bytes of the table for two sequences.
pub(super) fn table_bytes(first: usize, second: usize) -> u64 {
    (first as u64 + 1) * (second as u64 + 1)
}

/// Appends the steps of the best alignment. Where several are best, the last pair of tokens stands together rather than
/// apart, and if apart, the first sequence's token comes last.
pub(super) fn append_by_matrix(first: &[u32], second: &[u32], steps: &mut Vec<Step>) {
    let width = second.len() + 1;
    let mut came = vec![Step::Second; (first.len() + 1) * width];
    let mut scores: Vec<i32> = (0..width as i32).map(|column| -column).collect();
    for (row, token) in first.iter().enumerate() {
        let came = &mut came[(row + 1) * width..(row + 2) * width];
        let mut diagonal = scores[0];
        let mut left = diagonal - 1;
        scores[0] = left;
        came[0] = Step::First;
        for ((other, score), came) in second.iter().zip(&mut scores[1..]).zip(&mut came[1..]) {
            let equal = token == other;
            let together = diagonal + equal as i32;
            let apart = *score - 1;
            diagonal = *score;
            let (best, step) = if together >= apart {
                (together, if equal { Step::Match } else { Step::Mismatch })
            } else {
                (apart, Step::First)
            };
            let (best, step) = if left - 1 > best { (left - 1, Step::Second) } else { (best, step) };
            left = best;
            *score = best;
            *came = step;
        }
    }
    let from = steps.len();
    let (mut row, mut column) = (first.len(), second.len());
    while row > 0 || column > 0 {
        let step = came[row * width + column];
        steps.push(step);
        row -= (step != Step::Second) as usize;
        column -= (step != Step::First) as usize;
    }
    steps[from..].reverse();
}

/// The scores of a sequence against all prefixes of another, in memory for one row.
pub(super) fn last_row<'a>(first: impl Iterator<Item = &'a u32>, second: &[u32], scores: &mut Vec<i32>) {
    scores.clear();
    scores.extend((0..=second.len() as i32).map(|column| -column));
    for token in first {
        let mut diagonal = scores[0];
        let mut left = diagonal - 1;
        scores[0] = left;
        for (other, score) in second.iter().zip(&mut scores[1..]) {
            let together = diagonal + (token == other) as i32;
            diagonal = *score;
            left = together.max(diagonal - 1).max(left - 1);
            *score = left;
        }
    }
}
