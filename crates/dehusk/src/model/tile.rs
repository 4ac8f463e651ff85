//! Trees laid out for scoring 64 rows at a time: the rows as columns, the nodes as operations on sets of rows.
//!
//! A set of rows is a word with a bit for each. What is here knows nothing of models: it asks questions of columns, hands sets down
//! a tree and adds the values of leaves. `trees.rs` puts it together. No branch depends on what is in the rows.

use fearless_simd::{Simd, f32x16, prelude::*};

/// Rows that are scored together: the bits of a word.
pub(crate) const LANES: usize = 64;

/// Up to 64 rows, column by column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tile {
    pub(super) columns: Vec<Column>,
    pub(super) rows: usize,
}

/// The values of a feature. Each row is filled through all columns: if those were 256 bytes apart, they would share a quarter of the
/// processor's nearest memory. With a line between them, filling takes 2.4 % of an extraction instead of 3.4 %.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) values: [f32; LANES],
    _apart: [f32; 16],
}

impl Column {
    const fn new(value: f32) -> Column {
        Column { values: [value; LANES], _apart: [0.0; 16] }
    }
}

impl Tile {
    /// Makes room for so many rows of so many numbers. What they are is not said yet.
    pub(crate) fn clear(&mut self, features: usize, rows: usize) {
        self.columns.resize(features, Column::new(0.0));
        self.rows = rows.min(LANES);
    }

    /// A row, to be filled from its first number on.
    pub(crate) fn row(&mut self, row: usize) -> TileRow<'_> {
        TileRow { rest: &mut self.columns, row: row % LANES }
    }
}

/// A row of a tile while it is filled.
pub(crate) struct TileRow<'a> {
    rest: &'a mut [Column],
    row: usize,
}

impl<'a> TileRow<'a> {
    /// Sets the next number of the row; one too many is lost.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: f32) {
        if let Some((column, rest)) = std::mem::take(&mut self.rest).split_first_mut() {
            column.values[self.row] = value;
            self.rest = rest;
        }
    }

    /// What is left of the row, to be filled for all rows at once.
    pub(crate) fn for_all(self) -> TileRows<'a> {
        TileRows { rest: self.rest }
    }
}

/// All rows of a tile while they are filled with the same numbers.
pub(crate) struct TileRows<'a> {
    rest: &'a mut [Column],
}

impl TileRows<'_> {
    /// Sets the next number of all rows; one too many is lost.
    pub(crate) fn push(&mut self, value: f32) {
        if let Some((column, rest)) = std::mem::take(&mut self.rest).split_first_mut() {
            *column = Column::new(value);
            self.rest = rest;
        }
    }
}

/// The nodes of all trees with those that ask apart from the leaves. Boosted trees are small: their nodes have fixed places, which need no
/// check, and their leaves stand beside each other. Scoring them so takes a fifth less. Trees of forests may have any size.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Plan {
    trees: Vec<Planned>,
    steps: Vec<Step>,
    /// The values of the leaves of small trees.
    values: Vec<[f32; SMALL]>,
    large_steps: Vec<LargeStep>,
    large_leaves: Vec<LargeLeaf>,
    /// The nodes of the largest tree.
    largest: usize,
}

/// How many leaves a small tree has at most, and how many nodes that ask.
const SMALL: usize = 32;
/// Places for the rows that reach each node of a small tree: as many as a byte can name. First nodes that ask, from [`SMALL`] on leaves.
type Reached = [u64; 256];

/// A tree by what it adds to the lists of the plan.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Planned {
    Small { steps: u8, leaves: u8 },
    Large { steps: u32, leaves: u32 },
}

/// A node as a tree has it: what it asks and the left of its children, which stand beside each other, or the value of a leaf.
pub(super) enum Place {
    Asks { question: u32, left: u16 },
    Leaf(f32),
}

