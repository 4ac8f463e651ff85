//! Cuts features into intervals that tell two classes apart, by the minimum description length principle.
//!
//! Fayyad and Irani 1993: cut where the classes mix least, go on in both halves, stop where a cut does not pay for its own
//! description. Must be fitted on training rows only: cuts chosen with the test rows would make the test easier.

use dehusk::model::Discretizer;
use rayon::prelude::*;

/// Cuts every feature of rows, given one after the other. Labels above one half are one class, the others the other.
pub(crate) fn fit_mdl(rows: &[f32], features: usize, labels: &[f32]) -> Discretizer {
    let of = |feature: usize| {
        let values = rows.iter().skip(feature).step_by(features.max(1));
        cuts(values.zip(labels).map(|(value, label)| (*value, *label > 0.5)).collect())
    };
    let cuts: Vec<Vec<f32>> = (0..features).into_par_iter().map(of).collect();
    Discretizer::new(&cuts)
}

/// Rows of one value: how many, and how many of them in the class.
#[derive(Clone, Copy, Debug)]
struct Run {
    value: f32,
    rows: u32,
    ones: u32,
}

fn cuts(mut rows: Vec<(f32, bool)>) -> Vec<f32> {
    rows.retain(|row| !row.0.is_nan());
    rows.sort_unstable_by(|one, two| one.0.total_cmp(&two.0));
    let mut runs: Vec<Run> = Vec::new();
    for (value, one) in rows {
        match runs.last_mut() {
            Some(run) if run.value == value => {
                run.rows += 1;
                run.ones += u32::from(one);
            }
            _ => runs.push(Run { value, rows: 1, ones: u32::from(one) }),
        }
    }
    let mut cuts = Vec::new();
    let mut open = vec![(0, runs.len())];
    while let Some((start, end)) = open.pop() {
        if let Some(at) = best_cut(&runs[start..end]) {
            let (below, above) = (runs[start + at - 1].value, runs[start + at].value);
            let middle = below + (above - below) / 2.0;
            cuts.push(if middle > below { middle } else { above });
            open.extend([(start, start + at), (start + at, end)]);
        }
    }
    cuts.sort_by(f32::total_cmp);
    // Neighbouring numbers can have the same middle.
    cuts.dedup();
    cuts
}

/// Bits per row needed to tell the class.
fn entropy(rows: u32, ones: u32) -> f64 {
    let part = |count: u32| match count {
        0 => 0.0,
        count => {
            let share = f64::from(count) / f64::from(rows);
            -share * share.log2()
        }
    };
    part(ones) + part(rows - ones)
}

fn classes(rows: u32, ones: u32) -> f64 {
    f64::from(u8::from(ones > 0)) + f64::from(u8::from(ones < rows))
}

/// The number of runs below the best cut, if it pays.
fn best_cut(runs: &[Run]) -> Option<usize> {
    let (rows, ones) = runs.iter().fold((0, 0), |(rows, ones), run| (rows + run.rows, ones + run.ones));
    let whole = entropy(rows, ones);
    let mut best: Option<(f64, usize, u32, u32)> = None;
    let (mut below, mut below_ones) = (0, 0);
    for (at, run) in runs.iter().enumerate() {
        if at > 0 {
            let left = f64::from(below) * entropy(below, below_ones);
            let right = f64::from(rows - below) * entropy(rows - below, ones - below_ones);
            let mixed = (left + right) / f64::from(rows);
            if best.is_none_or(|best| mixed < best.0) {
                best = Some((mixed, at, below, below_ones));
            }
        }
        below += run.rows;
        below_ones += run.ones;
    }
    let (mixed, at, below, below_ones) = best?;
    let (above, above_ones) = (rows - below, ones - below_ones);
    let (all, left, right) = (classes(rows, ones), classes(below, below_ones), classes(above, above_ones));
    let saved = all * whole - left * entropy(below, below_ones) - right * entropy(above, above_ones);
    let delta = (3f64.powf(all) - 2.0).log2() - saved;
    let price = (f64::from(rows - 1).log2() + delta) / f64::from(rows);
    (whole - mixed > price).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk::dom::random::SplitMix64;

    /// The same by trying every cut, counting from the start each time, and by recursion.
    fn by_force(rows: &[(f32, bool)]) -> Vec<f32> {
        let bits = |rows: &[&(f32, bool)]| {
            let ones = rows.iter().filter(|row| row.1).count() as f64;
            let all = rows.len() as f64;
            [ones, all - ones]
                .iter()
                .filter(|count| **count > 0.0)
                .map(|count| -(count / all) * (count / all).log2())
                .sum::<f64>()
        };
        let kinds = |rows: &[&(f32, bool)]| {
            f64::from(u8::from(rows.iter().any(|row| row.1))) + f64::from(u8::from(rows.iter().any(|row| !row.1)))
        };
        let all: Vec<&(f32, bool)> = rows.iter().collect();
        let mut best: Option<(f64, f32)> = None;
        let mut values: Vec<f32> = rows.iter().map(|row| row.0).collect();
        values.sort_by(f32::total_cmp);
        values.dedup();
        for pair in values.windows(2) {
            let cut = (pair[0] + pair[1]) / 2.0;
            let (left, right): (Vec<_>, Vec<_>) = all.iter().partition(|row| row.0 < cut);
            let mixed = (left.len() as f64 * bits(&left) + right.len() as f64 * bits(&right)) / rows.len() as f64;
            if best.is_none_or(|best| mixed < best.0 - 1e-12) {
                best = Some((mixed, cut));
            }
        }
        let Some((mixed, cut)) = best else { return Vec::new() };
        let (left, right): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.0 < cut);
        let (lefts, rights): (Vec<_>, Vec<_>) = (left.iter().collect(), right.iter().collect());
        let delta = (3f64.powf(kinds(&all)) - 2.0).log2()
            - (kinds(&all) * bits(&all) - kinds(&lefts) * bits(&lefts) - kinds(&rights) * bits(&rights));
        if bits(&all) - mixed <= (((rows.len() - 1) as f64).log2() + delta) / rows.len() as f64 {
            return Vec::new();
        }
        let mut cuts = by_force(&left);
        cuts.push(cut);
        cuts.extend(by_force(&right));
        cuts
    }

    #[test]
    fn cuts_are_those_of_brute_force() {
        let mut random = SplitMix64::new(11);
        let mut found = 0;
        for _ in 0..300 {
            let length = 4 + random.below(60);
            let rows: Vec<(f32, bool)> = (0..length)
                .map(|_| {
                    let value = random.below(12) as f32;
                    let chance = if (3.0..8.0).contains(&value) { 0.9 } else { 0.1 };
                    (value, random.unit() < chance)
                })
                .collect();
            let expected = by_force(&rows);
            found += expected.len();
            assert_eq!(cuts(rows.clone()), expected, "{rows:?}");
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn noise_is_not_cut_and_a_step_is() {
        let rows: Vec<(f32, bool)> = (0..1000).map(|at| (at as f32, (at * 7919) % 2 == 0)).collect();
        assert!(cuts(rows).is_empty());
        assert_eq!(cuts((0..1000).map(|at| (at as f32, at >= 300)).collect()), [299.5]);
        assert!(cuts(Vec::new()).is_empty());
        assert!(cuts(vec![(f32::NAN, true), (1.0, false)]).is_empty());
    }
}
