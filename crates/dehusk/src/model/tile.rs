//! Scores 64 rows at a time: rows are stored by column, and nodes are operations on sets of rows.
//!
//! A set of rows is a word with a bit for each row. The code here does not depend on models: it compares columns with bin edges,
//! routes sets of rows down a tree and adds the values of leaves. `trees.rs` combines the steps. No branch depends on the rows.

use fearless_simd::{Simd, f32x16, prelude::*};

/// The number of rows that are scored together: the bits of a word.
pub(crate) const LANES: usize = 64;

/// Up to 64 rows, stored by column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tile {
    pub(super) columns: Vec<Column>,
    pub(super) rows: usize,
}

/// The values of a feature. Filling a row writes to all columns: if they were 256 bytes apart, they would compete for a quarter of
/// the L1 cache. With a cache line of padding, filling takes 2.4 % of an extraction instead of 3.4 %.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) values: [f32; LANES],
    _padding: [f32; 16],
}

impl Column {
    const fn new(value: f32) -> Column {
        Column { values: [value; LANES], _padding: [0.0; 16] }
    }
}

impl Tile {
    /// Resizes the tile to the given number of rows and features. The values are unspecified until they are filled.
    pub(crate) fn clear(&mut self, features: usize, rows: usize) {
        self.columns.resize(features, Column::new(0.0));
        self.rows = rows.min(LANES);
    }

    /// Fills the tile again and again until it had all rows of a table, and calls `each` for every filling.
    pub(crate) fn fill(
        &mut self,
        features: usize,
        rows: usize,
        mut each: impl FnMut(&Tile),
        mut describe: impl FnMut(usize, TileRow<'_>),
    ) {
        for start in (0..rows).step_by(LANES) {
            self.clear(features, rows - start);
            for row in 0..self.rows {
                describe(start + row, TileRow { rest: self.columns.iter_mut(), row });
            }
            each(self);
        }
    }
}

/// A row of a tile that is being filled.
pub(crate) struct TileRow<'a> {
    rest: std::slice::IterMut<'a, Column>,
    row: usize,
}

impl<'a> TileRow<'a> {
    /// Sets the next value of the row. Values beyond the last column are ignored.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: f32) {
        if let Some(column) = self.rest.next() {
            column.values[self.row % LANES] = value;
        }
    }

    /// The remaining columns, to be filled for all rows at once.
    pub(crate) fn for_all(self) -> TileRows<'a> {
        TileRows { rest: self.rest }
    }
}

/// All rows of a tile, being filled with the same values.
pub(crate) struct TileRows<'a> {
    rest: std::slice::IterMut<'a, Column>,
}

impl TileRows<'_> {
    /// Sets the next value of all rows. Values beyond the last column are ignored.
    pub(crate) fn push(&mut self, value: f32) {
        if let Some(column) = self.rest.next() {
            *column = Column::new(value);
        }
    }
}

/// The nodes of all trees, with splits and leaves apart. Boosted trees are small: their nodes have fixed slots, which need no bounds
/// check, and their leaves are contiguous. That makes scoring a fifth quicker. Trees of forests may have any size.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Plan {
    trees: Vec<PlannedTree>,
    steps: Vec<Step>,
    /// The values of the leaves of small trees.
    values: Vec<[f32; SMALL]>,
    large_steps: Vec<LargeStep>,
    large_leaves: Vec<LargeLeaf>,
    /// The number of nodes of the largest tree.
    largest: usize,
}

/// The maximum number of leaves of a small tree, and of its splits.
const SMALL: usize = 32;
/// The rows that reach each node of a small tree, with a slot for every value of a byte. Splits come first, leaves start at [`SMALL`].
type Reached = [u64; 256];

/// A tree by the number of entries it has in the lists of the plan.
#[derive(Clone, Copy, PartialEq, Debug)]
enum PlannedTree {
    Small { steps: u8, leaves: u8 },
    Large { steps: u32, leaves: u32 },
}

/// A node of a tree: the question of a split and its left child, which the right one follows, or the value of a leaf.
pub(super) enum PlanNode {
    Split { question: u32, left: u16 },
    Leaf(f32),
}

/// A split of a small tree. Rows below the bin edge go to the left child, others to the right one.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Step {
    at: u8,
    left: u8,
    right: u8,
    /// The index of the bin edge among those of all features.
    question: u32,
}

