//! Naive Bayes over words, applied: how much more likely each word is in a template than in content.
//!
//! A model holds hashes of words and their log-odds; the words themselves are not in it. A word it does not know says nothing.

use super::file::{Array, ModelFile, bad};
use crate::error::Error;
use xxhash_rust::xxh3::xxh3_64;

/// The log-odds of words, by hash.
#[derive(Clone, Debug, Default)]
pub struct WordOdds {
    keys: Vec<u32>,
    odds: Vec<f32>,
    /// Numbers of keys plus one, by hash; 0 is an empty slot. At most half of the slots are taken.
    slots: Vec<u32>,
}

/// The hash of a word. The caller gives it in lower case.
pub fn word_key(word: &str) -> u32 {
    xxh3_64(word.as_bytes()) as u32
}

impl WordOdds {
    /// A model from pairs of a word's hash and its log-odds, in any order. Of pairs with one hash the last counts.
    pub fn new(mut pairs: Vec<(u32, f32)>) -> WordOdds {
        // Stable, so that the last of equal ones is the last one given.
        pairs.sort_by_key(|pair| pair.0);
        pairs.reverse();
        pairs.dedup_by_key(|pair| pair.0);
        pairs.reverse();
        let (keys, odds) = pairs.into_iter().unzip();
        WordOdds::index(keys, odds)
    }

    fn index(keys: Vec<u32>, odds: Vec<f32>) -> WordOdds {
        let size = (2 * keys.len()).next_power_of_two().max(2);
        let mut slots = vec![0u32; size];
        for (number, key) in keys.iter().enumerate() {
            let mut slot = slot(*key, size);
            while slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            slots[slot] = number as u32 + 1;
        }
        WordOdds { keys, odds, slots }
    }

    /// How many words it knows.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether it knows no word.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The log-odds of a word, if it is known: above 0 for words of templates.
    pub fn odds(&self, key: u32) -> Option<f32> {
        let size = self.slots.len();
        if size == 0 {
            return None;
        }
        let mut slot = slot(key, size);
        loop {
            let number = self.slots[slot].checked_sub(1)? as usize;
            if self.keys[number] == key {
                return Some(self.odds[number]);
            }
            slot = (slot + 1) & (size - 1);
        }
    }

    /// Puts the model into a file, under names that start with `prefix`.
    pub fn write(&self, prefix: &str, file: &mut ModelFile) {
        file.set(format!("{prefix}.keys"), Array::U32(self.keys.clone()));
        file.set(format!("{prefix}.odds"), Array::F32(self.odds.clone()));
    }

    /// Reads a model.
    pub fn read(prefix: &str, file: &ModelFile) -> Result<WordOdds, Error> {
        let keys = file.u32s(&format!("{prefix}.keys"))?.to_vec();
        let odds = file.f32s(&format!("{prefix}.odds"))?.to_vec();
        if keys.len() != odds.len() || !keys.is_sorted_by(|one, two| one < two) {
            return Err(bad(format!("the words of `{prefix}` are not in order")));
        }
        if !odds.iter().all(|odds| odds.is_finite()) {
            return Err(bad(format!("a weight of `{prefix}` is no finite number")));
        }
        Ok(WordOdds::index(keys, odds))
    }
}

/// Keys are hashes already; their low bits choose the slot. `size` is a power of two.
fn slot(key: u32, size: usize) -> usize {
    key as usize & (size - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Schema;

    #[test]
    fn words_are_found_and_others_are_not() {
        // Keys that share their low bits fall on the same slot.
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
