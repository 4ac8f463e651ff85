//! Grows one decision tree on intervals: the part that forests and boosting share.
//!
//! Every row has a target `g` and a weight `h`; a leaf's value is Σg / (Σh + l2), and a split is worth what it adds to the sum
//! of (Σg)² / (Σh + l2) over the leaves. With g = weight · label and h = weight that is the drop of variance (of Gini impurity,
//! for yes and no); with g = -gradient and h = curvature it is the gain of boosting. The best leaf is split first.
//!
//! Sums by interval are made by one thread per feature, in the order of the rows, so that trees do not depend on the number
//! of threads. Of two siblings only the smaller is summed; the other is what is left of the parent.

use crate::learners::bins::Bins;
use dehusk::dom::random::SplitMix64;
use dehusk::model::TreeNode;
use rayon::prelude::*;

/// Limits of a tree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TreeLimits {
    /// The most leaves.
    pub leaves: usize,
    /// The most splits on the way to a leaf.
    pub depth: usize,
    /// The smallest Σh of a leaf.
    pub min_weight: f64,
    /// The fewest rows of a leaf.
    pub min_rows: usize,
    /// Added to Σh, which pulls leaves of little weight towards 0.
    pub l2: f64,
    /// The smallest gain of a split.
    pub min_gain: f64,
    /// How many features are tried for each split, chosen at random; all where not given.
    pub features_per_split: Option<usize>,
}

impl Default for TreeLimits {
    fn default() -> TreeLimits {
        TreeLimits {
            leaves: 31,
            depth: 8,
            min_weight: 1e-3,
            min_rows: 20,
            l2: 1.0,
            min_gain: 1e-6,
            features_per_split: None,
        }
    }
}

/// Σg and Σh of the rows in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum {
    g: f64,
    h: f64,
    rows: u32,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.g += other.g;
        self.h += other.h;
        self.rows += other.rows;
    }

    fn minus(self, other: Sum) -> Sum {
        Sum { g: self.g - other.g, h: self.h - other.h, rows: self.rows - other.rows }
    }

    fn worth(self, l2: f64) -> f64 {
        self.g * self.g / (self.h + l2).max(1e-12)
    }

    fn value(self, l2: f64) -> f32 {
        (self.g / (self.h + l2).max(1e-12)) as f32
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Split {
    gain: f64,
    feature: usize,
    /// Rows up to this interval go left.
    interval: usize,
    left: Sum,
}

/// A leaf that may be split.
struct Leaf {
    node: usize,
    /// Its rows among the numbers of all rows.
    start: usize,
    end: usize,
    depth: usize,
    total: Sum,
    split: Option<Split>,
    /// Sums by feature and interval, kept for the children where all features are looked at.
    sums: Vec<Sum>,
}

/// A tree under growth.
pub(crate) struct TreeGrower<'a> {
    bins: &'a Bins,
    targets: &'a [(f32, f32)],
    options: TreeLimits,
    /// Features that may be asked about in this tree.
    features: Vec<usize>,
    /// Where the sums of each of those features begin.
    starts: Vec<usize>,
    rows: Vec<u32>,
    spare: Vec<u32>,
    random: SplitMix64,
    parallel: bool,
}

/// With fewer sums, a second thread costs more than it saves.
const MIN_PARALLEL_WORK: usize = 50_000;

