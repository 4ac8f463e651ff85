//! A hash table from words to the lists they are in.

use crate::read::words::word_hash::WordHash;

/// For each word the lists that contain it, one bit per list. An open-addressing table of hashes, because lookups are
/// frequent: the hash is already computed, and at most a third of the slots is filled, so one comparison is usually enough.
pub(crate) struct WordSets {
    /// The hash of a word and its lists. Empty slots have no lists.
    slots: Vec<(WordHash, u64)>,
}

impl WordSets {
    /// The table of some lists of words separated by spaces. `size` is a power of two well above the number of words.
    pub(crate) fn new<'a>(lists: impl Iterator<Item = &'a str>, size: usize) -> WordSets {
        let mut sets = WordSets { slots: vec![(WordHash::START, 0); size] };
        for (bit, list) in lists.enumerate() {
            for word in list.split_whitespace() {
                let at = sets.find(WordHash::of(word));
                sets.slots[at] = (WordHash::of(word), sets.slots[at].1 | 1 << bit);
            }
        }
        sets
    }

    /// The lists a word is in, one bit for each.
    #[inline(always)]
    pub(crate) fn lists_of(&self, word: WordHash) -> u64 {
        self.slots[self.find(word)].1
    }

    /// The slot of a word, or the empty slot where it would be.
    #[inline(always)]
    fn find(&self, word: WordHash) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (word.0 ^ word.0 >> 32) as usize & mask;
        while self.slots[at].1 != 0 && self.slots[at].0 != word {
            at = (at + 1) & mask;
        }
        at
    }
}
