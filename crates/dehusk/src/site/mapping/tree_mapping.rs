//! RTDM-TD: the cheapest restricted top-down mapping between two trees.
//!
//! Input: two trees. Output: the nodes that remain unchanged and the cost of everything else. A node is mapped only
//! if its parent is, and nothing below a replaced node is mapped. Deleting or inserting a subtree costs its number of
//! nodes. Replacing a node by one with another label costs 1, and the descendants of both are deleted and inserted,
//! so replacing a subtree of `a` nodes by one of `b` nodes costs `a + b - 1`. Vieira et al. 2006, §4.
//!
//! Equal subtrees cost nothing and are not entered; nodes with different labels are not entered either. Equal
//! subtrees at both ends of two lists of children are removed first. This loses nothing: `size(b) ≤ size(a) +
//! distance(a, b)`, so an equal pair can always be moved to the end of a list without raising the cost.

use super::child_alignment::{ChildLists, align_children};
use super::page_tree::PageTree;
use std::ops::Range;

/// Maximum number of cells of all matrices together; beyond it, lists are aligned by [`align_children`] instead of a
/// matrix. Two pages of 2,000 nodes that share a template need some ten thousand.
pub const MAX_CELLS: u64 = 1 << 20;
/// One list may use at most this fraction (1/4) of the remaining cells, so that long lists leave some for the lists
/// below them.
const CELL_DIVISOR: u64 = 4;

/// The result of mapping two pages to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeMapping {
    /// The cost of the mapping in nodes deleted, inserted and replaced.
    pub distance: u64,
    /// Whether no mapping is cheaper. False if lists of children were too long for an exact alignment.
    pub is_exact: bool,
}

/// Computes the restricted top-down distance of two pages: 0 if and only if they are equal.
///
/// For pages that would take too much work it is the cost of a good mapping that may not be the best; [`map_trees`]
/// reports this.
pub fn mapping_distance(one: &PageTree, two: &PageTree) -> u64 {
    map_trees(one, two).distance
}

/// Computes the similarity of two pages: 1 if they are equal, 0 if they share nothing.
pub fn mapping_similarity(one: &PageTree, two: &PageTree) -> f64 {
    // Roots can always be replaced, so the distance is less than the sum of the sizes. Two empty trees are equal.
    let max_distance = (one.len() + two.len()).saturating_sub(1).max(1) as f64;
    (1.0 - mapping_distance(one, two) as f64 / max_distance).max(0.0)
}

/// Maps two pages to each other.
pub fn map_trees(one: &PageTree, two: &PageTree) -> TreeMapping {
    let mapper = Mapper::run(one, two, MAX_CELLS);
    TreeMapping { distance: mapper.distance(), is_exact: mapper.is_exact }
}

/// Computes the common tree of two pages: equal subtrees as a whole, and nodes with equal labels with their unchanged
/// descendants.
pub fn common_tree(one: &PageTree, two: &PageTree, cells: u64) -> PageTree {
    if !one.is_empty() && !two.is_empty() && one.is_same(0, two, 0) {
        return one.clone();
    }
    let mut keep = vec![false; one.len()];
    Mapper::run(one, two, cells).mark_unchanged(&mut keep);
    one.pruned(&keep)
}

/// How the children of two mapped nodes are aligned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChildAlignment {
    /// By a matrix.
    Exact,
    /// By [`align_children`].
    Quick,
    /// Not aligned, because the work limit was reached.
    Skipped,
}

/// Two nodes with equal labels whose subtrees differ.
#[derive(Clone, Copy, Debug)]
struct NodePair {
    one: u32,
    two: u32,
    alignment: ChildAlignment,
    /// The first pair of their children; the others follow in the order in which the alignment reaches them.
    first: u32,
    cost: u64,
}

const NO_PAIR: u32 = u32::MAX;

/// The children of two nodes, without the equal ones at both ends.
#[derive(Default)]
struct Children {
    one: Vec<u32>,
    two: Vec<u32>,
    left: Range<usize>,
    right: Range<usize>,
}

impl Children {
    fn list(&mut self, one: &PageTree, at: u32, two: &PageTree, there: u32) {
        one.list_children(at, &mut self.one);
        two.list_children(there, &mut self.two);
        let (mut left, mut right) = (0..self.one.len(), 0..self.two.len());
        while !left.is_empty() && !right.is_empty() && one.is_same(self.one[left.start], two, self.two[right.start]) {
            (left.start, right.start) = (left.start + 1, right.start + 1);
        }
        while !left.is_empty() && !right.is_empty() && one.is_same(self.one[left.end - 1], two, self.two[right.end - 1])
        {
            (left.end, right.end) = (left.end - 1, right.end - 1);
        }
        (self.left, self.right) = (left, right);
    }