/// A node that asks. Its rows that answer no go to the left child, the others to the right one.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Step {
    at: u8,
    left: u8,
    right: u8,
    /// The number of the cut among those of all features.
    question: u32,
}

/// As [`Step`], of a tree of any size, by the numbers of its nodes.
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

/// Memory for the rows that reach the nodes of large trees.
pub(super) type ReachedLarge = Vec<u64>;

impl Plan {
    /// Adds a tree. Children stand behind their parent.
    pub(super) fn push(&mut self, nodes: &[Place]) {
        let leaves = nodes.iter().filter(|node| matches!(node, Place::Leaf(_))).count();
        if leaves > SMALL || nodes.len() - leaves > SMALL {
            return self.push_large(nodes);
        }
        let (mut asking, mut leaf) = (0u8, SMALL as u8);
        let places: Vec<u8> = nodes
            .iter()
            .map(|node| {
                let next = if matches!(node, Place::Leaf(_)) { &mut leaf } else { &mut asking };
                *next += 1;
                *next - 1
            })
            .collect();
        let mut values = [0.0; SMALL];
        for (node, at) in nodes.iter().zip(&places) {
            match *node {
                Place::Leaf(value) => values[*at as usize - SMALL] = value,
                Place::Asks { question, left } => {
                    let (left, right) = (places[left as usize], places[left as usize + 1]);
                    self.steps.push(Step { at: *at, left, right, question });
                }
            }
        }
        self.values.push(values);
        self.trees.push(Planned::Small { steps: asking, leaves: leaf - SMALL as u8 });
    }

    fn push_large(&mut self, nodes: &[Place]) {
        self.largest = self.largest.max(nodes.len());
        let before = (self.large_steps.len(), self.large_leaves.len());
        for (at, node) in nodes.iter().enumerate() {
            match *node {
                Place::Leaf(value) => self.large_leaves.push(LargeLeaf { at: at as u32, value }),
                Place::Asks { question, left } => self.large_steps.push(LargeStep { at: at as u16, left, question }),
            }
        }
        let (steps, leaves) = (self.large_steps.len() - before.0, self.large_leaves.len() - before.1);
        self.trees.push(Planned::Large { steps: steps as u32, leaves: leaves as u32 });
    }

    /// Adds what the trees say of rows to their sums, of which each has the place [`place_of`] names; tree `t` adds to `sums[t % sums.len()]`.
    #[inline(always)]
    pub(super) fn add(
        &self,
        rows: usize,
        answers: &[u64],
        reached_large: &mut ReachedLarge,
        sums: &mut [[f32; LANES]],
    ) {
        let all = u64::MAX >> (LANES - rows.clamp(1, LANES));
        let outputs = sums.len().max(1);
        let mut reached = [0; 256];
        reached_large.clear();
        reached_large.resize(self.largest, 0);
        let (mut steps, mut values) = (&self.steps[..], self.values.iter());
        let (mut large_steps, mut large_leaves) = (&self.large_steps[..], &self.large_leaves[..]);
        for (number, tree) in self.trees.iter().enumerate() {
            let Some(sums) = sums.get_mut(number % outputs) else { return };
            match *tree {
                Planned::Small { steps: count, leaves } => {
                    let (own, rest) = steps.split_at(count as usize);
                    steps = rest;
                    hand_down(own, all, answers, &mut reached);
                    if let Some(values) = values.next() {
                        add_leaves(values, leaves as usize, &mut reached, sums);
                    }
                }
                Planned::Large { steps: count, leaves } => {
                    let (own, rest) = large_steps.split_at(count as usize);
                    let (own_leaves, rest_leaves) = large_leaves.split_at(leaves as usize);
                    (large_steps, large_leaves) = (rest, rest_leaves);
                    hand_down_large(own, all, answers, reached_large);
                    add_large_leaves(own_leaves, reached_large, sums);
                }
            }
        }
    }
}

