//! Learns a distance of nodes: a large-margin nearest-neighbour metric (Weinberger, Blitzer and Saul, NIPS 2005).
//!
//! Leaves of one segment are pulled together. Leaves of other segments are pushed away unless they are farther than those by a margin.
//! Takes gradient steps on the matrix M of the squared distance; after each, negative eigenvalues are set to 0, because a squared
//! distance is never negative.

use crate::learners::symmetric_matrix::SymmetricMatrix;
use dehusk_papers::segment::{Metric, NODE_WIDTH, NodeVector};
use rayon::prelude::*;

/// Leaves of a page: their vectors and segments.
pub(crate) type MetricPage = Vec<(NodeVector, u32)>;

/// Neighbours of the same segment that a leaf is pulled to, as in the paper of the metric.
const NEIGHBOURS: usize = 3;
/// For each leaf, the nearest leaves of other segments; only these are pushed away.
const IMPOSTORS: usize = 10;
/// Leaves used of each page, evenly spread: time grows with their square.
const MAX_LEAVES: usize = 150;
/// Gradient steps.
const STEPS: usize = 60;
/// The weight of pushing, relative to pulling.
const PUSH: f64 = 1.0;

/// The identity with scaled features: the metric without learning.
pub(crate) fn plain_metric(pages: &[MetricPage]) -> Metric {
    let vectors = || pages.iter().flatten().map(|(vector, _)| vector);
    let count = vectors().count().max(1) as f64;
    let mut means = vec![0.0_f64; NODE_WIDTH];
    vectors()
        .for_each(|vector| means.iter_mut().zip(vector).for_each(|(sum, value)| *sum += f64::from(*value) / count));
    let mut scales = vec![0.0_f64; NODE_WIDTH];
    for vector in vectors() {
        for at in 0..NODE_WIDTH {
            scales[at] += (f64::from(vector[at]) - means[at]).powi(2) / count;
        }
    }
    let mut matrix = vec![0.0; NODE_WIDTH * NODE_WIDTH];
    (0..NODE_WIDTH).for_each(|at| matrix[at * NODE_WIDTH + at] = 1.0);
    Metric {
        means: means.into_iter().map(|mean| mean as f32).collect(),
        // A feature that never varies in training says nothing.
        scales: scales.into_iter().map(|scale| if scale > 1e-8 { scale.sqrt() as f32 } else { 1.0 }).collect(),
        matrix,
    }
}

/// Learns a metric from pages with known segments.
pub(crate) fn fit_metric(pages: &[MetricPage]) -> Metric {
    let plain = plain_metric(pages);
    let pages: Vec<Vec<(Vec<f64>, u32)>> = pages.iter().map(|page| scaled_sample(&plain, page)).collect();
    let mut matrix = SymmetricMatrix::identity(NODE_WIDTH);
    let (mut rate, mut before) = (0.1, f64::INFINITY);
    for _ in 0..STEPS {
        let parts: Vec<(f64, SymmetricMatrix)> = pages.par_iter().map(|page| loss_and_slope(&matrix, page)).collect();
        let (mut loss, mut slope) = (0.0, SymmetricMatrix::zeros(NODE_WIDTH));
        for (part, part_slope) in &parts {
            loss += part / parts.len() as f64;
            slope.add(1.0 / parts.len() as f64, part_slope);
        }
        // A step that went too far is followed by shorter ones; the others grow slowly.
        rate *= if loss < before { 1.05 } else { 0.5 };
        before = loss;
        matrix.add(-rate, &slope);
        matrix = matrix.positive_part();
    }
    // M = LᵀL with L = √Λ·Vᵀ.
    let mut rows = Vec::with_capacity(NODE_WIDTH * NODE_WIDTH);
    for pair in matrix.eigen_pairs() {
        let root = pair.value.max(0.0).sqrt();
        rows.extend(pair.vector.iter().map(|value| (value * root) as f32));
    }
    Metric { matrix: rows, ..plain }
}

fn scaled_sample(plain: &Metric, page: &MetricPage) -> Vec<(Vec<f64>, u32)> {
    let step = page.len().div_ceil(MAX_LEAVES).max(1);
    let scaled = |vector: &NodeVector| plain.map(vector).iter().map(|value| f64::from(*value)).collect();
    page.iter().step_by(step).map(|(vector, segment)| (scaled(vector), *segment)).collect()
}

fn difference(one: &[f64], two: &[f64]) -> Vec<f64> {
    one.iter().zip(two).map(|(one, two)| one - two).collect()
}

/// The loss on a page and its gradient, both per leaf.
fn loss_and_slope(matrix: &SymmetricMatrix, page: &[(Vec<f64>, u32)]) -> (f64, SymmetricMatrix) {
    let (mut loss, mut slope) = (0.0, SymmetricMatrix::zeros(NODE_WIDTH));
    for (vector, segment) in page {
        let mut same: Vec<(f64, Vec<f64>)> = Vec::new();
        let mut other: Vec<(f64, Vec<f64>)> = Vec::new();
        for (other_vector, other_segment) in page.iter().filter(|entry| !std::ptr::eq(&entry.0, vector)) {
            let difference = difference(vector, other_vector);
            let distance = matrix.squared_length(&difference);
            if other_segment == segment {
                same.push((distance, difference))
            } else {
                other.push((distance, difference))
            }
        }
        let by_distance = |one: &(f64, Vec<f64>), two: &(f64, Vec<f64>)| one.0.total_cmp(&two.0);
        same.sort_by(by_distance);
        other.sort_by(by_distance);
        for (near, toward) in same.iter().take(NEIGHBOURS) {
            loss += near;
            slope.add_square(1.0, toward);
            for (far, away) in other.iter().take(IMPOSTORS) {
                // The margin grows with the number of features, as squared distances of scaled vectors do.
                let violation = NODE_WIDTH as f64 / 4.0 + near - far;
                if violation > 0.0 {
                    loss += PUSH * violation;
                    slope.add_square(PUSH, toward);
                    slope.add_square(-PUSH, away);
                }
            }
        }
    }
    let leaves = page.len().max(1) as f64;
    let mut mean = SymmetricMatrix::zeros(NODE_WIDTH);
    mean.add(1.0 / leaves, &slope);
    (loss / leaves, mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk::dom::random::SplitMix64;

    #[test]
    fn the_feature_that_separates_segments_gains_weight() {
        let mut random = SplitMix64::new(3);
        let page = || -> MetricPage {
            (0..60)
                .map(|at| {
                    let mut vector = [0.0; NODE_WIDTH];
                    vector.iter_mut().for_each(|value| *value = random.unit() as f32);
                    let segment = at % 3;
                    vector[4] = segment as f32 + 0.2 * vector[4];
                    (vector, segment as u32)
                })
                .collect()
        };
        let pages: Vec<MetricPage> = std::iter::repeat_with(page).take(4).collect();
        let metric = fit_metric(&pages);
        let weight =
            |column: usize| -> f32 { metric.matrix.chunks(NODE_WIDTH).map(|row| row[column] * row[column]).sum() };
        let others = (0..NODE_WIDTH).filter(|column| *column != 4).map(weight).fold(0.0, f32::max);
        assert!(weight(4) > 2.0 * others, "{} against {others}", weight(4));
    }
}
