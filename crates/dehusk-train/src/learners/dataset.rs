//! Rows of features with their labels, weights and sites.

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::Xxh3;

/// A table to fit and test models on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dataset {
    features: usize,
    rows: Vec<f32>,
    labels: Vec<f32>,
    weights: Vec<f32>,
    sites: Vec<u32>,
}

impl Dataset {
    /// A table without rows.
    #[must_use]
    pub fn new(features: usize) -> Dataset {
        Dataset { features, ..Dataset::default() }
    }

    /// Adds a row. `label` is 1 for template and 0 for content, or any target for other uses; `site` is a number.
    ///
    /// # Panics
    /// If the row has another number of features than the table.
    pub fn push(&mut self, row: &[f32], label: f32, weight: f32, site: u32) {
        assert_eq!(row.len(), self.features, "a row has as many features as the table");
        self.rows.extend(row);
        self.labels.push(label);
        self.weights.push(weight);
        self.sites.push(site);
    }

    /// Adds the rows of another table.
    ///
    /// # Panics
    /// If the tables have different numbers of features.
    pub fn append(&mut self, other: &Dataset) {
        assert_eq!(other.features, self.features, "tables have the same features");
        self.rows.extend(&other.rows);
        self.labels.extend(&other.labels);
        self.weights.extend(&other.weights);
        self.sites.extend(&other.sites);
    }

    /// How many features a row has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// A row.
    #[must_use]
    pub fn row(&self, number: usize) -> &[f32] {
        &self.rows[number * self.features..(number + 1) * self.features]
    }

    /// A row, to change it.
    pub fn row_mut(&mut self, number: usize) -> &mut [f32] {
        &mut self.rows[number * self.features..(number + 1) * self.features]
    }

    /// All rows, one after the other.
    #[must_use]
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// The labels.
    #[must_use]
    pub fn labels(&self) -> &[f32] {
        &self.labels
    }

    /// The weights.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The weights, to change them.
    pub fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// The numbers of the sites.
    #[must_use]
    pub fn sites(&self) -> &[u32] {
        &self.sites
    }

    /// Some of the rows, in the given order.
    #[must_use]
    pub fn select(&self, numbers: impl Iterator<Item = usize>) -> Dataset {
        let mut selected = Dataset::new(self.features);
        for number in numbers {
            selected.push(self.row(number), self.labels[number], self.weights[number], self.sites[number]);
        }
        selected
    }

    /// The first of all rows with the same features and label: such rows count once (Block §4.1).
    #[must_use]
    pub fn distinct(&self) -> Vec<usize> {
        let mut seen = FxHashSet::default();
        let is_new = |number: &usize| {
            let mut hash = Xxh3::new();
            self.row(*number).iter().for_each(|value| hash.update(&value.to_bits().to_le_bytes()));
            hash.update(&self.labels[*number].to_bits().to_le_bytes());
            seen.insert(hash.digest128())
        };
        (0..self.len()).filter(is_new).collect()
    }

    /// Scales the weights so that rows of label 1 and rows of label 0 weigh the same, and the sum of all weights is the number of rows.
    pub fn balance(&mut self) {
        let (mut ones, mut zeros) = (0.0f64, 0.0f64);
        for (label, weight) in self.labels.iter().zip(&self.weights) {
            *(if *label > 0.5 { &mut ones } else { &mut zeros }) += f64::from(*weight);
        }
        let half = self.len() as f64 / 2.0;
        for (label, weight) in self.labels.iter().zip(&mut self.weights) {
            let total = if *label > 0.5 { ones } else { zeros };
            *weight = (f64::from(*weight) * half / total.max(1e-12)) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_count_once_and_classes_weigh_the_same() {
        let mut table = Dataset::new(2);
        for (row, label) in [([1.0, 2.0], 1.0), ([1.0, 2.0], 1.0), ([1.0, 2.0], 0.0), ([0.0, -0.0], 1.0)] {
            table.push(&row, label, 1.0, 0);
        }
        assert_eq!(table.distinct(), [0, 2, 3]);
        table.balance();
        assert_eq!(table.weights()[2], 2.0);
        assert_eq!(table.weights().iter().sum::<f32>(), 4.0);
        assert_eq!(table.select([2, 0].into_iter()).labels(), [0.0, 1.0]);
    }
}
