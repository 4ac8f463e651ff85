//! Fits boosted trees: each tree corrects what the ones before it got wrong.

use crate::learners::bins::Bins;
use crate::learners::tree_growth::{TreeGrower, TreeLimits};
use dehusk::dom::random::SplitMix64;
use dehusk::model::{Link, TreeNode, Trees};
use rayon::prelude::*;

/// What is minimized.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Loss {
    /// Log loss of labels 0 to 1.
    Logistic,
    /// Squared error of numbers.
    Squared,
    /// Log loss of classes, given as the numbers 0, 1, 2 and so on.
    Softmax {
        /// How many classes there are.
        classes: usize,
    },
}

/// How trees are boosted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoostOptions {
    /// What is minimized.
    pub loss: Loss,
    /// Rounds: trees, or trees for each class.
    pub rounds: usize,
    /// How much of its correction each tree makes.
    pub rate: f64,
    /// Limits of each tree.
    pub limits: TreeLimits,
    /// The share of the rows each tree is grown on.
    pub rows: f64,
    /// The share of the features each tree may ask about.
    pub features: f64,
    /// Chooses these rows and features.
    pub seed: u64,
}

impl Default for BoostOptions {
    fn default() -> BoostOptions {
        BoostOptions {
            loss: Loss::Logistic,
            rounds: 200,
            rate: 0.1,
            limits: TreeLimits::default(),
            rows: 1.0,
            features: 1.0,
            seed: 0,
        }
    }
}

/// Fits boosted trees.
#[must_use]
pub fn fit_boosted(bins: &Bins, labels: &[f32], weights: &[f32], options: BoostOptions) -> Trees {
    let (outputs, link) = match options.loss {
        Loss::Logistic => (1, Link::Logistic),
        Loss::Squared => (1, Link::Sum),
        Loss::Softmax { classes } => (classes.max(1), Link::Softmax),
    };
    let base: Vec<f32> = (0..outputs).map(|output| base(labels, weights, options.loss, output)).collect();
    let mut sums: Vec<Vec<f32>> = base.iter().map(|base| vec![*base; bins.rows()]).collect();
    let mut trees: Vec<Vec<TreeNode>> = Vec::with_capacity(options.rounds * outputs);
    for round in 0..options.rounds {
        let targets = all_targets(labels, weights, &sums, options.loss);
        for (output, targets) in targets.iter().enumerate() {
            let mut random = SplitMix64::part(options.seed, (round * outputs + output) as u64);
            let rows = chosen_rows(bins.rows(), options.rows, &mut random);
            let count = ((bins.features() as f64 * options.features).ceil() as usize).max(1);
            let features = random.choose(bins.features(), count);
            let rate = options.rate as f32;
            let mut tree = TreeGrower::new(bins, targets, rows, features, options.limits, random, true).grow(|_, _| {});
            tree.iter_mut().for_each(|node| node.value *= rate);
            add_tree(bins, &tree, &mut sums[output]);
            trees.push(tree);
        }
    }
    Trees::build(bins.features(), link, base, &trees)
}

/// Where sums begin: the best constant.
fn base(labels: &[f32], weights: &[f32], loss: Loss, output: usize) -> f32 {
    let target = |label: f32| match loss {
        Loss::Softmax { .. } => f64::from(u8::from(label as usize == output)),
        _ => f64::from(label),
    };
    let (mut sum, mut total) = (0.0, 0.0);
    for (label, weight) in labels.iter().zip(weights) {
        sum += target(*label) * f64::from(*weight);
        total += f64::from(*weight);
    }
    let mean = sum / f64::max(total, 1e-300);
    let share = mean.clamp(1e-6, 1.0 - 1e-6);
    match loss {
        Loss::Squared => mean as f32,
        Loss::Logistic => (share / (1.0 - share)).ln() as f32,
        Loss::Softmax { .. } => share.ln() as f32,
    }
}

/// For each output and row what the next tree is to correct, and its weight.
fn all_targets(labels: &[f32], weights: &[f32], sums: &[Vec<f32>], loss: Loss) -> Vec<Vec<(f32, f32)>> {
    let rows = 0..labels.len();
    match loss {
        Loss::Squared => vec![rows.map(|row| ((labels[row] - sums[0][row]) * weights[row], weights[row])).collect()],
        Loss::Logistic => {
            let target = |row: usize| {
                let score = 1.0 / (1.0 + (-sums[0][row]).exp());
                ((labels[row] - score) * weights[row], (score * (1.0 - score)).max(1e-6) * weights[row])
            };
            vec![rows.map(target).collect()]
        }
        Loss::Softmax { .. } => {
            let mut targets = vec![Vec::with_capacity(labels.len()); sums.len()];
            for row in rows {
                let highest = sums.iter().map(|sums| sums[row]).fold(f32::NEG_INFINITY, f32::max);
                let total: f32 = sums.iter().map(|sums| (sums[row] - highest).exp()).sum();
                for (output, targets) in targets.iter_mut().enumerate() {
                    let score = (sums[output][row] - highest).exp() / total;
                    let wanted = f32::from(u8::from(labels[row] as usize == output));
                    // Twice the curvature, as is usual with one tree per class, since all classes take a step at once.
                    let curvature = (2.0 * score * (1.0 - score)).max(1e-6);
                    targets.push(((wanted - score) * weights[row], curvature * weights[row]));
                }
            }
            targets
        }
    }
}