/// Like [`Step`], for a tree of any size, by the indexes of its nodes.
#[derive(Clone, Copy, PartialEq, Debug)]
struct LargeStep {
    at: u16,
    left: u16,
    question: u32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct LargeLeaf {
    at: u32,
    value: f32,
}

/// A reusable buffer for the rows that reach the nodes of large trees.
pub(super) type ReachedLarge = Vec<u64>;

impl Plan {
    /// Adds a tree. Children must come after their parent.
    pub(super) fn push(&mut self, nodes: &[PlanNode]) {
        let leaves = nodes.iter().filter(|node| matches!(node, PlanNode::Leaf(_))).count();
        if leaves > SMALL || nodes.len() - leaves > SMALL {
            return self.push_large(nodes);
        }
        let (mut split, mut leaf) = (0u8, SMALL as u8);
        let slots: Vec<u8> = nodes
            .iter()
            .map(|node| {
                let next = if matches!(node, PlanNode::Leaf(_)) { &mut leaf } else { &mut split };
                *next += 1;
                *next - 1
            })
            .collect();
        let mut values = [0.0; SMALL];
        for (node, at) in nodes.iter().zip(&slots) {
            match *node {
                PlanNode::Leaf(value) => values[*at as usize - SMALL] = value,
                PlanNode::Split { question, left } => {
                    let (left, right) = (slots[left as usize], slots[left as usize + 1]);
                    self.steps.push(Step { at: *at, left, right, question });
                }
            }
        }
        self.values.push(values);
        self.trees.push(PlannedTree::Small { steps: split, leaves: leaf - SMALL as u8 });
    }

    fn push_large(&mut self, nodes: &[PlanNode]) {
        self.largest = self.largest.max(nodes.len());
        let before = (self.large_steps.len(), self.large_leaves.len());
        for (at, node) in nodes.iter().enumerate() {
            match *node {
                PlanNode::Leaf(value) => self.large_leaves.push(LargeLeaf { at: at as u32, value }),
                PlanNode::Split { question, left } => {
                    self.large_steps.push(LargeStep { at: at as u16, left, question })
                }
            }
        }
        let (steps, leaves) = (self.large_steps.len() - before.0, self.large_leaves.len() - before.1);
        self.trees.push(PlannedTree::Large { steps: steps as u32, leaves: leaves as u32 });
    }

