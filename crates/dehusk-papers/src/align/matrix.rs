//! Needleman–Wunsch as in the textbook: all prefixes against all prefixes.
//!
//! Input: two sequences. Output: the steps of an optimal alignment. It takes one byte for each pair of prefixes, so
//! it is used for small inputs and for the parts of larger ones.

use super::steps::Step;

/// Returns the size of the table for two sequences, in bytes.
pub(super) fn table_bytes(first: usize, second: usize) -> u64 {
    (first as u64 + 1) * (second as u64 + 1)
}

/// Computes one row of the table from the row above it. A cell holds the score plus the lengths of both prefixes. A
/// match then adds 3, a mismatch 2, a gap 0, and the first row and column are 0. Only the running maximum has to go
/// from left to right; the compiler vectorizes everything else.
fn fill_row(token: u32, second: &[u32], above: &[i32], row: &mut [i32]) {
    let cells = row[1..].iter_mut().zip(second);
    for ((cell, other), (diagonal, above)) in cells.zip(above.iter().zip(&above[1..])) {
        *cell = (*diagonal + 2 + (token == *other) as i32).max(*above);
    }
    let mut best = 0;
    for cell in &mut row[1..] {
        best = best.max(*cell);
        *cell = best;
    }
}

/// Appends the steps of an optimal alignment. If several are optimal, a pair of tokens is preferred to gaps,
/// searching from the end. Among gaps, the token of the first sequence comes last.
pub(super) fn append_by_matrix(first: &[u32], second: &[u32], steps: &mut Vec<Step>) {
    let width = second.len() + 1;
    let mut came = vec![Step::Second; (first.len() + 1) * width];
    let (mut above, mut row) = (vec![0; width], vec![0; width]);
    for (number, token) in first.iter().enumerate() {
        fill_row(*token, second, &above, &mut row);
        let came = &mut came[(number + 1) * width..(number + 2) * width];
        came[0] = Step::First;
        let cells = came[1..].iter_mut().zip(second).zip(&row[1..]);
        for (((came, other), cell), (diagonal, above)) in cells.zip(above.iter().zip(&above[1..])) {
            let apart = if cell == above { Step::First } else { Step::Second };
            let equal = token == other;
            let together = if equal { Step::Match } else { Step::Mismatch };
            *came = if *cell == *diagonal + 2 + equal as i32 { together } else { apart };
        }
        std::mem::swap(&mut above, &mut row);
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

/// Computes the scores of a sequence against all prefixes of another, plus the lengths of both, in memory for two
/// rows.
pub(super) fn last_row<'a>(first: impl Iterator<Item = &'a u32>, second: &[u32], scores: &mut Vec<i32>) {
    scores.clear();
    scores.resize(second.len() + 1, 0);
    let mut row = scores.clone();
    for token in first {
        fill_row(*token, second, scores, &mut row);
        std::mem::swap(scores, &mut row);
    }
}
