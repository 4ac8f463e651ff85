//! Fits a random forest: the mean of trees grown on rows drawn with replacement, each split chosen among a few random features.

use crate::learners::bins::Bins;
use crate::learners::tree_growth::{TreeGrower, TreeLimits};
use dehusk::dom::random::SplitMix64;
use dehusk::model::{Link, TreeNode, Trees};
use rayon::prelude::*;

/// How a forest is grown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ForestOptions {
    /// Trees.
    pub trees: usize,
    /// Limits of each tree. Where `features_per_split` is not given, it is the root of the number of features.
    pub limits: TreeLimits,
    /// Rows drawn for each tree, as a share of all.
    pub rows: f64,
    /// Decides what is drawn.
    pub seed: u64,
}

impl Default for ForestOptions {
    fn default() -> ForestOptions {
        let limits = TreeLimits {
            leaves: 32_768,
            depth: 64,
            min_weight: 0.0,
            min_rows: 1,
            l2: 0.0,
            min_gain: 1e-9,
            features_per_split: None,
        };
        ForestOptions { trees: 100, limits, rows: 1.0, seed: 0 }
    }
}

/// Fits a forest. Labels are 0 to 1, and so are its scores.
#[must_use]
pub fn fit_forest(bins: &Bins, labels: &[f32], weights: &[f32], options: ForestOptions) -> Trees {
    let root = (bins.features() as f64).sqrt().round().max(1.0) as usize;
    let limits =
        TreeLimits { features_per_split: Some(options.limits.features_per_split.unwrap_or(root)), ..options.limits };
    let tree = |number: usize| -> Vec<TreeNode> {
        let mut random = SplitMix64::part(options.seed, number as u64);
        let mut drawn = vec![0u32; bins.rows()];
        for _ in 0..(bins.rows() as f64 * options.rows).round() as usize {
            drawn[random.below(bins.rows())] += 1;
        }
        // A row drawn twice weighs twice.
        let target = |row: usize| {
            let weight = weights[row] * drawn[row] as f32;
            (labels[row] * weight, weight)
        };
        let targets: Vec<(f32, f32)> = (0..bins.rows()).map(target).collect();
        let rows = (0..bins.rows() as u32).filter(|row| drawn[*row as usize] > 0).collect();
        let features = (0..bins.features()).collect();
        TreeGrower::new(bins, &targets, rows, features, limits, random, false).grow(|_, _| {})
    };
    let trees: Vec<Vec<TreeNode>> = match bins.rows() {
        0 => Vec::new(),
        _ => (0..options.trees).into_par_iter().map(tree).collect(),
    };
    Trees::build(bins.features(), Link::Mean, vec![0.0], &trees)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forest_learns_what_no_single_cut_says_and_threads_do_not_matter() {
        let mut random = SplitMix64::new(2);
        let rows: Vec<f32> = (0..4000 * 4).map(|_| random.unit() as f32).collect();
        let label = |row: &[f32]| f32::from(u8::from((row[0] > 0.5) != (row[1] > 0.5)));
        let labels: Vec<f32> = rows.chunks(4).map(label).collect();
        let bins = Bins::new(&rows, 4, 64);
        let options = ForestOptions { trees: 20, ..Default::default() };
        let fit = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit_forest(&bins, &labels, &vec![1.0; 4000], options))
        };
        let forest = fit(1);
        assert_eq!(forest, fit(3));
        let test: Vec<f32> = (0..1000 * 4).map(|_| random.unit() as f32).collect();
        let right = test.chunks(4).filter(|row| (forest.score(row) > 0.5) == (label(row) > 0.5)).count();
        assert!(right > 950, "{right} of 1000");
    }
}