/// The rows whose value is not below a cut.
#[inline(always)]
fn not_below<S: Simd>(simd: S, column: &[f32; LANES], cut: f32) -> u64 {
    let cut = f32x16::splat(simd, cut);
    let parts = column.as_chunks::<16>().0.iter().enumerate();
    parts.fold(0, |rows, (at, part)| rows | cut.simd_le(f32x16::from_slice(simd, part)).to_bitmask() << (16 * at))
}

/// Whether the first `rows` values of a column are one and the same.
#[inline(always)]
pub(super) fn is_constant(column: &[f32; LANES], rows: usize) -> bool {
    let first = column[0].to_bits();
    let differs = |odd: u32, value: &f32| odd | (value.to_bits() ^ first);
    // Most tiles are full, and a loop whose length is known is quicker.
    let odd = if rows == LANES { column.iter().fold(0, differs) } else { column[..rows].iter().fold(0, differs) };
    odd == 0
}

/// Appends the answers of all rows to cuts.
#[inline(always)]
pub(super) fn ask<S: Simd>(simd: S, column: &[f32; LANES], cuts: &[f32], answers: &mut Vec<u64>) {
    answers.extend(cuts.iter().map(|cut| not_below(simd, column, *cut)));
}

/// Hands rows from the root of a tree down to its leaves.
#[inline(always)]
fn hand_down(steps: &[Step], all: u64, answers: &[u64], reached: &mut Reached) {
    reached[if steps.is_empty() { SMALL } else { 0 }] = all;
    for step in steps {
        let (rows, yes) = (reached[step.at as usize], answers[step.question as usize]);
        reached[step.left as usize] = rows & !yes;
        reached[step.right as usize] = rows & yes;
    }
}

/// Adds the values of leaves to the sums of the rows that reached them. For each row the number of its leaf is put together
/// from five bits, so that there is nothing to guess for the processor.
///
/// Not part of what is compiled for wide vectors: the gathers that compilers make of it there take half as long again.
#[inline(never)]
fn add_leaves(values: &[f32; SMALL], leaves: usize, reached: &mut Reached, sums: &mut [f32; LANES]) {
    let Some(rows) = reached[SMALL..].first_chunk_mut::<SMALL>() else { return };
    // The rows whose leaf has a number with this bit.
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
    // The bits of every eighth row at a time are the bytes of a word.
    let mut turned = bits;
    for (bit, turned) in turned.iter_mut().enumerate() {
        *turned = turned.rotate_left(bit as u32);
    }
    for sums in sums.chunks_exact_mut(8) {
        let mut numbers = 0;
        for (bit, turned) in turned.iter_mut().enumerate() {
            numbers |= *turned & 0x0101_0101_0101_0101 << bit;
            *turned = turned.rotate_right(1);
        }
        for (sum, number) in sums.iter_mut().zip(numbers.to_le_bytes()) {
            *sum += values[number as usize % SMALL];
        }
    }
}

/// Where the sum of a row is: [`add_leaves`] comes to them in this order.
pub(super) fn place_of(row: usize) -> usize {
    row % 8 * 8 + row / 8 % 8
}

/// As [`hand_down`], for a tree of any size.
fn hand_down_large(steps: &[LargeStep], all: u64, answers: &[u64], reached: &mut [u64]) {
    reached[0] = all;
    for step in steps {
        let (rows, yes) = (reached[step.at as usize], answers[step.question as usize]);
        let children = &mut reached[step.left as usize..][..2];
        children[0] = rows & !yes;
        children[1] = rows & yes;
    }
}

/// As [`add_leaves`], for any number of leaves.
fn add_large_leaves(leaves: &[LargeLeaf], reached: &[u64], sums: &mut [f32; LANES]) {
    for leaf in leaves {
        let mut rows = reached[leaf.at as usize];
        while rows != 0 {
            sums[place_of(rows.trailing_zeros() as usize)] += leaf.value;
            rows &= rows - 1;
        }
    }
}
