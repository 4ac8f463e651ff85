//! Global alignment of two sequences: match +1, mismatch 0, gap −1.
//!
//! Input: two sequences of interned tokens. Output: the steps of an optimal alignment. Three algorithms reach the
//! same score: the textbook table, wavefronts for similar sequences, and divide and conquer for large ones. Among
//! several optimal alignments each algorithm makes its own fixed choice. Which algorithm runs depends only on the
//! sequences and the limits.

use super::anchors::anchors;
use super::divide_and_conquer::append_divided;
use super::matrix::{append_by_matrix, table_bytes};
use super::steps::{Alignment, Step};
use super::wavefront::append_by_wavefront;

/// Limits on one alignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlignLimits {
    /// Maximum size of a table, in bytes.
    pub bytes: usize,
    /// Maximum work: table cells, counted as twice the product of the lengths, plus points of wavefronts that were
    /// abandoned.
    pub work: u64,
}

impl Default for AlignLimits {
    /// 64 MiB, and enough work for two sequences of 16,000 tokens with nothing in common (about a second).
    fn default() -> AlignLimits {
        AlignLimits { bytes: 64 << 20, work: 1 << 29 }
    }
}

/// The algorithm that computes an alignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum AlignAlgorithm {
    /// Chosen by size and similarity.
    #[default]
    Auto,
    /// The textbook table; divide and conquer if it would exceed [`AlignLimits::bytes`].
    Matrix,
    /// Wavefronts; as [`AlignAlgorithm::Matrix`] if they would exceed [`AlignLimits::bytes`].
    Wavefront,
    /// Divide and conquer down to tables of [`AlignLimits::bytes`].
    Divide,
}

/// Up to this many cells, a table is always faster than wavefronts.
const SMALL_TABLE: u64 = 1024;
/// About how many table cells cost as much as one wavefront point. A wrong value costs time but does not change the
/// score.
const WAVEFRONT_COST: u64 = 7;

/// Returns a lower bound on the points wavefronts need. With c tokens in common in any order, M ≤ c and G ≥ |n − m|,
/// so the penalty n + m − 2M + 2G has a lower bound. Each penalty up to it has a point for two of three diagonals.
fn min_points(first: &[u32], second: &[u32]) -> u64 {
    let [one, two] = [first, second].map(|tokens| {
        let mut sorted = tokens.to_vec();
        sorted.sort_unstable();
        sorted
    });
    let (mut row, mut column, mut common) = (0, 0, 0);
    while row < one.len() && column < two.len() {
        let order = one[row].cmp(&two[column]);
        common += order.is_eq() as u64;
        row += order.is_le() as usize;
        column += order.is_ge() as usize;
    }
    let (rows, columns) = (first.len() as u64, second.len() as u64);
    let penalty = rows + columns - 2 * common + 2 * rows.abs_diff(columns);
    penalty * penalty / 3
}

/// Computes the optimal alignment of two sequences, within the default limits.
pub fn align(first: &[u32], second: &[u32]) -> Alignment {
    align_by(AlignAlgorithm::Auto, first, second, AlignLimits::default())
}

/// Computes the score of the optimal alignment of two sequences, or of the best one found within the default limits
/// ([`align`] reports which).
pub fn align_score(first: &[u32], second: &[u32]) -> i64 {
    align(first, second).score()
}

/// Aligns two sequences with a given algorithm, within limits.
pub fn align_by(algorithm: AlignAlgorithm, first: &[u32], second: &[u32], limits: AlignLimits) -> Alignment {
    let mut aligner =
        Aligner { algorithm, limits, left: limits.work, steps: Vec::with_capacity(first.len().max(second.len())) };
    let exact = aligner.append(first, second, true);
    Alignment { steps: aligner.steps, exact }
}

struct Aligner {
    algorithm: AlignAlgorithm,
    limits: AlignLimits,
    left: u64,
    steps: Vec<Step>,
}

impl Aligner {
    /// Appends an alignment and returns whether it is optimal. Equal tokens at either end are matched first: an
    /// alignment that does not match them can be changed to one that does, with no more gaps and no fewer matches.
    fn append(&mut self, first: &[u32], second: &[u32], anchored: bool) -> bool {
        let prefix = first.iter().zip(second).take_while(|(one, two)| one == two).count();
        let (one, two) = (&first[prefix..], &second[prefix..]);
        let suffix = one.iter().rev().zip(two.iter().rev()).take_while(|(one, two)| one == two).count();
        let (one, two) = (&one[..one.len() - suffix], &two[..two.len() - suffix]);
        self.steps.extend(std::iter::repeat_n(Step::Match, prefix));
        let exact = self.append_core(one, two);
        if !exact && anchored {
            self.append_anchored(one, two);
        } else if !exact {
            self.append_unmatched(one, two);
        }
        self.steps.extend(std::iter::repeat_n(Step::Match, suffix));
        exact
    }

    /// Appends an optimal alignment, or returns false and appends nothing if that would exceed the limits.
    fn append_core(&mut self, first: &[u32], second: &[u32]) -> bool {
        if first.is_empty() || second.is_empty() {
            self.append_unmatched(first, second);
            return true;
        }
        let cells = table_bytes(first.len(), second.len());
        let small = cells <= SMALL_TABLE && cells <= self.limits.bytes as u64;
        let table_points = (cells / WAVEFRONT_COST).min(self.limits.bytes as u64 / 4).min(self.left);
        let (wavefront, max_points) = match self.algorithm {
            AlignAlgorithm::Auto if small => (false, 0),
            // With more points than this, a table is cheaper.
            AlignAlgorithm::Auto => (min_points(first, second) <= table_points, table_points),
            algorithm => (algorithm == AlignAlgorithm::Wavefront, self.left.min(self.limits.bytes as u64 / 4)),
        };
        if wavefront {
            if append_by_wavefront(first, second, max_points as usize, &mut self.steps) {
                return true;
            }
            self.left -= max_points;
        }
        if cells.saturating_mul(2) > self.left {
            return false;
        }
        self.left -= cells * 2;
        if self.algorithm != AlignAlgorithm::Divide && cells <= self.limits.bytes as u64 {
            append_by_matrix(first, second, &mut self.steps);
        } else {
            append_divided(first, second, self.limits.bytes, &mut self.steps);
        }
        true
    }

    /// Appends an alignment through the tokens that occur once in each sequence.
    fn append_anchored(&mut self, first: &[u32], second: &[u32]) {
        let (mut row, mut column) = (0, 0);
        for (next_row, next_column) in anchors(first, second) {
            self.append(&first[row..next_row], &second[column..next_column], false);
            self.steps.push(Step::Match);
            (row, column) = (next_row + 1, next_column + 1);
        }
        self.append(&first[row..], &second[column..], false);
    }

    /// Appends an alignment without searching for matches: position by position, then gaps. Tokens that happen to be
    /// equal still count as matches.
    fn append_unmatched(&mut self, first: &[u32], second: &[u32]) {
        let pairs = first.iter().zip(second);
        self.steps.extend(pairs.map(|(one, two)| if one == two { Step::Match } else { Step::Mismatch }));
        let both = first.len().min(second.len());
        self.steps.extend(std::iter::repeat_n(Step::First, first.len() - both));
        self.steps.extend(std::iter::repeat_n(Step::Second, second.len() - both));
    }
}
