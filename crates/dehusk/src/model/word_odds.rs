//! Naive Bayes over words: the log-odds of each word in templates versus content.
//!
//! A model contains hashes of words and their log-odds, not the words themselves. An unknown word has no log-odds. Fusion keeps
//! its own log-odds of words and names, in arrays of another format.

use super::model_file::{Array, ModelFile, damaged};
use crate::error::Error;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// The log-odds of words, by hash.
#[derive(Clone, Debug, Default)]
pub struct WordOdds {
    odds: FxHashMap<u32, f32>,
}

/// The hash of a word, which must be in lower case. Hashes are stored in model files.
pub fn word_key(word: &str) -> u32 {
    xxh3_64(word.as_bytes()) as u32
}

impl WordOdds {
    /// A model from pairs of a word's hash and its log-odds, in any order. The last of several pairs with one hash counts.
    pub fn new(pairs: Vec<(u32, f32)>) -> WordOdds {
        WordOdds { odds: pairs.into_iter().collect() }
    }

    /// The number of known words.
    pub fn len(&self) -> usize {
        self.odds.len()
    }

    /// Returns whether no word is known.
    pub fn is_empty(&self) -> bool {
        self.odds.is_empty()
    }

    /// The log-odds of a word, if it is known: above 0 for words of templates.
    pub fn odds(&self, key: u32) -> Option<f32> {
        self.odds.get(&key).copied()
    }

    /// Adds the model to a file, in arrays whose names start with `prefix`.
    pub fn write(&self, prefix: &str, file: &mut ModelFile) {
        let mut pairs: Vec<(u32, f32)> = self.odds.iter().map(|(key, odds)| (*key, *odds)).collect();
        pairs.sort_by_key(|pair| pair.0);
        let (keys, odds) = pairs.into_iter().unzip();
        file.set(format!("{prefix}.keys"), Array::U32(keys));
        file.set(format!("{prefix}.odds"), Array::F32(odds));
    }

    /// Reads a model.
    pub fn read(prefix: &str, file: &ModelFile) -> Result<WordOdds, Error> {
        let keys = file.u32s(&format!("{prefix}.keys"))?;
        let odds = file.f32s(&format!("{prefix}.odds"))?;
        if keys.len() != odds.len() || !keys.is_sorted_by(|one, two| one < two) {
            return Err(damaged(format!("the words of `{prefix}` are not in order")));
        }
        if !odds.iter().all(|odds| odds.is_finite()) {
            return Err(damaged(format!("a weight of `{prefix}` is not a finite number")));
        }
        Ok(WordOdds { odds: keys.iter().copied().zip(odds.iter().copied()).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::feature_schema::Schema;
    use super::*;

    #[test]
    fn words_are_found_and_others_are_not() {
        // Keys that share their low bits.
        let pairs = (0..100u32).map(|number| (number << 20 | 5, number as f32)).collect();
        let model = WordOdds::new(pairs);
        for number in 0..100u32 {
            assert_eq!(model.odds(number << 20 | 5), Some(number as f32));
            assert_eq!(model.odds(number << 20 | 6), None);
        }
        assert_eq!(WordOdds::default().odds(1), None);
        assert_eq!(WordOdds::new(vec![]).odds(0), None);
        assert_eq!(WordOdds::new(vec![(3, 1.0), (1, 1.0), (3, 2.0)]).odds(3), Some(2.0));
    }

    #[test]
    fn a_model_reads_back() {
        let model = WordOdds::new(vec![(word_key("menu"), 2.0), (word_key("harbour"), -1.0)]);
        let mut file = ModelFile::new("test", Schema::new("test", 1, ["one"]), "");
        model.write("words", &mut file);
        let read = WordOdds::read("words", &file).unwrap();
        assert_eq!(read.odds(word_key("menu")), Some(2.0));
        file.set("words.keys", Array::U32(vec![2, 1]));
        assert!(WordOdds::read("words", &file).is_err());
    }
}
