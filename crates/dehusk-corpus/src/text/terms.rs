//! How often each term is in each document: rows of a sparse table.

use crate::text::words::for_each_term;
use std::collections::HashMap;

/// The terms of one text and how often each occurs, in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bag {
    counts: Vec<(String, u32)>,
}

impl Bag {
    /// The terms of a text. Numbers are not terms: they hardly ever say what a text is about.
    #[must_use]
    pub fn of(text: &str) -> Bag {
        let mut counts: HashMap<String, u32> = HashMap::default();
        for_each_term(text, |term| {
            if term.bytes().all(|byte| byte.is_ascii_digit()) {
                return;
            }
            match counts.get_mut(term) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(term.into(), 1);
                }
            }
        });
        let mut counts: Vec<(String, u32)> = counts.into_iter().collect();
        // The order of a hash map differs from run to run, and terms are numbered in this order.
        counts.sort_unstable();
        Bag { counts }
    }

    /// Each term and how often it occurs.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.counts.iter().map(|(term, count)| (term.as_str(), *count))
    }
}

/// A term of a document and how often it occurs there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermCount {
    /// The number of the term.
    pub term: u32,
    /// How often it occurs.
    pub count: u32,
}

/// The terms of documents. Terms have numbers, in the order in which they first occur.
///
/// A document takes 8 bytes for each of its different terms.
#[derive(Clone, Debug, Default)]
pub struct TermTable {
    numbers: HashMap<String, u32>,
    /// The number of entries before each document, and at the end of all.
    starts: Vec<usize>,
    /// Terms and counts, document by document, ascending by term.
    entries: Vec<TermCount>,
}

impl TermTable {
    /// A table without documents.
    #[must_use]
    pub fn new() -> TermTable {
        TermTable { starts: vec![0], ..TermTable::default() }
    }

    /// The table of texts.
    #[must_use]
    pub fn of_texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> TermTable {
        let mut table = TermTable::new();
        texts.into_iter().for_each(|text| table.add(Bag::of(text.as_ref())));
        table
    }

    /// Adds a document.
    pub fn add(&mut self, bag: Bag) {
        let start = self.entries.len();
        for (term, count) in bag.counts {
            let next = self.numbers.len() as u32;
            let number = *self.numbers.entry(term).or_insert(next);
            self.entries.push(TermCount { term: number, count });
        }
        self.entries[start..].sort_unstable_by_key(|entry| entry.term);
        self.starts.push(self.entries.len());
    }

    /// The number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of different terms.
    #[must_use]
    pub fn term_count(&self) -> usize {
        self.numbers.len()
    }

    /// The terms of a document and how often each occurs, ascending by number.
    #[must_use]
    pub fn row(&self, document: usize) -> &[TermCount] {
        &self.entries[self.starts[document]..self.starts[document + 1]]
    }

    /// The terms by number.
    #[must_use]
    pub fn terms(&self) -> Vec<&str> {
        let mut terms = vec![""; self.numbers.len()];
        #[allow(clippy::iter_over_hash_type, reason = "each goes to its own place")]
        for (term, number) in &self.numbers {
            terms[*number as usize] = term;
        }
        terms
    }

    /// The number of documents that have each term.
    #[must_use]
    pub fn document_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.numbers.len()];
        self.entries.iter().for_each(|entry| counts[entry.term as usize] += 1);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_counted_by_document() {
        let table = TermTable::of_texts(["b a b 2024", "", "c a"]);
        assert_eq!(table.terms(), ["a", "b", "c"]);
        let row =
            |document: usize| table.row(document).iter().map(|entry| (entry.term, entry.count)).collect::<Vec<_>>();
        assert_eq!([row(0), row(1), row(2)], [vec![(0, 1), (1, 2)], vec![], vec![(0, 1), (2, 1)]]);
        assert_eq!(table.document_counts(), [2, 1, 1]);
        assert_eq!(table.len(), 3);
        assert!(TermTable::new().is_empty());
    }
}