/// A share of the rows, in order.
fn chosen_rows(rows: usize, share: f64, random: &mut SplitMix64) -> Vec<u32> {
    if share >= 1.0 {
        return (0..rows as u32).collect();
    }
    (0..rows as u32).filter(|_| random.unit() < share).collect()
}

/// Adds a tree's values to the sums of all rows, those it was not grown on included.
fn add_tree(bins: &Bins, tree: &[TreeNode], sums: &mut [f32]) {
    // Cuts as intervals: rows go left up to this one.
    let questions: Vec<(usize, u8)> = tree
        .iter()
        .map(|node| {
            let feature = node.feature as usize;
            let interval =
                (0..bins.intervals(feature) - 1).find(|interval| bins.cut(feature, *interval) == node.threshold);
            (feature, interval.unwrap_or(0) as u8)
        })
        .collect();
    sums.par_chunks_mut(4096).enumerate().for_each(|(chunk, sums)| {
        for (at, sum) in sums.iter_mut().enumerate() {
            let row = chunk * 4096 + at;
            let mut node = 0;
            while tree[node].left != 0 {
                let (feature, interval) = questions[node];
                let left = bins.column(feature)[row] <= interval;
                node = if left { tree[node].left } else { tree[node].right } as usize;
            }
            *sum += tree[node].value;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize) -> Vec<f32> {
        let mut random = SplitMix64::new(7);
        (0..rows * 3).map(|_| random.unit() as f32).collect()
    }

    #[test]
    fn boosting_learns_a_curve() {
        let rows = table(3000);
        let labels: Vec<f32> = rows.chunks(3).map(|row| (row[0] * 6.0).sin() + row[1]).collect();
        let bins = Bins::new(&rows, 3, 255);
        let model =
            fit_boosted(&bins, &labels, &vec![1.0; 3000], BoostOptions { loss: Loss::Squared, ..Default::default() });
        let error: f32 = rows.chunks(3).zip(&labels).map(|(row, label)| (model.score(row) - label).powi(2)).sum();
        assert!(error / 3000.0 < 0.002, "{}", error / 3000.0);
    }

    #[test]
    fn scores_are_probabilities_and_threads_do_not_matter() {
        let rows = table(20_000);
        let mut random = SplitMix64::new(1);
        let chance = |row: &[f32]| if row[0] > 0.3 { 0.8 } else { 0.1 };
        let labels: Vec<f32> = rows.chunks(3).map(|row| f32::from(u8::from(random.unit() < chance(row)))).collect();
        let bins = Bins::new(&rows, 3, 64);
        let options = BoostOptions { rounds: 20, rows: 0.7, features: 0.7, rate: 0.3, ..Default::default() };
        let fit = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit_boosted(&bins, &labels, &vec![1.0; 20_000], options))
        };
        let model = fit(1);
        assert_eq!(model, fit(4));
        assert!((model.score(&[0.9, 0.5, 0.5]) - 0.8).abs() < 0.06);
        assert!((model.score(&[0.1, 0.5, 0.5]) - 0.1).abs() < 0.06);
    }

    #[test]
    fn classes_are_learned() {
        let rows = table(3000);
        let class = |row: &[f32]| {
            if row[0] < 0.3 {
                0.0
            } else if row[1] < 0.5 {
                1.0
            } else {
                2.0
            }
        };
        let labels: Vec<f32> = rows.chunks(3).map(class).collect();
        let bins = Bins::new(&rows, 3, 64);
        let options = BoostOptions { loss: Loss::Softmax { classes: 3 }, rounds: 30, ..Default::default() };
        let model = fit_boosted(&bins, &labels, &vec![1.0; 3000], options);
        let mut scores = Vec::new();
        model.score_into(&rows, &mut Default::default(), &mut scores);
        let mut right = 0;
        for (scores, label) in scores.chunks(3).zip(&labels) {
            assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            let best = (0..3).max_by(|one, two| scores[*one].total_cmp(&scores[*two]));
            right += usize::from(best == Some(*label as usize));
        }
        assert!(right > 2950, "{right}");
    }
}
