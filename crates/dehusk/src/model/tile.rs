//! Trees laid out for scoring 64 rows at a time: the rows as columns, the nodes as operations on sets of rows.
//!
//! A set of rows is a word with a bit for each. What is here knows nothing of models: it asks questions of columns, hands sets down
//! a tree and adds the values of leaves. `trees.rs` puts it together. No branch depends on what is in the rows.

/// Rows that are scored together: the bits of a word.
pub(crate) const LANES: usize = 64;

/// Up to 64 rows, column by column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tile {
    pub(super) columns: Vec<[f32; LANES]>,
    pub(super) rows: usize,
}

impl Tile {
    /// Makes room for so many rows of so many numbers. What they are is not said yet.
    pub(crate) fn clear(&mut self, features: usize, rows: usize) {
        self.columns.resize(features, [0.0; LANES]);
        self.rows = rows.min(LANES);
    }

    /// A row, to be filled from its first number on.
    pub(crate) fn row(&mut self, row: usize) -> TileRow<'_> {
        TileRow { rest: &mut self.columns, row: row % LANES }
    }
}

/// A row of a tile while it is filled.
pub(crate) struct TileRow<'a> {
    rest: &'a mut [[f32; LANES]],
    row: usize,
}

impl TileRow<'_> {
    /// Sets the next number of the row; one too many is lost.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: f32) {
        if let Some((column, rest)) = std::mem::take(&mut self.rest).split_first_mut() {
            column[self.row] = value;
            self.rest = rest;
        }
    }
}

/// The nodes of all trees with those that ask apart from the leaves.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) leaves: Vec<Leaf>,
    /// Where the steps and leaves of each tree end.
    pub(super) ends: Vec<(u32, u32)>,
    /// The nodes of the largest tree.
    pub(super) largest: usize,
}

/// A node that asks. Its rows that answer no go to the left child, the others to the one behind it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Step {
    pub(super) at: u16,
    pub(super) left: u16,
    /// The number of the cut among those of all features.
    pub(super) question: u32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Leaf {
    pub(super) at: u32,
    pub(super) value: f32,
}

/// The bit that stands for a row: rows that follow each other are 16 bits apart, which is how [`not_below`] finds them.
pub(super) fn bit_of(row: usize) -> usize {
    row % 4 * 16 + row / 4
}

/// The bit of each row in its lane. Written out, as shifts would be done one by one.
const BITS: [u32; LANES] = {
    let (mut bits, mut row) = ([0; LANES], 0);
    while row < LANES {
        bits[row] = 1 << (row / 4);
        row += 1;
    }
    bits
};

/// The rows whose value is not below a cut. In four lanes, by halving: of these plain loops compilers make about 90 instructions
/// without a branch, of shorter forms three times as many.
#[inline(never)]
#[allow(clippy::needless_range_loop, reason = "iterators make slower code of it")]
pub(super) fn not_below(column: &[f32; LANES], cut: f32) -> u64 {
    let bit = |row: usize| if cut <= column[row] { BITS[row] } else { 0 };
    let (mut half, mut quarter, mut eighth, mut lanes) = ([0u32; 32], [0u32; 16], [0u32; 8], [0u32; 4]);
    for at in 0..32 {
        half[at] = bit(at) | bit(at + 32);
    }
    for at in 0..16 {
        quarter[at] = half[at] | half[at + 16];
    }
    for at in 0..8 {
        eighth[at] = quarter[at] | quarter[at + 8];
    }
    for at in 0..4 {
        lanes[at] = eighth[at] | eighth[at + 4];
    }
    let [first, second, third, fourth] = lanes.map(u64::from);
    first | second << 16 | third << 32 | fourth << 48
}

/// Hands rows from the root of a tree down to its leaves.
#[inline(always)]
pub(super) fn hand_down(steps: &[Step], all: u64, answers: &[u64], reached: &mut [u64]) {
    reached[0] = all;
    for step in steps {
        let (rows, yes) = (reached[step.at as usize], answers[step.question as usize]);
        let children = &mut reached[step.left as usize..][..2];
        children[0] = rows & !yes;
        children[1] = rows & yes;
    }
}

/// Adds the values of leaves to the sums of the rows that reached them. For each row the number of its leaf is put together
/// from five bits, so that there is nothing to guess for the processor.
#[inline(always)]
pub(super) fn add_leaves(leaves: &[Leaf], reached: &[u64], sums: &mut [f32; LANES]) {
    if leaves.len() > 32 {
        return add_many_leaves(leaves, reached, sums);
    }
    let (mut rows, mut values) = ([0u64; 32], [0f32; 32]);
    for ((leaf, rows), value) in leaves.iter().zip(&mut rows).zip(&mut values) {
        *rows = reached[leaf.at as usize];
        *value = leaf.value;
    }
    // The rows whose leaf has a number with this bit.
    let mut bits = [0u64; 5];
    for (bit, having) in bits.iter_mut().enumerate() {
        for at in 0..16 >> bit {
            *having |= rows[2 * at + 1];
            rows[at] = rows[2 * at] | rows[2 * at + 1];
        }
    }
    for (eight, sums) in sums.chunks_exact_mut(8).enumerate() {
        let spread = |bit: usize| SPREAD[(bits[bit] >> (8 * eight)) as usize % 256] << bit;
        let numbers = spread(0) | spread(1) | spread(2) | spread(3) | spread(4);
        for (sum, number) in sums.iter_mut().zip(numbers.to_le_bytes()) {
            *sum += values[number as usize % 32];
        }
    }
}

/// The bits of each byte, spread over eight bytes.
static SPREAD: [u64; 256] = {
    let (mut spread, mut byte) = ([0; 256], 0);
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte] |= (byte as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    spread
};

/// As [`add_leaves`], for any number of leaves.
fn add_many_leaves(leaves: &[Leaf], reached: &[u64], sums: &mut [f32; LANES]) {
    for leaf in leaves {
        let mut rows = reached[leaf.at as usize];
        while rows != 0 {
            sums[rows.trailing_zeros() as usize % LANES] += leaf.value;
            rows &= rows - 1;
        }
    }
}