    fn left(&self) -> &[u32] {
        &self.one[self.left.clone()]
    }

    fn right(&self) -> &[u32] {
        &self.two[self.right.clone()]
    }

    fn quick_pairs(&self, one: &PageTree, two: &PageTree) -> Vec<(u32, u32)> {
        let (first, second) = (self.left(), self.right());
        align_children(ChildLists { one, first, two, second })
            .into_iter()
            .map(|(at, there)| (first[at], second[there]))
            .collect()
    }
}

struct Mapper<'a> {
    one: &'a PageTree,
    two: &'a PageTree,
    pairs: Vec<NodePair>,
    is_exact: bool,
    /// Costs of one alignment, row by row, with an extra row and column for the empty prefix.
    matrix: Vec<u64>,
    /// The pair of each cell, if any.
    inner: Vec<u32>,
}

impl<'a> Mapper<'a> {
    /// Computes the costs of all pairs of nodes that may be mapped. The pairs are listed from the roots down, then
    /// priced from last to first, so that children are finished before their parents.
    fn run(one: &'a PageTree, two: &'a PageTree, cells: u64) -> Mapper<'a> {
        let mut mapper = Mapper { one, two, pairs: Vec::new(), is_exact: true, matrix: Vec::new(), inner: Vec::new() };
        if one.is_empty() || two.is_empty() || one.label_of(0) != two.label_of(0) || one.is_same(0, two, 0) {
            return mapper;
        }
        mapper.push(0, 0);
        let mut children = Children::default();
        let (mut exact_left, mut quick_left) = (cells, cells);
        let mut at = 0;
        while at < mapper.pairs.len() {
            mapper.expand(at, &mut children, &mut exact_left, &mut quick_left);
            at += 1;
        }
        for at in (0..mapper.pairs.len()).rev() {
            let pair = mapper.pairs[at];
            children.list(one, pair.one, two, pair.two);
            mapper.pairs[at].cost = mapper.price(pair, &children);
        }
        mapper
    }

    fn distance(&self) -> u64 {
        let (one, two) = (self.one, self.two);
        match self.pairs.first() {
            Some(pair) => pair.cost,
            None if one.is_empty() || two.is_empty() => (one.len() + two.len()) as u64,
            None if one.is_same(0, two, 0) => 0,
            None => (one.len() + two.len() - 1) as u64,
        }
    }

    fn push(&mut self, one: u32, two: u32) {
        self.pairs.push(NodePair { one, two, alignment: ChildAlignment::Skipped, first: NO_PAIR, cost: 0 });
    }

    /// Whether two nodes are a pair whose children have to be aligned.
    fn needs_alignment(&self, one: u32, two: u32) -> bool {
        self.one.label_of(one) == self.two.label_of(two) && !self.one.is_same(one, self.two, two)
    }

    /// Lists the pairs below a pair, in the order in which its alignment will reach them.
    fn expand(&mut self, at: usize, children: &mut Children, exact_left: &mut u64, quick_left: &mut u64) {
        let pair = self.pairs[at];
        let nodes = self.one.size_of(pair.one) as u64 + self.two.size_of(pair.two) as u64;
        // With many pairs, even listing children is expensive.
        if *quick_left == 0 && nodes > 2 * CELL_DIVISOR {
            self.is_exact = false;
            return;
        }
        children.list(self.one, pair.one, self.two, pair.two);
        let (rows, columns) = (children.left.len() as u64, children.right.len() as u64);
        self.pairs[at].first = self.pairs.len() as u32;
        let cells = rows * columns;
        if cells <= 1 || cells <= *exact_left / CELL_DIVISOR {
            *exact_left = exact_left.saturating_sub(cells);
            *quick_left = quick_left.saturating_sub((children.one.len() + children.two.len()) as u64 / 8);
            self.pairs[at].alignment = ChildAlignment::Exact;
            for one in children.left() {
                for two in children.right() {
                    if self.needs_alignment(*one, *two) {
                        self.push(*one, *two);
                    }
                }
            }
            return;
        }
        self.is_exact = false;
        *quick_left = quick_left.saturating_sub(rows + columns);
        self.pairs[at].alignment = ChildAlignment::Quick;
        for (one, two) in children.quick_pairs(self.one, self.two) {
            if self.needs_alignment(one, two) {
                self.push(one, two);
            }
        }
    }

    fn sizes(tree: &PageTree, nodes: &[u32]) -> u64 {
        nodes.iter().map(|node| tree.size_of(*node) as u64).sum()
    }

    /// Computes the cost of a pair from those of the pairs below.
    fn price(&mut self, pair: NodePair, children: &Children) -> u64 {
        let all_replaced = Mapper::sizes(self.one, children.left()) + Mapper::sizes(self.two, children.right());
        match pair.alignment {
            ChildAlignment::Skipped => self.one.size_of(pair.one) as u64 + self.two.size_of(pair.two) as u64 - 2,
            ChildAlignment::Exact if children.left.is_empty() || children.right.is_empty() => all_replaced,
            ChildAlignment::Exact => {
                self.fill(pair, children);
                self.matrix.last().copied().unwrap_or(0)
            }
            ChildAlignment::Quick => {
                let mut next = pair.first as usize;
                let mut cost = all_replaced;
                for (one, two) in children.quick_pairs(self.one, self.two) {
                    cost -= self.one.size_of(one) as u64 + self.two.size_of(two) as u64;
                    if self.needs_alignment(one, two) {
                        cost += self.pairs[next].cost;
                        next += 1;
                    }
                }
                cost
            }
        }
    }

    /// Fills the matrix of an alignment.
    fn fill(&mut self, pair: NodePair, children: &Children) {
        let (left, right) = (children.left(), children.right());
        let width = right.len() + 1;
        let mut next = pair.first as usize;
        self.matrix.clear();
        self.inner.clear();
        self.matrix.push(0);
        for two in right {
            self.matrix.push(self.matrix[self.matrix.len() - 1] + self.two.size_of(*two) as u64);
        }
        self.inner.resize(width, NO_PAIR);
        for one in left {
            let delete = self.one.size_of(*one) as u64;
            self.matrix.push(self.matrix[self.matrix.len() - width] + delete);
            self.inner.push(NO_PAIR);
            for two in right {
                let insert = self.two.size_of(*two) as u64;
                let (map, inner) = if self.one.label_of(*one) != self.two.label_of(*two) {
                    (delete + insert - 1, NO_PAIR)
                } else if self.one.is_same(*one, self.two, *two) {
                    (0, NO_PAIR)
                } else {
                    next += 1;
                    (self.pairs[next - 1].cost, next as u32 - 1)
                };
                let at = self.matrix.len();
                let best = (self.matrix[at - width - 1] + map)
                    .min(self.matrix[at - width] + delete)
                    .min(self.matrix[at - 1] + insert);
                self.matrix.push(best);
                self.inner.push(inner);
            }
        }
    }

    /// Marks the nodes of the first tree that the mapping leaves unchanged (retrieveTemplate).
    fn mark_unchanged(mut self, keep: &mut [bool]) {
        let mut children = Children::default();
        let mut chosen = Vec::new();
        if !self.pairs.is_empty() {
            chosen.push(0u32);
        }
        while let Some(number) = chosen.pop() {
            let pair = self.pairs[number as usize];
            keep[pair.one as usize] = true;
            if pair.alignment == ChildAlignment::Skipped {
                continue;
            }
            children.list(self.one, pair.one, self.two, pair.two);
            for same in children.one[..children.left.start].iter().chain(&children.one[children.left.end..]) {
                mark_subtree(self.one, *same, keep);
            }
            if pair.alignment == ChildAlignment::Exact {
                self.trace(pair, &children, keep, &mut chosen);
                continue;
            }
            let mut next = pair.first;
            for (one, two) in children.quick_pairs(self.one, self.two) {
                if self.needs_alignment(one, two) {
                    chosen.push(next);
                    next += 1;
                } else {
                    mark_subtree(self.one, one, keep);
                }
            }
        }
    }

    /// Follows the cheapest path through the matrix of a pair back from its end.
    fn trace(&mut self, pair: NodePair, children: &Children, keep: &mut [bool], chosen: &mut Vec<u32>) {
        let (left, right) = (children.left(), children.right());
        if left.is_empty() || right.is_empty() {
            return;
        }
        self.fill(pair, children);
        let width = right.len() + 1;
        let (mut row, mut column) = (left.len(), right.len());
        while row > 0 && column > 0 {
            let at = row * width + column;
            let (one, two) = (left[row - 1], right[column - 1]);
            let (delete, insert) = (self.one.size_of(one) as u64, self.two.size_of(two) as u64);
            let same = self.one.is_same(one, self.two, two);
            // Among equally cheap paths, one that matches an equal subtree is more informative.
            if same && self.matrix[at] == self.matrix[at - width - 1] {
                mark_subtree(self.one, one, keep);
                (row, column) = (row - 1, column - 1);
            } else if self.matrix[at] == self.matrix[at - width] + delete {
                row -= 1;
            } else if self.matrix[at] == self.matrix[at - 1] + insert {
                column -= 1;
            } else {
                if self.inner[at] != NO_PAIR {
                    chosen.push(self.inner[at]);
                }
                (row, column) = (row - 1, column - 1);
            }
        }
    }
}

