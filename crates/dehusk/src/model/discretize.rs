//! Cuts of features into intervals, applied: a number becomes the number of its interval.
//!
//! The cuts come from training (minimum description length, or quantiles). A value that is no number falls into the first
//! interval.

use super::file::{Array, ModelFile, bad};
use crate::error::Error;

/// The cuts of each feature, in ascending order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Discretizer {
    cuts: Vec<f32>,
    /// Where the cuts of each feature begin, and the end.
    starts: Vec<u32>,
}

impl Discretizer {
    /// Cuts for each feature, each list in ascending order.
    pub fn new(features: &[Vec<f32>]) -> Discretizer {
        let mut starts = vec![0];
        let mut cuts = Vec::new();
        for feature in features {
            cuts.extend(feature);
            starts.push(cuts.len() as u32);
        }
        Discretizer { cuts, starts }
    }

    /// How many features a row has.
    pub fn features(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The cuts of a feature.
    pub fn cuts(&self, feature: usize) -> &[f32] {
        &self.cuts[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }

    /// The number of a feature's first cut among the cuts of all features.
    pub(super) fn start(&self, feature: usize) -> usize {
        self.starts[feature] as usize
    }

    /// The interval a value lies in: the number of cuts that are not above it.
    pub fn interval(&self, feature: usize, value: f32) -> usize {
        intervals_below(self.cuts(feature), value)
    }

    /// How many columns a row has when each interval of each feature is one.
    pub fn columns(&self) -> usize {
        self.cuts.len() + self.features()
    }

    /// The column of a feature's first interval.
    pub fn first_column(&self, feature: usize) -> usize {
        self.starts[feature] as usize + feature
    }

    /// The columns that are 1 for a row, one for each feature.
    pub fn columns_of<'a>(&'a self, row: &'a [f32]) -> impl Iterator<Item = usize> + 'a {
        let values = row.iter().take(self.features()).enumerate();
        values.map(|(feature, value)| self.first_column(feature) + self.interval(feature, *value))
    }

    /// Puts the cuts into a file, under names that start with `prefix`.
    pub fn write(&self, prefix: &str, file: &mut ModelFile) {
        file.set(format!("{prefix}.cuts"), Array::F32(self.cuts.clone()));
        file.set(format!("{prefix}.starts"), Array::U32(self.starts.clone()));
    }

    /// Reads the cuts of so many features.
    pub fn read(prefix: &str, features: usize, file: &ModelFile) -> Result<Discretizer, Error> {
        let cuts = file.f32s(&format!("{prefix}.cuts"))?.to_vec();
        let starts = file.u32s(&format!("{prefix}.starts"))?.to_vec();
        let fits = starts.len() == features + 1
            && starts.first() == Some(&0)
            && starts.last() == Some(&(cuts.len() as u32))
            && starts.is_sorted();
        if !fits {
            return Err(bad(format!("the cuts of `{prefix}` are not those of {features} features")));
        }
        let discretizer = Discretizer { cuts, starts };
        let in_order = |feature| discretizer.cuts(feature).is_sorted_by(|one, two| one < two);
        if !(0..features).all(in_order) {
            return Err(bad(format!("the cuts of `{prefix}` are not in order")));
        }
        Ok(discretizer)
    }
}

/// The number of cuts that are not above a value, without a branch on the value: the processor cannot guess those.
fn intervals_below(cuts: &[f32], value: f32) -> usize {
    let (mut base, mut size) = (0, cuts.len());
    if size == 0 {
        return 0;
    }
    while size > 1 {
        let half = size / 2;
        base += usize::from(cuts[base + half - 1] <= value) * half;
        size -= half;
    }
    base + usize::from(cuts[base] <= value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Schema;

    #[test]
    fn intervals_are_those_of_a_count() {
        for length in 0..20 {
            let cuts: Vec<f32> = (0..length).map(|number| number as f32 * 2.0).collect();
            for value in [-1.0, 0.0, 0.5, 1.0, 2.0, 7.0, 18.0, 37.9, 38.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
                let expected = cuts.iter().filter(|cut| **cut <= value).count();
                assert_eq!(intervals_below(&cuts, value), expected, "{length} cuts, {value}");
            }
        }
    }

    #[test]
    fn columns_follow_each_other_and_read_back() {
        let cuts = Discretizer::new(&[vec![1.0, 2.0], vec![], vec![0.5]]);
        assert_eq!(cuts.columns(), 6);
        assert_eq!(cuts.columns_of(&[0.0, 9.0, 0.0]).collect::<Vec<_>>(), [0, 3, 4]);
        assert_eq!(cuts.columns_of(&[2.0, 9.0, 1.0]).collect::<Vec<_>>(), [2, 3, 5]);
        let mut file = ModelFile::new("test", Schema::new("test", 1, ["one"]), "");
        cuts.write("cuts", &mut file);
        assert_eq!(Discretizer::read("cuts", 3, &file).unwrap(), cuts);
        assert!(Discretizer::read("cuts", 2, &file).is_err());
        file.set("cuts.cuts", Array::F32(vec![2.0, 1.0, 0.5]));
        assert!(Discretizer::read("cuts", 3, &file).is_err());
    }
}
