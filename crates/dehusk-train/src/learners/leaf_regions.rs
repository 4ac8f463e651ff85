//! Where the leaves of several trees overlap: small regions of feature space, each as one more tree.
//!
//! Trees that were fitted on many pages put similar blocks into the same leaves. Two blocks of one template share most leaves, two
//! unrelated ones few. A row that shares leaves of several trees with another is much like it.

use dehusk::model::{TreeNode, Trees};
use std::collections::BTreeMap;

/// A set of rows, as bits.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RowSet(Vec<u64>);

impl RowSet {
    pub(crate) fn none(rows: usize) -> RowSet {
        RowSet(vec![0; rows.div_ceil(64)])
    }

    pub(crate) fn all(rows: usize) -> RowSet {
        RowSet(vec![u64::MAX; rows.div_ceil(64)])
    }

    pub(crate) fn insert(&mut self, row: usize) {
        self.0[row / 64] |= 1 << (row % 64);
    }

    #[cfg(test)]
    pub(crate) fn contains(&self, row: usize) -> bool {
        self.0[row / 64] >> (row % 64) & 1 == 1
    }

    /// The rows in ascending order; those of [`all`](RowSet::all) go on to a multiple of 64.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
    }

    /// The rows that are in both.
    pub(crate) fn and(&self, other: &RowSet) -> RowSet {
        RowSet(self.0.iter().zip(&other.0).map(|(one, two)| one & two).collect())
    }

    /// How many rows are in both.
    pub(crate) fn shared(&self, other: &RowSet) -> u32 {
        self.0.iter().zip(&other.0).map(|(one, two)| (one & two).count_ones()).sum()
    }
}

/// The leaves of some trees, and the rows in them.
#[derive(Clone, Debug)]
pub(crate) struct LeafRegions {
    trees: Vec<Vec<TreeNode>>,
    /// For each node of each tree the one above it; the root has itself.
    parents: Vec<Vec<u32>>,
    /// For each row the leaf it is in of each tree.
    leaves: Vec<u32>,
    /// For each node of each tree the rows in it, if it is a leaf and there are any.
    rows: Vec<Vec<Option<RowSet>>>,
}

impl LeafRegions {
    /// The leaves of trees of one output, without rows.
    pub(crate) fn of(trees: &Trees) -> LeafRegions {
        let trees = trees.to_nodes();
        let parents = trees.iter().map(|tree| parents(tree)).collect();
        let rows = trees.iter().map(|tree| vec![None; tree.len()]).collect();
        LeafRegions { trees, parents, leaves: Vec::new(), rows }
    }

    /// How many trees there are.
    pub(crate) fn trees(&self) -> usize {
        self.trees.len()
    }

    /// The leaves of a row, one of each tree.
    pub(crate) fn leaves_of(&self, row: &[f32]) -> Vec<u32> {
        let leaf = |tree: &Vec<TreeNode>| {
            let mut at = 0;
            while tree[at].left != 0 {
                let right = row[tree[at].feature as usize] >= tree[at].threshold;
                at = if right { tree[at].right } else { tree[at].left } as usize;
            }
            at as u32
        };
        self.trees.iter().map(leaf).collect()
    }

    /// The sum of the values of leaves, one of each tree.
    pub(crate) fn sum(&self, leaves: &[u32]) -> f32 {
        self.trees.iter().zip(leaves).map(|(tree, leaf)| tree[*leaf as usize].value).sum()
    }

    /// Puts rows into the leaves, given the leaves of all rows one after the other.
    pub(crate) fn fill(&mut self, leaves: Vec<u32>) {
        let trees = self.trees.len().max(1);
        let rows = leaves.len() / trees;
        for (row, leaves) in leaves.chunks_exact(trees).enumerate() {
            for (sets, leaf) in self.rows.iter_mut().zip(leaves) {
                sets[*leaf as usize].get_or_insert_with(|| RowSet::none(rows)).insert(row);
            }
        }
        self.leaves = leaves;
    }

    /// The leaf of a tree that a row is in.
    pub(crate) fn leaf(&self, row: usize, tree: usize) -> u32 {
        self.leaves[row * self.trees.len() + tree]
    }

    /// The rows in the leaf of a tree that a row is in.
    pub(crate) fn beside(&self, row: usize, tree: usize) -> Option<&RowSet> {
        self.rows[tree][self.leaf(row, tree) as usize].as_ref()
    }