impl<'a> TreeGrower<'a> {
    /// A grower for some of the rows, in ascending order, and some of the features. `targets` are g and h by row.
    pub(crate) fn new(
        bins: &'a Bins,
        targets: &'a [(f32, f32)],
        rows: Vec<u32>,
        features: Vec<usize>,
        options: TreeLimits,
        random: SplitMix64,
        parallel: bool,
    ) -> TreeGrower<'a> {
        let mut starts = vec![0];
        for feature in &features {
            starts.push(starts[starts.len() - 1] + bins.intervals(*feature));
        }
        let spare = vec![0; rows.len()];
        TreeGrower { bins, targets, options, features, starts, rows, spare, random, parallel }
    }

    /// Grows the tree. `each_leaf` gets the rows of each leaf and its value.
    pub(crate) fn grow(mut self, mut each_leaf: impl FnMut(&[u32], f32)) -> Vec<TreeNode> {
        let total = self.total(0, self.rows.len());
        let mut tree = vec![TreeNode { value: total.value(self.options.l2), ..TreeNode::default() }];
        let root = self.leaf(0, 0, self.rows.len(), 0, total, None);
        let mut open = vec![root];
        let mut leaves = 1;
        while leaves < self.options.leaves {
            let Some(best) = best_leaf(&open) else { break };
            let leaf = open.swap_remove(best);
            let Some(split) = leaf.split else { break };
            let (left, right) = self.divide(leaf, split, &mut tree);
            open.push(left);
            open.push(right);
            leaves += 1;
        }
        for leaf in open {
            each_leaf(&self.rows[leaf.start..leaf.end], tree[leaf.node].value);
        }
        tree
    }

    fn total(&self, start: usize, end: usize) -> Sum {
        let mut total = Sum::default();
        for row in &self.rows[start..end] {
            let (g, h) = self.targets[*row as usize];
            total.add(Sum { g: f64::from(g), h: f64::from(h), rows: 1 });
        }
        total
    }

    /// Makes a leaf and looks for its best split. `sums` are given where they are known.
    fn leaf(
        &mut self,
        node: usize,
        start: usize,
        end: usize,
        depth: usize,
        total: Sum,
        sums: Option<Vec<Sum>>,
    ) -> Leaf {
        let mut leaf = Leaf { node, start, end, depth, total, split: None, sums: Vec::new() };
        let enough = (total.rows as usize) >= 2 * self.options.min_rows && total.h >= 2.0 * self.options.min_weight;
        if depth >= self.options.depth || !enough {
            return leaf;
        }
        if let Some(count) = self.options.features_per_split {
            leaf.split = self.split_of_some(&leaf, count);
        } else {
            leaf.sums = sums.unwrap_or_else(|| self.sums(start, end));
            leaf.split = self.split_of_all(&leaf);
        }
        leaf
    }

    /// Sums by feature and interval of some rows.
    fn sums(&self, start: usize, end: usize) -> Vec<Sum> {
        let rows = &self.rows[start..end];
        let targets: Vec<(f32, f32)> = rows.iter().map(|row| self.targets[*row as usize]).collect();
        let mut sums = vec![Sum::default(); self.starts[self.features.len()]];
        let mut parts = Vec::with_capacity(self.features.len());
        let mut rest = &mut sums[..];
        for (number, feature) in self.features.iter().enumerate() {
            let (part, after) = rest.split_at_mut(self.starts[number + 1] - self.starts[number]);
            parts.push((part, *feature));
            rest = after;
        }
        let fill = |parts: &mut [(&mut [Sum], usize)]| sum_columns(self.bins, rows, &targets, parts);
        if self.parallel && rows.len() * self.features.len() >= MIN_PARALLEL_WORK {
            parts.par_chunks_mut(TOGETHER).for_each(fill);
        } else {
            parts.chunks_mut(TOGETHER).for_each(fill);
        }
        sums
    }

    fn split_of_all(&self, leaf: &Leaf) -> Option<Split> {
        let of = |number: usize| {
            let sums = &leaf.sums[self.starts[number]..self.starts[number + 1]];
            self.best_split(self.features[number], sums, leaf.total)
        };
        (0..self.features.len()).filter_map(of).reduce(better)
    }

    /// The best split among randomly chosen features; more are tried where these give none, as in other forests.
    fn split_of_some(&mut self, leaf: &Leaf, count: usize) -> Option<Split> {
        let mut order = self.features.clone();
        let rows = &self.rows[leaf.start..leaf.end];
        let targets: Vec<(f32, f32)> = rows.iter().map(|row| self.targets[*row as usize]).collect();
        let mut best: Option<Split> = None;
        let mut sums = Vec::new();
        for tried in 0..order.len() {
            if tried >= count && best.is_some() {
                break;
            }
            let other = tried + self.random.below(order.len() - tried);
            order.swap(tried, other);
            let feature = order[tried];
            sums.clear();
            sums.resize(self.bins.intervals(feature), Sum::default());
            sum_column(self.bins.column(feature), rows, &targets, &mut sums);
            best = [best, self.best_split(feature, &sums, leaf.total)].into_iter().flatten().reduce(better);
        }
        best
    }

    fn best_split(&self, feature: usize, sums: &[Sum], total: Sum) -> Option<Split> {
        let TreeLimits { l2, min_weight, min_rows, min_gain, .. } = self.options;
        let whole = total.worth(l2);
        let mut best: Option<Split> = None;
        let mut left = Sum::default();
        for (interval, sum) in sums[..sums.len() - 1].iter().enumerate() {
            if sum.rows == 0 {
                continue;
            }
            left.add(*sum);
            let right = total.minus(left);
            if (left.rows as usize) < min_rows || left.h < min_weight {
                continue;
            }
            if (right.rows as usize) < min_rows || right.h < min_weight {
                break;
            }
            let gain = left.worth(l2) + right.worth(l2) - whole;
            if gain > min_gain && best.is_none_or(|best| gain > best.gain) {
                best = Some(Split { gain, feature, interval, left });
            }
        }
        best
    }

    /// Splits a leaf: its rows are parted in their order, its children made.
    fn divide(&mut self, leaf: Leaf, split: Split, tree: &mut Vec<TreeNode>) -> (Leaf, Leaf) {
        let Leaf { node, start, end, depth, total, sums, .. } = leaf;
        let column = self.bins.column(split.feature);
        let (mut lefts, mut rights) = (start, 0);
        for at in start..end {
            let row = self.rows[at];
            if column[row as usize] as usize <= split.interval {
                self.rows[lefts] = row;
                lefts += 1;
            } else {
                self.spare[rights] = row;
                rights += 1;
            }
        }
        self.rows[lefts..end].copy_from_slice(&self.spare[..rights]);
        let right_total = total.minus(split.left);
        let l2 = self.options.l2;
        let (left, right) = (tree.len(), tree.len() + 1);
        tree.push(TreeNode { value: split.left.value(l2), ..TreeNode::default() });
        tree.push(TreeNode { value: right_total.value(l2), ..TreeNode::default() });
        tree[node] = TreeNode {
            feature: split.feature as u32,
            threshold: self.bins.cut(split.feature, split.interval),
            left: left as u32,
            right: right as u32,
            value: tree[node].value,
        };
        let (left_sums, right_sums) = self.sums_of_children(sums, start, lefts, end, depth + 1);
        let left = self.leaf(left, start, lefts, depth + 1, split.left, left_sums);
        let right = self.leaf(right, lefts, end, depth + 1, right_total, right_sums);
        (left, right)
    }

    /// Sums the smaller child and takes it from the parent for the larger.
    fn sums_of_children(
        &self,
        mut parent: Vec<Sum>,
        start: usize,
        middle: usize,
        end: usize,
        depth: usize,
    ) -> (Option<Vec<Sum>>, Option<Vec<Sum>>) {
        if parent.is_empty() || depth >= self.options.depth {
            return (None, None);
        }
        let left_is_small = middle - start <= end - middle;
        let small = if left_is_small { self.sums(start, middle) } else { self.sums(middle, end) };
        parent.iter_mut().zip(&small).for_each(|(all, small)| *all = all.minus(*small));
        if left_is_small { (Some(small), Some(parent)) } else { (Some(parent), Some(small)) }
    }
}

