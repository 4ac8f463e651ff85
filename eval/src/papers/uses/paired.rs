//! Whether a difference between two ways is more than chance.

use dehusk::dom::random::SplitMix64;

/// Sign patterns drawn.
const DRAWS: usize = 10_000;

/// The probability of a mean difference as large as this if each difference were as likely to have the other sign: a randomization test
/// for pairs, two-sided, with fixed draws.
pub(super) fn probability(differences: &[f64]) -> f64 {
    let sum: f64 = differences.iter().sum();
    let mut random = SplitMix64::new(1);
    let is_as_large = |_: &usize| {
        let drawn: f64 =
            differences.iter().map(|difference| if random.below(2) == 0 { *difference } else { -difference }).sum();
        drawn.abs() >= sum.abs() - 1e-9
    };
    let as_large = (0..DRAWS).filter(is_as_large).count();
    (as_large + 1) as f64 / (DRAWS + 1) as f64
}

/// A gain over a baseline, with its probability, for tables.
pub(super) fn gain(values: &[f64], baseline: &[f64]) -> String {
    let differences: Vec<f64> = values.iter().zip(baseline).map(|(value, base)| value - base).collect();
    let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
    if differences.iter().all(|difference| *difference == 0.0) {
        return "0".into();
    }
    let probability = probability(&differences);
    match probability < 0.001 {
        true => format!("{mean:+.3} (p < 0.001)"),
        false => format!("{mean:+.3} (p = {probability:.3})"),
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