    /// Adds the values of the trees to the sums of the rows. Tree `t` adds to `sums[t % sums.len()]`, and the sum of a row is at
    /// [`sum_index`].
    #[inline(always)]
    pub(super) fn add(
        &self,
        rows: usize,
        answers: &[u64],
        reached_large: &mut ReachedLarge,
        sums: &mut [[f32; LANES]],
    ) {
        let all = u64::MAX >> (LANES - rows);
        let outputs = sums.len().max(1);
        let mut reached = [0; 256];
        reached_large.clear();
        reached_large.resize(self.largest, 0);
        let (mut steps, mut values) = (&self.steps[..], self.values.iter());
        let (mut large_steps, mut large_leaves) = (&self.large_steps[..], &self.large_leaves[..]);
        for (number, tree) in self.trees.iter().enumerate() {
            let Some(sums) = sums.get_mut(number % outputs) else { return };
            match *tree {
                PlannedTree::Small { steps: count, leaves } => {
                    let (own, rest) = steps.split_at(count as usize);
                    steps = rest;
                    route_rows(own, all, answers, &mut reached);
                    if let Some(values) = values.next() {
                        // Pages are often short.
                        match rows {
                            0..=16 => add_leaves::<2>(values, leaves as usize, &mut reached, sums),
                            17..=32 => add_leaves::<4>(values, leaves as usize, &mut reached, sums),
                            _ => add_leaves::<8>(values, leaves as usize, &mut reached, sums),
                        }
                    }
                }
                PlannedTree::Large { steps: count, leaves } => {
                    let (own, rest) = large_steps.split_at(count as usize);
                    let (own_leaves, rest_leaves) = large_leaves.split_at(leaves as usize);
                    (large_steps, large_leaves) = (rest, rest_leaves);
                    route_rows_large(own, all, answers, reached_large);
                    add_large_leaves(own_leaves, reached_large, sums);
                }
            }
        }
    }
}

/// The number of values that are compared at once.
const PART: usize = 16;

/// The rows whose value is at or above a bin edge. Bits beyond the last row are unspecified.
#[inline(always)]
fn rows_at_or_above<S: Simd>(simd: S, column: &[f32; LANES], rows: usize, edge: f32) -> u64 {
    let edge = f32x16::splat(simd, edge);
    let mut above = 0;
    for (at, part) in column.as_chunks::<PART>().0.iter().enumerate() {
        if PART * at < rows {
            above |= edge.simd_le(f32x16::from_slice(simd, part)).to_bitmask() << (PART * at);
        }
    }
    above
}

/// The lowest and highest of the first `rows` values of a column.
#[inline(always)]
fn range<S: Simd>(simd: S, column: &[f32; LANES], rows: usize) -> (f32, f32) {
    let mut start = 0;
    let (mut lowest, mut highest) = (f32x16::splat(simd, column[0]), f32x16::splat(simd, column[0]));
    while start + PART <= rows {
        let part = f32x16::from_slice(simd, &column[start..start + PART]);
        (lowest, highest) = (lowest.min(part), highest.max(part));
        start += PART;
    }
    let (mut lowest, mut highest) = (lowest.reduce_min(), highest.reduce_max());
    for value in &column[start..rows] {
        (lowest, highest) = (lowest.min(*value), highest.max(*value));
    }
    (lowest, highest)
}

/// Writes for each bin edge of a column the rows whose value is at or above it. Edges are in ascending order, and those outside of the
/// column's range need no comparison: most of them, because blocks near each other are alike and features of the page are the same
/// in all rows.
///
/// Loops instead of iterator adapters, which would not be compiled for wide vectors.
#[inline(always)]
pub(super) fn ask<S: Simd>(simd: S, column: &[f32; LANES], rows: usize, edges: &[f32], answers: &mut [u64]) {
    let (mut lowest, highest) = range(simd, column, rows);
    let all = u64::MAX >> (LANES - rows);
    // A value that is not a number is below every edge.
    if rows_at_or_above(simd, column, rows, lowest) & all != all {
        lowest = f32::NEG_INFINITY;
    }
    for (edge, answer) in edges.iter().zip(answers) {
        *answer = if *edge <= lowest {
            u64::MAX
        } else if *edge > highest {
            0
        } else {
            rows_at_or_above(simd, column, rows, *edge)
        };
    }
}

/// Routes rows from the root of a tree to its leaves.
#[inline(always)]
fn route_rows(steps: &[Step], all: u64, answers: &[u64], reached: &mut Reached) {
    reached[if steps.is_empty() { SMALL } else { 0 }] = all;
    for step in steps {
        let (rows, yes) = (reached[step.at as usize], answers[step.question as usize]);
        reached[step.left as usize] = rows & !yes;
        reached[step.right as usize] = rows & yes;
    }
}

/// Adds the values of leaves to the sums of the rows that reached them. The index of each row's leaf is assembled from five bits,
/// without branches for the processor to predict.
///
/// `EIGHTS` is how many times eight rows there are at most. It is never inlined into code compiled for wide vectors, where compilers use gathers that take half as long again.
#[inline(never)]
fn add_leaves<const EIGHTS: usize>(
    values: &[f32; SMALL],
    leaves: usize,
    reached: &mut Reached,
    sums: &mut [f32; LANES],
) {
    let Some(rows) = reached[SMALL..].first_chunk_mut::<SMALL>() else { return };
    // For each bit, the rows whose leaf has an index with that bit.
    let mut bits = [0u64; 5];
    let mut held = [0u64; SMALL / 2];
    if leaves > SMALL / 2 {
        rows[leaves..].fill(0);
        for at in 0..SMALL / 2 {
            held[at] = rows[at] | rows[at + SMALL / 2];
            bits[4] |= rows[at + SMALL / 2];
        }
    } else {
        rows[leaves..SMALL / 2].fill(0);
        held.copy_from_slice(&rows[..SMALL / 2]);
    }
    for bit in (0..4).rev() {
        for at in 0..1 << bit {
            bits[bit] |= held[at + (1 << bit)];
            held[at] |= held[at + (1 << bit)];
        }
    }
    // Each byte of a word collects the bits of one row; a word covers every eighth row.
    let mut turned = bits;
    for (bit, turned) in turned.iter_mut().enumerate() {
        *turned = turned.rotate_left(bit as u32);
    }
    for sums in sums.as_chunks_mut::<8>().0 {
        let mut numbers = 0;
        for (bit, turned) in turned.iter_mut().enumerate() {
            numbers |= *turned & 0x0101_0101_0101_0101 << bit;
            *turned = turned.rotate_right(1);
        }
        for (at, sum) in sums.iter_mut().enumerate().take(EIGHTS) {
            *sum += values[(numbers >> (8 * at)) as usize % SMALL];
        }
    }
}

/// The index of a row's sum, which follows the order in which [`add_leaves`] visits the rows.
pub(super) fn sum_index(row: usize) -> usize {
    row % 8 * 8 + row / 8 % 8
}

/// Like [`route_rows`], for a tree of any size.
fn route_rows_large(steps: &[LargeStep], all: u64, answers: &[u64], reached: &mut [u64]) {
    reached[0] = all;
    for step in steps {
        let (rows, yes) = (reached[step.at as usize], answers[step.question as usize]);
        let children = &mut reached[step.left as usize..][..2];
        children[0] = rows & !yes;
        children[1] = rows & yes;
    }
}

/// Like [`add_leaves`], for any number of leaves.
fn add_large_leaves(leaves: &[LargeLeaf], reached: &[u64], sums: &mut [f32; LANES]) {
    for leaf in leaves {
        let mut rows = reached[leaf.at as usize];
        while rows != 0 {
            sums[sum_index(rows.trailing_zeros() as usize)] += leaf.value;
            rows &= rows - 1;
        }
    }
}
