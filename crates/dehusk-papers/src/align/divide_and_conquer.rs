//! Needleman–Wunsch in bounded memory: Hirschberg's divide and conquer.
//!
//! Input: two sequences. Output: the steps of an optimal alignment. The first sequence is split in the middle; one
//! row of scores from each side gives the best split of the second. This repeats until the parts fit into the table
//! of `matrix.rs`. It takes at most twice the work of one large table.

use super::matrix::{append_by_matrix, last_row, table_bytes};
use super::steps::Step;

/// Appends the steps of an optimal alignment. No table takes more than `max_bytes`, or two rows if that is more. If
/// several splits of the second sequence are optimal, the first one is used.
pub(super) fn append_divided(first: &[u32], second: &[u32], max_bytes: usize, steps: &mut Vec<Step>) {
    let (mut forward, mut backward, mut reversed) = (Vec::new(), Vec::new(), Vec::new());
    // Parts still to be aligned, the leftmost on top.
    let mut waiting = vec![(0..first.len(), 0..second.len())];
    while let Some((rows, columns)) = waiting.pop() {
        let (one, two) = (&first[rows.clone()], &second[columns.clone()]);
        if one.len() <= 1 || two.is_empty() || table_bytes(one.len(), two.len()) <= max_bytes as u64 {
            append_by_matrix(one, two, steps);
            continue;
        }
        let half = one.len() / 2;
        last_row(one[..half].iter(), two, &mut forward);
        reversed.clear();
        reversed.extend(two.iter().rev());
        last_row(one[half..].iter().rev(), &reversed, &mut backward);
        let sums = forward.iter().zip(backward.iter().rev()).map(|(before, after)| before + after);
        let mut best = (i32::MIN, 0);
        for (at, sum) in sums.enumerate() {
            if sum > best.0 {
                best = (sum, at);
            }
        }
        let (row, column) = (rows.start + half, columns.start + best.1);
        waiting.push((row..rows.end, column..columns.end));
        waiting.push((rows.start..row, columns.start..column));
    }
}