/// Marks a node and its descendants.
fn mark_subtree(tree: &PageTree, at: u32, keep: &mut [bool]) {
    let range = tree.subtree(at);
    keep[range.start as usize..range.end as usize].fill(true);
}

#[cfg(test)]
mod tests {
    use super::super::oracle::Random;
    use super::super::oracle::{brute_force_distance, is_contained, path_tree, random_tree, wide_tree};
    use super::*;

    #[test]
    fn the_distance_is_that_of_the_definition() {
        let mut random = Random(1);
        let mut similar = 0;
        for _ in 0..20_000 {
            let one = random_tree(&mut random, 8, 3);
            let two = random_tree(&mut random, 8, 3);
            let mapping = map_trees(&one, &two);
            assert!(mapping.is_exact);
            assert_eq!(mapping.distance, brute_force_distance(&one, &two), "{one:?} {two:?}");
            assert_eq!(mapping.distance, mapping_distance(&two, &one));
            assert_eq!(mapping.distance == 0, one == two);
            let similarity = mapping_similarity(&one, &two);
            assert!((0.0..=1.0).contains(&similarity) && (similarity == 1.0) == (one == two));
            similar += (mapping.distance > 0 && one.label_of(0) == two.label_of(0)) as u32;
        }
        assert!(similar > 5_000, "the trees have to differ below their roots, too: {similar}");
    }

