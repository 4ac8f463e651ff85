//! CCLUS: clusters of leaves by correlation clustering with random pivots (Ailon, Charikar and Newman, STOC 2005).
//!
//! Two leaves with attraction v, from 0 to 1, pay 1 − v if they are in one cluster and λ·v if not. A random leaf, the pivot, forms a cluster
//! with all leaves left that attract it, v ≥ 1/(1 + λ), and so on with the rest. Of several such trials the best is kept.
//! In expectation a trial costs at most 5·max(λ, 1/λ) times the optimum, and with λ = 1 and distances 1 − v that
//! satisfy the triangle inequality at most twice.
//!
//! A trial looks at leaves times clusters pairs, but the objective needs all pairs. Up to a number of pairs each is computed once,
//! and the objective is exact; beyond, trials are compared on a random sample of pairs, the same for all.

use crate::dom::random::SplitMix64;

/// How [`cluster_leaves`] weighs and searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterSettings {
    /// λ, what separating a pair costs relative to joining one.
    pub lambda: f64,
    /// How many trials the best is chosen from.
    pub trials: u32,
    /// Decides the pivots.
    pub seed: u64,
    /// Up to how many pairs the objective is exact, and how many are sampled if there are more. A million are 1,414 leaves.
    pub max_pairs: usize,
    /// How many pairs the trials may look at if there are more than `max_pairs`.
    pub max_evaluations: usize,
}

impl Default for ClusterSettings {
    /// λ = 0.6, the paper's value.
    fn default() -> ClusterSettings {
        ClusterSettings { lambda: 0.6, trials: 16, seed: 0, max_pairs: 1_000_000, max_evaluations: 10_000_000 }
    }
}

/// A cluster for every leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Clustering {
    /// The cluster of each leaf, numbered from 0 in the order of their first leaves.
    pub clusters: Vec<u32>,
    /// What it costs: exact, or the estimate from a sample of pairs.
    pub objective: f64,
    /// Whether the objective is exact.
    pub is_exact: bool,
    /// Whether all trials ran to the end. If not even the first did, the leaves it left over are clusters by themselves.
    pub is_complete: bool,
}

/// What is known of pairs.
enum Pairs {
    /// The attraction of all pairs: (1, 0), (2, 0), (2, 1), ...
    All(Vec<f32>),
    /// That of some.
    Sample(Vec<(u32, u32, f32)>),
}

/// Clusters leaves by the attraction of pairs, a symmetric function of two leaf numbers. It is called with the smaller number first.
pub fn cluster_leaves(
    leaves: usize,
    attraction: impl Fn(usize, usize) -> f64,
    settings: ClusterSettings,
) -> Clustering {
    let mut random = SplitMix64::new(settings.seed);
    let attraction = |one: usize, two: usize| {
        let value = attraction(one.min(two), one.max(two));
        if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) as f32 }
    };
    let all = leaves * leaves.saturating_sub(1) / 2;
    let pairs = if all <= settings.max_pairs {
        Pairs::All(
            (1..leaves)
                .flat_map(|two| (0..two).map(move |one| (one, two)))
                .map(|(one, two)| attraction(one, two))
                .collect(),
        )
    } else {
        let mut pair = || {
            let (one, two) = (random.below(leaves), random.below(leaves - 1));
            let two = if two < one { two } else { two + 1 };
            (one as u32, two as u32, attraction(one, two))
        };
        Pairs::Sample((0..settings.max_pairs).map(|_| pair()).collect())
    };
    let mut evaluations = 0;
    let mut attracts = |one: usize, two: usize| {
        let value = match &pairs {
            Pairs::All(values) => values[one.max(two) * (one.max(two) - 1) / 2 + one.min(two)],
            Pairs::Sample(_) => {
                evaluations += 1;
                if evaluations > settings.max_evaluations {
                    return None;
                }
                attraction(one, two)
            }
        } as f64;
        Some(settings.lambda * value >= 1.0 - value)
    };

    let mut best: Option<(f64, Vec<u32>)> = None;
    let mut is_complete = true;
    for _ in 0..settings.trials.max(1) {
        let (clusters, finished) = pivot(leaves, &mut random, &mut attracts);
        is_complete &= finished;
        if finished || best.is_none() {
            let cost = objective(&pairs, &clusters, settings.lambda, all);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, clusters));
            }
        }
        if !finished {
            break;
        }
    }
    let (objective, clusters) = best.unwrap_or_default();
    Clustering { clusters: renumber(&clusters), objective, is_exact: matches!(pairs, Pairs::All(_)), is_complete }
}

/// One trial. Whether it ran to the end comes with it.
fn pivot(
    leaves: usize,
    random: &mut SplitMix64,
    attracts: &mut impl FnMut(usize, usize) -> Option<bool>,
) -> (Vec<u32>, bool) {
    let mut clusters: Vec<u32> = (0..leaves as u32).collect();
    // In a random order the next leaf left is a random one of those left.
    let mut left = clusters.clone();
    random.shuffle(&mut left);
    while let Some(pivot) = left.pop() {
        let mut finished = true;
        left.retain(|leaf| match attracts(pivot as usize, *leaf as usize) {
            Some(true) => {
                clusters[*leaf as usize] = pivot;
                false
            }
            Some(false) => true,
            None => {
                finished = false;
                true
            }
        });
        if !finished {
            return (clusters, false);
        }
    }
    (clusters, true)
}

/// What clusters cost over all pairs; from a sample, its mean times their number.
fn objective(pairs: &Pairs, clusters: &[u32], lambda: f64, all: usize) -> f64 {
    let cost = |one: usize, two: usize, value: f32| {
        let value = value as f64;
        if clusters[one] == clusters[two] { 1.0 - value } else { lambda * value }
    };
    match pairs {
        Pairs::All(values) => {
            let mut values = values.iter();
            let mut total = 0.0;
            for two in 1..clusters.len() {
                for (one, value) in (0..two).zip(&mut values) {
                    total += cost(one, two, *value);
                }
            }
            total
        }
        Pairs::Sample(sample) => {
            let total: f64 = sample.iter().map(|(one, two, value)| cost(*one as usize, *two as usize, *value)).sum();
            total * all as f64 / sample.len().max(1) as f64
        }
    }
}

/// Numbers clusters in the order of their first leaves.
fn renumber(clusters: &[u32]) -> Vec<u32> {
    let mut numbers = vec![u32::MAX; clusters.len()];
    let mut next = 0;
    let number = |cluster: &u32| {
        let number = &mut numbers[*cluster as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
        *number
    };
    clusters.iter().map(number).collect()
}

#[cfg(test)]
mod tests;