/// Features that are summed in one pass over the rows. Most rows of a feature are in the same interval, so that each addition waits for
/// the one before it; with four features, four wait at once. Fitting fusion's first trees takes a quarter of the time of one by one.
const TOGETHER: usize = 4;

/// Sums up to [`TOGETHER`] features by interval, each in the order of the rows.
fn sum_columns(bins: &Bins, rows: &[u32], targets: &[(f32, f32)], parts: &mut [(&mut [Sum], usize)]) {
    let [one, two, three, four] = parts else {
        parts.iter_mut().for_each(|(part, feature)| sum_column(bins.column(*feature), rows, targets, part));
        return;
    };
    let columns = [one.1, two.1, three.1, four.1].map(|feature| bins.column(feature));
    let mut sums = [[Sum::default(); 256]; TOGETHER];
    for (row, (g, h)) in rows.iter().zip(targets) {
        let (row, g, h) = (*row as usize, f64::from(*g), f64::from(*h));
        let intervals = columns.map(|column| column[row]);
        for (sums, interval) in sums.iter_mut().zip(intervals) {
            sums[interval as usize].add(Sum { g, h, rows: 1 });
        }
    }
    for ((part, _), sums) in parts.iter_mut().zip(&sums) {
        part.copy_from_slice(&sums[..part.len()]);
    }
}

