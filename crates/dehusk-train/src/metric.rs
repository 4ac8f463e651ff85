//! Learns a distance of nodes: a large-margin nearest-neighbour metric (Weinberger, Blitzer and Saul, NIPS 2005).
//!
//! Leaves of one segment are pulled together, leaves of other segments that come closer than those by less than a margin are pushed
//! away. Gradient steps on the matrix M of the squared distance, each followed by a projection on the positive semidefinite
//! matrices: negative eigenvalues become 0.

use dehusk::methods::segment::{Metric, NODE_WIDTH, NodeVector};
use nalgebra::{DMatrix, SymmetricEigen};
use rayon::prelude::*;

/// Leaves of a page: their vectors and segments.
pub(crate) type MetricPage = Vec<(NodeVector, u32)>;

/// Neighbours of the same segment that a leaf is pulled to.
const NEIGHBOURS: usize = 3;
/// Leaves of other segments that are looked at for each leaf: the nearest.
const IMPOSTORS: usize = 10;
/// Leaves used of each page, evenly spread.
const MAX_LEAVES: usize = 150;
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
    let mut matrix = DMatrix::<f64>::identity(NODE_WIDTH, NODE_WIDTH);
    let (mut rate, mut before) = (0.1, f64::INFINITY);
    for _ in 0..STEPS {
        let parts: Vec<(f64, DMatrix<f64>)> = pages.par_iter().map(|page| loss_and_slope(&matrix, page)).collect();
        let (mut loss, mut slope) = (0.0, DMatrix::<f64>::zeros(NODE_WIDTH, NODE_WIDTH));
        for (part, part_slope) in &parts {
            loss += part / parts.len() as f64;
            slope += part_slope / parts.len() as f64;
        }
        rate *= if loss < before { 1.05 } else { 0.5 };
        before = loss;
        matrix = project(&(matrix - slope * rate));
    }
    // M = LᵀL with L = √Λ·Vᵀ.
    let eigen = SymmetricEigen::new(matrix);
    let mut rows = Vec::with_capacity(NODE_WIDTH * NODE_WIDTH);
    for at in 0..NODE_WIDTH {
        let root = eigen.eigenvalues[at].max(0.0).sqrt();
        rows.extend(eigen.eigenvectors.column(at).iter().map(|value| (value * root) as f32));
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

fn squared(matrix: &DMatrix<f64>, difference: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (column, value) in difference.iter().enumerate() {
        if *value != 0.0 {
            sum +=
                value * matrix.column(column).iter().zip(difference).map(|(weight, other)| weight * other).sum::<f64>();
        }
    }
    sum
}

/// The loss on a page and its gradient, both per leaf.
fn loss_and_slope(matrix: &DMatrix<f64>, page: &[(Vec<f64>, u32)]) -> (f64, DMatrix<f64>) {
    let (mut loss, mut slope) = (0.0, DMatrix::<f64>::zeros(NODE_WIDTH, NODE_WIDTH));
    let mut add = |slope_sign: f64, difference: &[f64]| {
        for (row, one) in difference.iter().enumerate() {
            for (column, two) in difference.iter().enumerate() {
                slope[(row, column)] += slope_sign * one * two;
            }
        }
    };
    for (vector, segment) in page {
        let mut same: Vec<(f64, Vec<f64>)> = Vec::new();
        let mut other: Vec<(f64, Vec<f64>)> = Vec::new();
        for (other_vector, other_segment) in page.iter().filter(|entry| !std::ptr::eq(&entry.0, vector)) {
            let difference = difference(vector, other_vector);
            let distance = squared(matrix, &difference);
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
            add(1.0, toward);
            for (far, away) in other.iter().take(IMPOSTORS) {
                // The margin grows with the number of features, as squared distances of scaled vectors do.
                let violation = NODE_WIDTH as f64 / 4.0 + near - far;
                if violation > 0.0 {
                    loss += PUSH * violation;
                    add(PUSH, toward);
                    add(-PUSH, away);
                }
            }
        }
    }
    let leaves = page.len().max(1) as f64;
    (loss / leaves, slope / leaves)
}

/// The nearest positive semidefinite matrix.
fn project(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let symmetric = (matrix + matrix.transpose()) * 0.5;
    let eigen = SymmetricEigen::new(symmetric);
    let roots = DMatrix::from_diagonal(&eigen.eigenvalues.map(|value| value.max(0.0)));
    &eigen.eigenvectors * roots * eigen.eigenvectors.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_feature_that_separates_segments_gains_weight() {
        let mut random = Random::new(3);
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

    #[test]
    fn projection_removes_negative_eigenvalues() {
        let matrix = DMatrix::from_row_slice(2, 2, &[0.0, 2.0, 2.0, 0.0]);
        let projected = project(&matrix);
        assert!(SymmetricEigen::new(projected.clone()).eigenvalues.iter().all(|value| *value > -1e-9));
        assert!((projected[(0, 0)] - 1.0).abs() < 1e-9 && (projected[(0, 1)] - 1.0).abs() < 1e-9);
    }
}
