//! Applies a logistic regression: a weighted sum of features, mapped to 0..1.
//!
//! The scaling of the features that fitting needs is folded into the weights, so a score is one pass over a row.

use super::model_file::{Array, ModelFile, damaged};
use crate::error::Error;

/// Weights of a logistic regression.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Logistic {
    weights: Vec<f32>,
    bias: f32,
    /// The mean of each feature in training, which contributions are relative to.
    means: Vec<f32>,
}

/// `1 / (1 + e^-x)`.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Logistic {
    /// A model from weights, a bias and the means of the features in training.
    ///
    /// # Panics
    /// If there are not as many means as weights.
    pub fn new(weights: Vec<f32>, bias: f32, means: Vec<f32>) -> Logistic {
        assert_eq!(weights.len(), means.len(), "one mean for each weight");
        Logistic { weights, bias, means }
    }

    /// The number of features of a row.
    pub fn features(&self) -> usize {
        self.weights.len()
    }

    /// The weights, for unscaled rows.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The weighted sum of a row. Missing features count as 0.
    pub fn margin(&self, row: &[f32]) -> f32 {
        let mut sum = self.bias;
        for (weight, value) in self.weights.iter().zip(row) {
            sum += weight * value;
        }
        sum
    }

    /// The weighted sum of a row that is 1 in the given columns and 0 in all others.
    pub fn margin_of(&self, columns: impl Iterator<Item = usize>) -> f32 {
        let mut sum = self.bias;
        for column in columns {
            sum += self.weights[column];
        }
        sum
    }

    /// The mean of each feature in training.
    pub fn means(&self) -> &[f32] {
        &self.means
    }

    /// The score of a row, 0 to 1.
    pub fn score(&self, row: &[f32]) -> f32 {
        sigmoid(self.margin(row))
    }

    /// The contribution of each feature to the weighted sum, compared with the mean row.
    pub fn contributions(&self, row: &[f32]) -> Vec<f32> {
        let values = row.iter().zip(&self.means);
        self.weights.iter().zip(values).map(|(weight, (value, mean))| weight * (value - mean)).collect()
    }

    /// Adds the model to a file, in arrays whose names start with `prefix`.
    pub fn write(&self, prefix: &str, file: &mut ModelFile) {
        file.set(format!("{prefix}.weights"), Array::F32(self.weights.clone()));
        file.set(format!("{prefix}.bias"), Array::F32(vec![self.bias]));
        file.set(format!("{prefix}.means"), Array::F32(self.means.clone()));
    }

    /// Reads a model for rows of the given number of features.
    pub fn read(prefix: &str, features: usize, file: &ModelFile) -> Result<Logistic, Error> {
        let weights = file.f32s(&format!("{prefix}.weights"))?.to_vec();
        let means = file.f32s(&format!("{prefix}.means"))?.to_vec();
        if weights.len() != features || means.len() != features {
            return Err(damaged(format!("`{prefix}` has {} weights for {features} features", weights.len())));
        }
        if !weights.iter().chain(&means).all(|value| value.is_finite()) {
            return Err(damaged(format!("a weight of `{prefix}` is not a finite number")));
        }
        Ok(Logistic { weights, bias: file.number(&format!("{prefix}.bias"))?, means })
    }
}

#[cfg(test)]
mod tests {
    use super::super::feature_schema::Schema;
    use super::*;

    #[test]
    fn scores_are_those_of_the_formula() {
        let model = Logistic::new(vec![2.0, -1.0], 0.5, vec![1.0, 3.0]);
        assert_eq!(model.margin(&[1.0, 2.0]), 0.5);
        assert!((model.score(&[1.0, 2.0]) - 0.622_459_3).abs() < 1e-6);
        assert_eq!(model.contributions(&[1.0, 2.0]), [0.0, 1.0]);
        assert_eq!((sigmoid(-200.0), sigmoid(200.0)), (0.0, 1.0));
    }

    #[test]
    fn a_model_reads_back_and_the_wrong_size_is_named() {
        let model = Logistic::new(vec![2.0, -1.0], 0.5, vec![1.0, 3.0]);
        let mut file = ModelFile::new("test", Schema::new("test", 1, ["one"]), "");
        model.write("band0", &mut file);
        assert_eq!(Logistic::read("band0", 2, &file).unwrap(), model);
        assert!(Logistic::read("band0", 3, &file).unwrap_err().to_string().contains("`band0`"));
        assert!(Logistic::read("band1", 2, &file).is_err());
    }
}