    #[test]
    fn without_cells_the_distance_is_an_upper_bound() {
        let mut random = Random(2);
        for _ in 0..5_000 {
            let (one, two) = (random_tree(&mut random, 9, 2), random_tree(&mut random, 9, 2));
            for cells in [0, 4, 16, 64] {
                let mapper = Mapper::run(&one, &two, cells);
                let (cost, exact) = (mapper.distance(), brute_force_distance(&one, &two));
                assert!(cost >= exact && (!mapper.is_exact || cost == exact));
                assert!(cost < (one.len() + two.len()) as u64);
                let common = common_tree(&one, &two, cells);
                assert!(is_contained(&common, &one) && is_contained(&common, &two));
            }
        }
    }

    #[test]
    fn the_common_tree_is_in_both() {
        let mut random = Random(3);
        for _ in 0..10_000 {
            let (one, two) = (random_tree(&mut random, 10, 3), random_tree(&mut random, 10, 3));
            let common = common_tree(&one, &two, MAX_CELLS);
            assert!(is_contained(&common, &one) && is_contained(&common, &two), "{common:?} {one:?} {two:?}");
            assert_eq!(common_tree(&one, &one, MAX_CELLS), one);
            // Nodes that are not unchanged are deleted, inserted or replaced.
            let rest = (one.len() + two.len() - 2 * common.len()) as u64;
            let distance = mapping_distance(&one, &two);
            assert!(distance <= rest && rest <= 2 * distance, "{distance} {rest}");
        }
    }

    #[test]
    fn hostile_trees_end_within_the_budget() {
        let (one, two) = (wide_tree(100_000, 1), wide_tree(100_000, 2));
        let mapping = map_trees(&one, &two);
        assert!(!mapping.is_exact && mapping.distance <= 4 * 100_000);
        let deep = map_trees(&path_tree(512, 1), &path_tree(512, 2));
        assert_eq!(deep, TreeMapping { distance: 1, is_exact: true });
        // The worst case: at every level all children can be paired with all.
        let (one, two) = (bushy(12, 4, 1), bushy(12, 4, 2));
        let mapper = Mapper::run(&one, &two, 1 << 16);
        assert!(mapper.pairs.len() < 1 << 20, "{}", mapper.pairs.len());
    }

    /// A tree in which each node has `width` children of the same label, with leaves that differ between trees.
    fn bushy(width: u32, depth: u32, leaf: u64) -> PageTree {
        use super::super::page_tree::{NO_NODE, TreeNode};
        use crate::site::slots::TextForm;
        let mut nodes = Vec::new();
        let mut open = vec![(NO_NODE, 0)];
        while let Some((parent, level)) = open.pop() {
            let number = nodes.len() as u32;
            let label = if level == depth { 1_000 * leaf + number as u64 } else { 7 };
            let node = crate::dom::NodeId(number);
            nodes.push(TreeNode { label, parent, node, visible: level == depth, linked: false, form: TextForm::Long });
            if level < depth {
                open.extend((0..width).map(|_| (number, level + 1)));
            }
        }
        PageTree::assemble(&nodes)
    }
}