    /// A tree with this value for rows that are in all of the given leaves of trees, and 0 for others.
    ///
    /// It asks about thresholds of the trees only, so that it can be added to them.
    pub(crate) fn tree(&self, leaves: &[(usize, u32)], value: f32) -> Vec<TreeNode> {
        // For each feature the highest value that is too low, and the lowest that is too high.
        let mut bounds: BTreeMap<u32, (Option<f32>, Option<f32>)> = BTreeMap::new();
        for (tree, leaf) in leaves {
            let mut at = *leaf;
            while at != 0 {
                let above = self.parents[*tree][at as usize];
                let node = self.trees[*tree][above as usize];
                let (low, high) = bounds.entry(node.feature).or_default();
                if node.right == at {
                    *low = Some(low.map_or(node.threshold, |own| own.max(node.threshold)));
                } else {
                    *high = Some(high.map_or(node.threshold, |own| own.min(node.threshold)));
                }
                at = above;
            }
        }
        let mut tree = Vec::new();
        for (feature, (low, high)) in bounds {
            // A node that asks, a leaf for rows outside, and then what comes next.
            let at = tree.len() as u32;
            if let Some(threshold) = low {
                tree.push(TreeNode { feature, threshold, left: at + 1, right: at + 2, value: 0.0 });
                tree.push(TreeNode::default());
            }
            let at = tree.len() as u32;
            if let Some(threshold) = high {
                tree.push(TreeNode { feature, threshold, left: at + 2, right: at + 1, value: 0.0 });
                tree.push(TreeNode::default());
            }
        }
        tree.push(TreeNode { value, ..TreeNode::default() });
        tree
    }

    /// The trees.
    pub(crate) fn into_trees(self) -> Vec<Vec<TreeNode>> {
        self.trees
    }
}

fn parents(tree: &[TreeNode]) -> Vec<u32> {
    let mut parents = vec![0; tree.len()];
    for (at, node) in tree.iter().enumerate().filter(|(_, node)| node.left != 0) {
        parents[node.left as usize] = at as u32;
        parents[node.right as usize] = at as u32;
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learners::bins::Bins;
    use crate::learners::boost::{BoostOptions, fit_boosted};
    use dehusk::dom::random::SplitMix64;
    use dehusk::model::Link;

    #[test]
    fn a_tree_of_leaves_has_exactly_the_rows_that_are_in_all_of_them() {
        let mut random = SplitMix64::new(5);
        let rows: Vec<f32> = (0..400 * 4).map(|_| random.unit() as f32).collect();
        let labels: Vec<f32> = rows.chunks(4).map(|row| f32::from(u8::from(row[0] + row[1] * row[2] > 0.8))).collect();
        let options = BoostOptions { rounds: 12, features: 0.5, ..BoostOptions::default() };
        let trees = fit_boosted(&Bins::new(&rows, 4, 63), &labels, &vec![1.0; 400], options);
        let mut regions = LeafRegions::of(&trees);
        let leaves: Vec<u32> = rows.chunks(4).flat_map(|row| regions.leaves_of(row)).collect();
        regions.fill(leaves);
        for row in 0..40 {
            let chosen: Vec<(usize, u32)> =
                random.choose(12, 3).iter().map(|tree| (*tree, regions.leaf(row, *tree))).collect();
            let sets = chosen.iter().filter_map(|(tree, _)| regions.beside(row, *tree));
            let inside = sets.fold(RowSet::all(400), |all, set| all.and(set));
            assert!(inside.contains(row));
            assert!(inside.iter().take_while(|row| *row < 400).eq((0..400).filter(|row| inside.contains(*row))));
            let tree = Trees::build(4, Link::Sum, vec![0.0], &[regions.tree(&chosen, 2.0)]);
            for (other, values) in rows.chunks(4).enumerate() {
                assert_eq!(tree.score(values), if inside.contains(other) { 2.0 } else { 0.0 });
            }
        }
        // The sum of the leaves is what the trees add to their base.
        let own = trees.base()[0] + regions.sum(&regions.leaves_of(&rows[..4]));
        assert!((1.0 / (1.0 + (-own).exp()) - trees.score(&rows[..4])).abs() < 1e-6);
        assert_eq!(Trees::build(4, trees.link(), trees.base().to_vec(), &regions.into_trees()), trees);
    }
}
