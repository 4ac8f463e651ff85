//! How many documents of a corpus have each phrase, in bounded memory.

use crate::text::phrases::Phrases;
use std::collections::HashMap;

/// How many documents have each phrase.
///
/// Exact for small corpora. For large ones memory is bounded: whenever too many phrases are known, those of the fewest documents are
/// forgotten (lossy counting), so that counts are a little too small.
#[derive(Clone, Debug, Default)]
pub struct DocumentFrequencies {
    documents: u32,
    counts: HashMap<u64, u32>,
    /// Phrases of at most this many documents have been forgotten at some time.
    forgotten: u32,
}

/// The maximum number of phrases known, which take about 100 MB.
const MAX_PHRASES: usize = 4_000_000;
/// A word that a greater share of the documents has is a stop word, if there are enough documents to tell.
const STOP_SHARE: f64 = 0.5;
const ENOUGH_DOCUMENTS: u32 = 50;

impl DocumentFrequencies {
    /// Of no documents: nothing is known, and no phrase is rarer than another.
    #[must_use]
    pub fn new() -> DocumentFrequencies {
        DocumentFrequencies::default()
    }

    /// Counts a document.
    pub fn add(&mut self, phrases: &Phrases) {
        self.documents += 1;
        phrases.keys().for_each(|key| *self.counts.entry(key).or_default() += 1);
        while self.counts.len() > MAX_PHRASES {
            self.forgotten += 1;
            let least = self.forgotten;
            self.counts.retain(|_, count| *count > least);
        }
    }

    /// The number of documents.
    #[must_use]
    pub fn documents(&self) -> u32 {
        self.documents
    }

    fn count(&self, key: u64) -> u32 {
        self.counts.get(&key).copied().unwrap_or(0)
    }

    /// How rare a phrase is: 1 where no document has it, 0 where all have it.
    pub(crate) fn rarity(&self, key: u64) -> f32 {
        if self.documents == 0 {
            return 1.0;
        }
        (1.0 - f64::from(self.count(key)).ln_1p() / f64::from(self.documents).ln_1p()).max(0.0) as f32
    }

    /// Whether a word is a stop word of this corpus, because more than half of the documents have it.
    pub(crate) fn is_stop(&self, key: u64) -> bool {
        self.documents >= ENOUGH_DOCUMENTS && f64::from(self.count(key)) > STOP_SHARE * f64::from(self.documents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::phrases::keyword_key;

    #[test]
    fn documents_are_counted_once_each() {
        let mut frequencies = DocumentFrequencies::new();
        for text in ["boat boat", "boat car", "x ray"] {
            frequencies.add(&Phrases::of(None, text));
        }
        let key = |word: &str| keyword_key(word).unwrap();
        assert_eq!((frequencies.count(key("boat")), frequencies.count(key("car"))), (2, 1));
        assert_eq!(frequencies.rarity(key("never")), 1.0);
        assert!(frequencies.rarity(key("car")) > frequencies.rarity(key("boat")));
        assert!(!frequencies.is_stop(key("boat")));
        assert_eq!(DocumentFrequencies::new().rarity(7), 1.0);
    }
}