fn sum_column(column: &[u8], rows: &[u32], targets: &[(f32, f32)], sums: &mut [Sum]) {
    for (row, (g, h)) in rows.iter().zip(targets) {
        sums[column[*row as usize] as usize].add(Sum { g: f64::from(*g), h: f64::from(*h), rows: 1 });
    }
}

/// The better of two splits; of equal ones the one of the feature with the smaller number.
fn better(one: Split, two: Split) -> Split {
    if two.gain > one.gain || (two.gain == one.gain && two.feature < one.feature) { two } else { one }
}

/// The leaf whose split gains most; of equal ones the oldest.
fn best_leaf(open: &[Leaf]) -> Option<usize> {
    let mut best: Option<(f64, usize, usize)> = None;
    for (at, leaf) in open.iter().enumerate() {
        let Some(split) = leaf.split else { continue };
        if best.is_none_or(|(gain, node, _)| split.gain > gain || (split.gain == gain && leaf.node < node)) {
            best = Some((split.gain, leaf.node, at));
        }
    }
    best.map(|(_, _, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize, features: usize, seed: u64) -> (Bins, Vec<(f32, f32)>, Vec<f32>) {
        let mut random = SplitMix64::new(seed);
        let values: Vec<f32> = (0..rows * features).map(|_| random.below(6) as f32).collect();
        let targets = (0..rows).map(|_| (random.unit() as f32 - 0.5, 0.5 + random.unit() as f32)).collect();
        (Bins::new(&values, features, 255), targets, values)
    }

    fn grow(bins: &Bins, targets: &[(f32, f32)], options: TreeLimits) -> Vec<TreeNode> {
        let rows = (0..targets.len() as u32).collect();
        let features = (0..bins.features()).collect();
        TreeGrower::new(bins, targets, rows, features, options, SplitMix64::new(1), false).grow(|_, _| {})
    }

    /// The best split of all rows, by trying every one.
    fn best_by_force(values: &[f32], features: usize, targets: &[(f32, f32)], l2: f64, least: usize) -> Option<f64> {
        let worth = |rows: &[usize]| {
            let (g, h) = rows
                .iter()
                .fold((0.0, 0.0), |(g, h), row| (g + f64::from(targets[*row].0), h + f64::from(targets[*row].1)));
            g * g / (h + l2)
        };
        let all: Vec<usize> = (0..targets.len()).collect();
        let mut best: Option<f64> = None;
        for feature in 0..features {
            for cut in values.iter().skip(feature).step_by(features) {
                let (left, right): (Vec<usize>, Vec<usize>) =
                    all.iter().partition(|row| values[**row * features + feature] < *cut);
                if left.len() < least || right.len() < least {
                    continue;
                }
                let gain = worth(&left) + worth(&right) - worth(&all);
                if gain > 1e-6 && best.is_none_or(|best| gain > best) {
                    best = Some(gain);
                }
            }
        }
        best
    }

    #[test]
    fn the_first_split_is_the_best_one() {
        for seed in 0..200 {
            let (bins, targets, values) = table(12, 3, seed);
            let options = TreeLimits { leaves: 2, min_rows: 2, l2: 0.5, min_weight: 0.0, ..Default::default() };
            let tree = grow(&bins, &targets, options);
            let expected = best_by_force(&values, 3, &targets, 0.5, 2);
            assert_eq!(tree.len() == 3, expected.is_some(), "seed {seed}");
            let Some(expected) = expected else { continue };
            let goes_right = |row: usize| values[row * 3 + tree[0].feature as usize] >= tree[0].threshold;
            let worth = |side: bool| {
                let rows = (0..12).filter(|row| goes_right(*row) == side);
                let (g, h) =
                    rows.fold((0.0, 0.0), |(g, h), row| (g + f64::from(targets[row].0), h + f64::from(targets[row].1)));
                (g * g / (h + 0.5), g / (h + 0.5))
            };
            let all: (f64, f64) =
                targets.iter().fold((0.0, 0.0), |(g, h), target| (g + f64::from(target.0), h + f64::from(target.1)));
            let gain = worth(false).0 + worth(true).0 - all.0 * all.0 / (all.1 + 0.5);
            assert!((gain - expected).abs() < 1e-9, "seed {seed}: {gain} for {expected}");
            assert!((f64::from(tree[1].value) - worth(false).1).abs() < 1e-6);
            assert!((f64::from(tree[2].value) - worth(true).1).abs() < 1e-6);
        }
    }

    /// Subtracting siblings gives the same tree as summing both would: each leaf's value is that of its rows.
    #[test]
    fn leaves_hold_the_values_of_their_rows_and_limits_hold() {
        let (bins, targets, values) = table(600, 5, 9);
        let options = TreeLimits { leaves: 20, depth: 5, min_rows: 9, l2: 0.1, ..Default::default() };
        let mut seen = vec![0; 600];
        let mut leaves = 0;
        let rows = (0..600).collect();
        let grower = TreeGrower::new(&bins, &targets, rows, (0..5).collect(), options, SplitMix64::new(1), true);
        let tree = grower.grow(|rows, value| {
            leaves += 1;
            assert!(rows.len() >= 9 && rows.is_sorted());
            let (g, h) = rows.iter().fold((0.0, 0.0), |(g, h), row| {
                (g + f64::from(targets[*row as usize].0), h + f64::from(targets[*row as usize].1))
            });
            assert!((f64::from(value) - g / (h + 0.1)).abs() < 1e-5);
            rows.iter().for_each(|row| seen[*row as usize] += 1);
        });
        assert_eq!(leaves, 20);
        assert!(seen.iter().all(|count| *count == 1));
        for row in 0..600 {
            let (mut at, mut depth) = (0, 0);
            while tree[at].left != 0 {
                let right = values[row * 5 + tree[at].feature as usize] >= tree[at].threshold;
                at = if right { tree[at].right } else { tree[at].left } as usize;
                depth += 1;
            }
            assert!(depth <= 5);
        }
    }

    #[test]
    fn threads_do_not_matter() {
        let (bins, targets, _) = table(30_000, 8, 4);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let grower = TreeGrower::new(
                &bins,
                &targets,
                (0..30_000).collect(),
                (0..8).collect(),
                TreeLimits::default(),
                SplitMix64::new(1),
                true,
            );
            pool.install(|| grower.grow(|_, _| {}))
        };
        assert_eq!(with(1), with(4));
    }

    #[test]
    fn some_features_per_split_still_find_a_split() {
        let (bins, targets, _) = table(300, 6, 3);
        let options = TreeLimits { features_per_split: Some(2), leaves: 40, min_rows: 1, ..Default::default() };
        assert!(grow(&bins, &targets, options).len() > 20);
        // One feature says all; the others never change.
        let values: Vec<f32> = (0..100).flat_map(|row| [0.0, 0.0, (row % 2) as f32]).collect();
        let bins = Bins::new(&values, 3, 255);
        let targets: Vec<(f32, f32)> = (0..100).map(|row| ((row % 2) as f32, 1.0)).collect();
        let options = TreeLimits { features_per_split: Some(1), min_rows: 1, ..Default::default() };
        assert_eq!(grow(&bins, &targets, options).len(), 3);
    }
}
