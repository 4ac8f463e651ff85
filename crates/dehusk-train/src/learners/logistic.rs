//! Fits logistic regression: weighted log loss with a penalty on squared weights, by L-BFGS.
//!
//! Rows are taken in chunks whose sums are added in their order, so that the weights do not depend on the number of threads.

use dehusk::model::{Discretizer, Logistic};
use rayon::prelude::*;
use std::collections::VecDeque;

/// How a fit is done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LogisticOptions {
    /// The penalty on squared weights, per unit of row weight.
    pub l2: f64,
    /// The most steps.
    pub steps: usize,
    /// The fit ends when no part of the gradient is larger, per unit of row weight.
    pub tolerance: f64,
}

impl Default for LogisticOptions {
    fn default() -> LogisticOptions {
        LogisticOptions { l2: 1e-4, steps: 200, tolerance: 1e-5 }
    }
}

/// Rows that are 1 in some columns, the same number in each row, and 0 in all others.
#[derive(Clone, Debug)]
pub struct SparseRows {
    columns: usize,
    per_row: usize,
    set: Vec<u32>,
}

impl SparseRows {
    /// The intervals of each row's features, as columns.
    #[must_use]
    pub fn of(cuts: &Discretizer, rows: &[f32]) -> SparseRows {
        let features = cuts.features();
        let set =
            rows.par_chunks(features.max(1)).flat_map_iter(|row| cuts.columns_of(row).map(|column| column as u32));
        SparseRows { columns: cuts.columns(), per_row: features, set: set.collect() }
    }

    fn len(&self) -> usize {
        self.set.len() / self.per_row.max(1)
    }

    fn dot(&self, row: usize, weights: &[f64]) -> f64 {
        self.set[row * self.per_row..(row + 1) * self.per_row].iter().map(|column| weights[*column as usize]).sum()
    }

    fn add(&self, row: usize, scale: f64, sums: &mut [f64]) {
        self.set[row * self.per_row..(row + 1) * self.per_row]
            .iter()
            .for_each(|column| sums[*column as usize] += scale);
    }
}

/// Fits a model. Labels are 0 to 1.
#[must_use]
pub fn fit_logistic(rows: &SparseRows, labels: &[f32], weights: &[f32], options: LogisticOptions) -> Logistic {
    let fitted = minimize(rows, labels, weights, options);
    let (columns, bias) = fitted.split_at(rows.columns);
    let mut means = vec![0.0f64; rows.columns];
    let total: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
    for (row, weight) in weights.iter().enumerate() {
        rows.add(row, f64::from(*weight) / total.max(1e-300), &mut means);
    }
    let to_f32 = |values: &[f64]| values.iter().map(|value| *value as f32).collect::<Vec<f32>>();
    Logistic::new(to_f32(columns), bias[0] as f32, to_f32(&means))
}

/// Rows summed by one thread before sums are added up.
const CHUNK: usize = 8192;

/// The loss and its gradient; the bias is the last weight and is not penalized.
fn loss(rows: &SparseRows, labels: &[f32], weights: &[f32], at: &[f64], l2: f64) -> (f64, Vec<f64>) {
    let columns = rows.columns;
    let chunks = rows.len().div_ceil(CHUNK);
    let part = |chunk: usize| {
        let (mut sum, mut gradient) = (0.0, vec![0.0; columns + 1]);
        for row in chunk * CHUNK..((chunk + 1) * CHUNK).min(rows.len()) {
            let margin = rows.dot(row, &at[..columns]) + at[columns];
            let (label, weight) = (f64::from(labels[row]), f64::from(weights[row]));
            // log(1 + e^margin) - label * margin, without overflow.
            sum += weight * (margin.max(0.0) + (-margin.abs()).exp().ln_1p() - label * margin);
            let error = weight * (1.0 / (1.0 + (-margin).exp()) - label);
            rows.add(row, error, &mut gradient[..columns]);
            gradient[columns] += error;
        }
        (sum, gradient)
    };
    let parts: Vec<(f64, Vec<f64>)> = (0..chunks).into_par_iter().map(part).collect();
    let total: f64 = weights.iter().map(|weight| f64::from(*weight)).sum::<f64>().max(1e-300);
    let (mut sum, mut gradient) = (0.0, vec![0.0; columns + 1]);
    for (part, part_gradient) in parts {
        sum += part;
        gradient.iter_mut().zip(part_gradient).for_each(|(sum, part)| *sum += part);
    }
    sum /= total;
    gradient.iter_mut().for_each(|slope| *slope /= total);
    for (weight, slope) in at[..columns].iter().zip(&mut gradient) {
        sum += 0.5 * l2 * weight * weight;
        *slope += l2 * weight;
    }
    (sum, gradient)
}

