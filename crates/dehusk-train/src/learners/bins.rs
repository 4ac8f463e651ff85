//! Features in at most 255 intervals each, column by column: what trees are grown on.

use dehusk::model::Discretizer;
use rayon::prelude::*;

/// Rows looked at to choose cuts. More move a cut by less than the noise in the rows.
const SAMPLE_ROWS: usize = 200_000;

/// A table of intervals, column by column.
#[derive(Clone, Debug)]
pub struct Bins {
    cuts: Discretizer,
    rows: usize,
    columns: Vec<Vec<u8>>,
}

impl Bins {
    /// Cuts every feature into at most `max_intervals` intervals (2 to 255) of about the same number of rows, and puts the rows, given
    /// one after the other, into them.
    #[must_use]
    pub fn new(rows: &[f32], features: usize, max_intervals: usize) -> Bins {
        let count = rows.len() / features.max(1);
        let step = count.div_ceil(SAMPLE_ROWS).max(1);
        let cuts_of = |feature: usize| {
            let sampled = rows.iter().skip(feature).step_by(features * step).copied();
            cuts(sampled.filter(|value| !value.is_nan()).collect(), max_intervals.clamp(2, 255))
        };
        let cuts: Vec<Vec<f32>> = (0..features).into_par_iter().map(cuts_of).collect();
        Bins::with_cuts(rows, Discretizer::new(&cuts))
    }

    /// Puts rows into given intervals, at most 255 of each feature.
    #[must_use]
    pub fn with_cuts(rows: &[f32], cuts: Discretizer) -> Bins {
        let features = cuts.features();
        let column = |feature: usize| {
            let values = rows.iter().skip(feature).step_by(features);
            values.map(|value| cuts.bin(feature, *value) as u8).collect()
        };
        let columns = (0..features).into_par_iter().map(column).collect();
        Bins { rows: rows.len() / features.max(1), columns, cuts }
    }

    /// The cuts, which put other rows into the same intervals.
    #[must_use]
    pub fn into_cuts(self) -> Discretizer {
        self.cuts
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many features there are.
    #[must_use]
    pub fn features(&self) -> usize {
        self.columns.len()
    }

    /// The intervals of a feature, by row.
    #[must_use]
    pub fn column(&self, feature: usize) -> &[u8] {
        &self.columns[feature]
    }

    /// How many intervals a feature has.
    #[must_use]
    pub fn intervals(&self, feature: usize) -> usize {
        self.cuts.edges(feature).len() + 1
    }

    /// The cut above an interval.
    #[must_use]
    pub fn cut(&self, feature: usize, interval: usize) -> f32 {
        self.cuts.edges(feature)[interval]
    }
}

/// Cuts between values so that the intervals hold about the same number of them. Equal values stay together.
fn cuts(mut values: Vec<f32>, max_intervals: usize) -> Vec<f32> {
    values.sort_by(f32::total_cmp);
    let mut runs: Vec<(f32, usize)> = Vec::new();
    for value in values.iter().copied() {
        match runs.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => runs.push((value, 1)),
        }
    }
    let mut cuts = Vec::new();
    let (mut gathered, mut left, mut rest) = (0, values.len(), max_intervals);
    for pair in runs.windows(2) {
        let ((value, count), (next, next_count)) = (pair[0], pair[1]);
        gathered += count;
        // A common value gets an interval of its own, without its neighbours.
        let wanted = left as f64 / rest as f64;
        let full = gathered as f64 >= wanted || gathered as f64 + next_count as f64 / 2.0 >= wanted;
        if (full || runs.len() <= max_intervals) && cuts.len() + 1 < max_intervals {
            let middle = value + (next - value) / 2.0;
            cuts.push(if middle > value { middle } else { next });
            left -= gathered;
            gathered = 0;
            rest = (rest - 1).max(1);
        }
    }
    cuts.dedup();
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_get_an_interval_each_and_many_share() {
        assert_eq!(cuts(vec![3.0, 1.0, 2.0, 2.0], 8), [1.5, 2.5]);
        assert!(cuts(vec![1.0; 50], 8).is_empty());
        let many = cuts((0..1000).map(|value| value as f32).collect(), 10);
        assert_eq!(many.len(), 9);
        let bins = Bins::new(&(0..1000).map(|value| value as f32).collect::<Vec<_>>(), 1, 10);
        let mut counts = [0; 10];
        bins.column(0).iter().for_each(|bin| counts[*bin as usize] += 1);
        assert!(counts.iter().all(|count| (90..=110).contains(count)), "{counts:?}");
        // Most rows are 0: it is an interval alone, and the others still get theirs.
        let skewed = cuts((0..1000).map(|value| if value < 900 { 0.0 } else { value as f32 }).collect(), 10);
        assert!(skewed.len() >= 8 && skewed[0] > 0.0 && skewed[0] < 900.0, "{skewed:?}");
    }

    #[test]
    fn what_is_not_a_number_goes_into_the_first_interval() {
        let bins = Bins::new(&[1.0, f32::NAN, 2.0, f32::INFINITY, f32::NEG_INFINITY], 1, 8);
        let column = bins.column(0);
        assert_eq!(column[1], 0);
        assert_eq!(column[4], 0);
        assert!(column[0] < column[2] && column[2] < column[3]);
    }
}
