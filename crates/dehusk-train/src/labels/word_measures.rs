//! How much of a reference text another text has: the words they have in common.

use rustc_hash::FxHashMap;

/// F1, precision and recall of words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WordMeasures {
    /// The harmonic mean of precision and recall.
    pub f1: f64,
    /// The share of the kept words that are wanted.
    pub precision: f64,
    /// The share of the wanted words that are kept.
    pub recall: f64,
}

impl WordMeasures {
    /// Of counts: `right` words are right among `kept` ones, where `wanted` were wanted. Nothing kept where nothing is wanted is perfect.
    #[must_use]
    pub fn of_counts(right: usize, kept: usize, wanted: usize) -> WordMeasures {
        if wanted == 0 || kept == 0 {
            let value = f64::from(u8::from(wanted == kept));
            return WordMeasures { f1: value, precision: value, recall: value };
        }
        let (precision, recall) = (right as f64 / kept as f64, right as f64 / wanted as f64);
        let f1 = if right == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
        WordMeasures { f1, precision, recall }
    }

    /// F1, precision and recall in this order, for sums over many pages.
    #[must_use]
    pub fn to_array(self) -> [f64; 3] {
        [self.f1, self.precision, self.recall]
    }
}

impl From<[f64; 3]> for WordMeasures {
    fn from([f1, precision, recall]: [f64; 3]) -> WordMeasures {
        WordMeasures { f1, precision, recall }
    }
}

/// The words of a text as the measure counts them: runs of letters, digits and underscores, in lower case.
///
/// These are the words of the benchmarks that our figures are compared with (`\w+`), so an underscore is part of a word and a text in a script
/// without spaces is one long word. Words for clustering and near-duplicates are those of `dehusk_corpus::words`.
#[must_use]
pub fn measure_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() || character == '_' {
            word.extend(character.to_lowercase());
        } else if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// F1, precision and recall of the words of a text against those of the wanted one. A word counts as often as both texts have it.
#[must_use]
pub fn measure_text(text: &str, wanted: &str) -> WordMeasures {
    let (found, wanted) = (measure_words(text), measure_words(wanted));
    let mut left: FxHashMap<&str, usize> = FxHashMap::default();
    wanted.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let mut right = 0;
    for word in &found {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            right += 1;
        }
    }
    WordMeasures::of_counts(right, found.len(), wanted.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_measured_by_their_words_however_often_each_is_there() {
        // Of "the boat the quay", "the" is wanted once: 2 of 4 kept words are right, of 3 wanted ones 2 are kept.
        let found = measure_text("The boat, the quay", "the boat sails");
        assert_eq!((found.precision, found.recall), (0.5, 2.0 / 3.0));
        assert!((found.f1 - 4.0 / 7.0).abs() < 1e-12);
        assert_eq!(measure_text("", "").to_array(), [1.0; 3]);
        assert_eq!(measure_text("word", "").to_array(), [0.0; 3]);
    }
}