fn dot(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

/// Steps and changes of the gradient that the direction is worked out from.
const MEMORY: usize = 12;

fn minimize(rows: &SparseRows, labels: &[f32], weights: &[f32], options: LogisticOptions) -> Vec<f64> {
    let mut at = vec![0.0; rows.columns + 1];
    let (mut value, mut gradient) = loss(rows, labels, weights, &at, options.l2);
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
    for _ in 0..options.steps {
        if gradient.iter().all(|slope| slope.abs() <= options.tolerance) {
            break;
        }
        let direction = direction(&gradient, &memory);
        let slope = dot(&direction, &gradient);
        let mut length = 1.0;
        // Halve the step until the loss falls enough; it is convex, so a short enough step does.
        let next = loop {
            let next: Vec<f64> = at.iter().zip(&direction).map(|(at, along)| at + length * along).collect();
            let (next_value, next_gradient) = loss(rows, labels, weights, &next, options.l2);
            if next_value <= value + 1e-4 * length * slope {
                break Some((next, next_value, next_gradient));
            }
            length *= 0.5;
            if length < 1e-12 {
                break None;
            }
        };
        let Some((next, next_value, next_gradient)) = next else { break };
        let step: Vec<f64> = next.iter().zip(&at).map(|(next, at)| next - at).collect();
        let change: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(next, now)| next - now).collect();
        if dot(&step, &change) > 1e-14 {
            memory.push_back((step, change));
            if memory.len() > MEMORY {
                memory.pop_front();
            }
        }
        (at, value, gradient) = (next, next_value, next_gradient);
    }
    at
}

/// The two-loop recursion of L-BFGS.
fn direction(gradient: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
    let mut along: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(memory.len());
    for (step, change) in memory.iter().rev() {
        let share = dot(step, &along) / dot(step, change);
        along.iter_mut().zip(change).for_each(|(along, change)| *along -= share * change);
        shares.push(share);
    }
    if let Some((step, change)) = memory.back() {
        let scale = dot(step, change) / dot(change, change);
        along.iter_mut().for_each(|along| *along *= scale);
    }
    for ((step, change), share) in memory.iter().zip(shares.iter().rev()) {
        let back = dot(change, &along) / dot(step, change);
        along.iter_mut().zip(step).for_each(|(along, step)| *along += (share - back) * step);
    }
    along
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk::dom::random::SplitMix64;

    /// Rows of two features, cut in three and two intervals, and labels with known log-odds for each interval.
    fn table(rows: usize) -> (SparseRows, Vec<f32>, Vec<f32>) {
        let mut random = SplitMix64::new(5);
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let row = [random.unit() as f32 * 3.0, random.unit() as f32 * 2.0];
            let margin = [-1.0, 0.0, 1.5][row[0] as usize] + [0.5, -0.5][row[1] as usize];
            labels.push(f32::from(u8::from(random.unit() < 1.0 / (1.0 + f64::exp(-margin)))));
            values.extend(row);
        }
        (SparseRows::of(&Discretizer::new(&[vec![1.0, 2.0], vec![1.0]]), &values), labels, vec![1.0; rows])
    }

    #[test]
    fn gradients_are_those_of_differences() {
        let (rows, labels, weights) = table(50);
        let at = [0.3, -0.1, 0.02, 0.5, -0.7, 0.2];
        let (_, gradient) = loss(&rows, &labels, &weights, &at, 0.1);
        for number in 0..at.len() {
            let moved = |by: f64| {
                let mut moved = at;
                moved[number] += by;
                loss(&rows, &labels, &weights, &moved, 0.1).0
            };
            let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((gradient[number] - expected).abs() < 1e-6, "{number}");
        }
    }

    #[test]
    fn the_fit_finds_the_log_odds_behind_the_labels() {
        let (rows, labels, weights) = table(40_000);
        let model = fit_logistic(&rows, &labels, &weights, LogisticOptions { l2: 1e-9, ..Default::default() });
        for (first, expected) in [-1.0, 0.0, 1.5].into_iter().enumerate() {
            for (second, more) in [0.5, -0.5].into_iter().enumerate() {
                let margin = model.margin_of([first, 3 + second].into_iter());
                assert!((margin - (expected + more)).abs() < 0.1, "{first} {second}: {margin}");
            }
        }
    }

    /// For one feature with two intervals the best log-odds are those of the counts.
    #[test]
    fn one_column_has_a_closed_form() {
        let rows: Vec<f32> = (0..100).map(|row| if row < 40 { 1.0 } else { 0.0 }).collect();
        let labels: Vec<f32> = (0..100).map(|row| if row % 4 == 0 || row < 20 { 1.0 } else { 0.0 }).collect();
        let options = LogisticOptions { l2: 0.0, tolerance: 1e-10, ..Default::default() };
        let odds = |from: usize, to: usize| {
            let ones = labels[from..to].iter().sum::<f32>();
            (ones / ((to - from) as f32 - ones)).ln()
        };
        let rows = SparseRows::of(&Discretizer::new(&[vec![0.5]]), &rows);
        let model = fit_logistic(&rows, &labels, &[1.0; 100], options);
        assert!((model.margin(&[0.0, 1.0]) - odds(0, 40)).abs() < 1e-4);
        assert!((model.margin(&[1.0, 0.0]) - odds(40, 100)).abs() < 1e-4);
    }

    #[test]
    fn threads_do_not_matter() {
        let (rows, labels, weights) = table(30_000);
        let fit = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit_logistic(&rows, &labels, &weights, LogisticOptions::default()))
        };
        assert_eq!(fit(1), fit(4));
    }
}
