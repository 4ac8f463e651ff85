//! Bins features: the value of a feature becomes the number of its bin.
//!
//! The bin edges come from training (minimum description length, or quantiles). NaN falls into the first bin.

use super::model_file::{Array, ModelFile, damaged};
use crate::error::Error;

/// The bin edges of each feature, in ascending order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Discretizer {
    edges: Vec<f32>,
    /// The index of the first edge of each feature, and the number of all edges.
    starts: Vec<u32>,
}

impl Discretizer {
    /// Bins from the edges of each feature, each list in ascending order.
    pub fn new(features: &[Vec<f32>]) -> Discretizer {
        let mut starts = vec![0];
        let mut edges = Vec::new();
        for feature in features {
            edges.extend(feature);
            starts.push(edges.len() as u32);
        }
        Discretizer { edges, starts }
    }

    /// The number of features of a row.
    pub fn features(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The bin edges of a feature. It has one more bin than edges.
    pub fn edges(&self, feature: usize) -> &[f32] {
        &self.edges[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }

    /// The bin edges of all features.
    pub(super) fn all_edges(&self) -> &[f32] {
        &self.edges
    }

    /// The index of a feature's first edge among the edges of all features.
    pub(super) fn first_edge(&self, feature: usize) -> usize {
        self.starts[feature] as usize
    }

    /// The bin of a value: the number of edges at or below it.
    pub fn bin(&self, feature: usize, value: f32) -> usize {
        edges_at_or_below(self.edges(feature), value)
    }

    /// The number of columns of a one-hot row, which has a column for each bin of each feature.
    pub fn columns(&self) -> usize {
        self.edges.len() + self.features()
    }

    /// The column of a feature's first bin.
    pub fn first_column(&self, feature: usize) -> usize {
        self.starts[feature] as usize + feature
    }

    /// The columns that are 1 in the one-hot form of a row, one for each feature.
    pub fn columns_of<'a>(&'a self, row: &'a [f32]) -> impl Iterator<Item = usize> + 'a {
        let values = row.iter().take(self.features()).enumerate();
        values.map(|(feature, value)| self.first_column(feature) + self.bin(feature, *value))
    }

    /// Adds the bin edges to a file, in arrays whose names start with `prefix`. The file format calls them `cuts`.
    pub fn write(&self, prefix: &str, file: &mut ModelFile) {
        file.set(format!("{prefix}.cuts"), Array::F32(self.edges.clone()));
        file.set(format!("{prefix}.starts"), Array::U32(self.starts.clone()));
    }

    /// Reads the bin edges of the given number of features.
    pub fn read(prefix: &str, features: usize, file: &ModelFile) -> Result<Discretizer, Error> {
        let edges = file.f32s(&format!("{prefix}.cuts"))?.to_vec();
        let starts = file.u32s(&format!("{prefix}.starts"))?.to_vec();
        let fits = starts.len() == features + 1
            && starts.first() == Some(&0)
            && starts.last() == Some(&(edges.len() as u32))
            && starts.is_sorted();
        if !fits {
            return Err(damaged(format!("the bin edges of `{prefix}` are not those of {features} features")));
        }
        let discretizer = Discretizer { edges, starts };
        let in_order = |feature| discretizer.edges(feature).is_sorted_by(|one, two| one < two);
        if !(0..features).all(in_order) {
            return Err(damaged(format!("the bin edges of `{prefix}` are not in order")));
        }
        Ok(discretizer)
    }
}

/// The number of edges at or below a value, by a binary search without branches on the value, which the processor could not
/// predict.
fn edges_at_or_below(edges: &[f32], value: f32) -> usize {
    let (mut base, mut size) = (0, edges.len());
    if size == 0 {
        return 0;
    }
    while size > 1 {
        let half = size / 2;
        base += usize::from(edges[base + half - 1] <= value) * half;
        size -= half;
    }
    base + usize::from(edges[base] <= value)
}

#[cfg(test)]
mod tests {
    use super::super::feature_schema::Schema;
    use super::*;

    #[test]
    fn bins_are_those_of_a_linear_count() {
        for length in 0..20 {
            let edges: Vec<f32> = (0..length).map(|number| number as f32 * 2.0).collect();
            for value in [-1.0, 0.0, 0.5, 1.0, 2.0, 7.0, 18.0, 37.9, 38.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
                let expected = edges.iter().filter(|edge| **edge <= value).count();
                assert_eq!(edges_at_or_below(&edges, value), expected, "{length} edges, {value}");
            }
        }
    }

    #[test]
    fn columns_are_contiguous_and_bins_read_back() {
        let bins = Discretizer::new(&[vec![1.0, 2.0], vec![], vec![0.5]]);
        assert_eq!(bins.columns(), 6);
        assert_eq!(bins.columns_of(&[0.0, 9.0, 0.0]).collect::<Vec<_>>(), [0, 3, 4]);
        assert_eq!(bins.columns_of(&[2.0, 9.0, 1.0]).collect::<Vec<_>>(), [2, 3, 5]);
        let mut file = ModelFile::new("test", Schema::new("test", 1, ["one"]), "");
        bins.write("cuts", &mut file);
        assert_eq!(Discretizer::read("cuts", 3, &file).unwrap(), bins);
        assert!(Discretizer::read("cuts", 2, &file).is_err());
        file.set("cuts.cuts", Array::F32(vec![2.0, 1.0, 0.5]));
        assert!(Discretizer::read("cuts", 3, &file).is_err());
    }
}
