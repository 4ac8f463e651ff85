//! The signature of a text: the smallest hashes of its shingles.

use crate::text::words::for_each_word;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Hashes runs of words.
///
/// Two texts that share much of their wording share many of their smallest hashes. A text of fewer words than a shingle has
/// one hash, that of all its words; a text without words has none.
#[derive(Clone, Debug)]
pub(crate) struct Shingler {
    /// Words of a shingle.
    words: usize,
    /// Hashes kept.
    kept: usize,
    /// The hashes of the last words, as bytes, oldest first.
    window: Vec<[u8; 8]>,
}

impl Shingler {
    pub(crate) fn new(words: usize, kept: usize) -> Shingler {
        Shingler { words: words.max(1), kept: kept.max(1), window: Vec::new() }
    }

    /// The smallest hashes of a text, ascending, each once.
    pub(crate) fn signature(&mut self, text: &str) -> Vec<u64> {
        let mut smallest: Vec<u64> = Vec::with_capacity(self.kept + 1);
        let (words, kept) = (self.words, self.kept);
        self.window.clear();
        let mut seen = 0;
        let window = &mut self.window;
        for_each_word(text, |word| {
            // The window is kept at most twice as long as a shingle, so that its words are in one piece.
            if window.len() == 2 * words {
                window.drain(..=words);
            }
            window.push(xxh3_64(word.as_bytes()).to_le_bytes());
            seen += 1;
            if seen >= words {
                let shingle = window[window.len() - words..].as_flattened();
                insert(&mut smallest, kept, xxh3_64_with_seed(shingle, words as u64));
            }
        });
        if seen > 0 && seen < words {
            smallest.push(xxh3_64_with_seed(window.as_flattened(), words as u64));
        }
        smallest
    }
}

/// Inserts a hash into a sorted list of at most `kept` hashes.
fn insert(smallest: &mut Vec<u64>, kept: usize, hash: u64) {
    if smallest.len() == kept && smallest.last().is_some_and(|last| hash >= *last) {
        return;
    }
    if let Err(at) = smallest.binary_search(&hash) {
        smallest.insert(at, hash);
        smallest.truncate(kept);
    }
}

/// The number of hashes that two signatures share.
pub(crate) fn count_shared(one: &[u64], two: &[u64]) -> usize {
    let (mut at, mut shared) = (0, 0);
    for hash in one {
        while two.get(at).is_some_and(|other| other < hash) {
            at += 1;
        }
        shared += usize::from(two.get(at) == Some(hash));
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The definition: all shingles, sorted, the first few.
    fn by_definition(text: &str, words: usize, kept: usize) -> Vec<u64> {
        let mut hashes = Vec::new();
        for_each_word(text, |word| hashes.push(xxh3_64(word.as_bytes()).to_le_bytes()));
        let all: BTreeSet<u64> =
            hashes.windows(words).map(|shingle| xxh3_64_with_seed(shingle.as_flattened(), words as u64)).collect();
        all.into_iter().take(kept).collect()
    }

    #[test]
    fn a_signature_is_the_smallest_hashes_of_all_shingles() {
        let text: String = (0..200).map(|number| format!("word{} ", number * 7 % 61)).collect();
        for (words, kept) in [(1, 8), (2, 3), (6, 8), (6, 1), (5, 500)] {
            assert_eq!(Shingler::new(words, kept).signature(&text), by_definition(&text, words, kept));
        }
    }

    #[test]
    fn short_texts_have_one_hash_and_empty_ones_none() {
        let mut shingler = Shingler::new(6, 8);
        assert_eq!(shingler.signature("").len(), 0);
        assert_eq!(shingler.signature("Three short words").len(), 1);
        assert_eq!(shingler.signature("three SHORT words!"), shingler.signature("Three short words"));
        assert_ne!(shingler.signature("three short"), shingler.signature("Three short words"));
    }

    #[test]
    fn shared_hashes_are_counted() {
        assert_eq!(count_shared(&[1, 3, 5, 9], &[2, 3, 4, 9, 10]), 2);
        assert_eq!(count_shared(&[], &[2]), 0);
    }
}
