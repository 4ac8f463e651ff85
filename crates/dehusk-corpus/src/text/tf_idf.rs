//! Documents as vectors: terms weighted by how often they are in the document and how rare they are in the corpus.

use crate::error::Error;
use crate::text::stop_words::is_stop_word;
use crate::text::terms::TermTable;

/// How terms are weighted: `(1 + ln tf) · ln(n / df)`, then each document is scaled to length 1.
///
/// The logarithm of the term frequency keeps one word that a page repeats, such as the name of a product, from deciding
/// where it belongs. Left out are terms of hardly any document, which connect nothing, terms of most documents, which separate nothing, and stop
/// words, which separate languages and styles instead of topics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfIdf {
    min_documents: Option<u32>,
    max_share: f64,
    max_terms: usize,
    is_sublinear: bool,
}

impl Default for TfIdf {
    fn default() -> TfIdf {
        TfIdf { min_documents: None, max_share: 0.5, max_terms: 100_000, is_sublinear: true }
    }
}

impl TfIdf {
    /// Terms of fewer documents are left out. Default 2, and one more for each 100 documents up to 5: the more documents there are, the
    /// more terms connect a few of them by accident.
    #[must_use]
    pub fn with_min_documents(mut self, documents: u32) -> TfIdf {
        self.min_documents = Some(documents);
        self
    }

    /// Terms of a greater share of the documents are left out. Default 0.5; 1 keeps all but those of every document, whose weight
    /// is 0.
    #[must_use]
    pub fn with_max_share(mut self, share: f64) -> TfIdf {
        self.max_share = share;
        self
    }

    /// At most this many terms are kept, those of most documents. Default 100,000: it bounds the memory of cluster centers.
    #[must_use]
    pub fn with_max_terms(mut self, terms: usize) -> TfIdf {
        self.max_terms = terms;
        self
    }

    /// Whether the term frequency counts by `1 + ln tf` (the default) or as it is.
    #[must_use]
    pub fn with_sublinear(mut self, is_sublinear: bool) -> TfIdf {
        self.is_sublinear = is_sublinear;
        self
    }

    /// The vectors of documents. Terms are numbered in alphabetical order, so that the order of documents does not matter.
    ///
    /// # Errors
    /// If no term is left.
    pub fn vectors(&self, table: &TermTable) -> Result<Vectors, Error> {
        let names = table.terms();
        let counts = table.document_counts();
        let documents = table.len() as f64;
        let default_least = (2 + table.len() / 100).min(5) as u32;
        let least = self.min_documents.unwrap_or(default_least).max(1);
        let is_kept = |term: &u32| {
            let count = counts[*term as usize];
            count >= least
                && f64::from(count) <= self.max_share * documents
                && f64::from(count) < documents
                && !is_stop_word(names[*term as usize])
        };
        let mut kept: Vec<u32> = (0..names.len() as u32).filter(is_kept).collect();
        // Terms of equally many documents by name, so that the choice does not depend on the order of documents.
        kept.sort_unstable_by_key(|term| (std::cmp::Reverse(counts[*term as usize]), names[*term as usize]));
        kept.truncate(self.max_terms);
        if kept.is_empty() {
            return Err(Error::NoTerms);
        }
        kept.sort_unstable_by_key(|term| names[*term as usize]);
        let mut numbers = vec![u32::MAX; names.len()];
        (0..).zip(&kept).for_each(|(number, term)| numbers[*term as usize] = number);
        let rarity: Vec<f64> = kept.iter().map(|term| (documents / f64::from(counts[*term as usize])).ln()).collect();
        let mut vectors = Vectors {
            terms: kept.iter().map(|term| names[*term as usize].to_string()).collect(),
            starts: vec![0],
            entries: Vec::new(),
        };
        for document in 0..table.len() {
            let kept = table.row(document).iter().filter(|entry| numbers[entry.term as usize] != u32::MAX);
            let mut row: Vec<(u32, f64)> = kept
                .map(|entry| {
                    let number = numbers[entry.term as usize];
                    let count = f64::from(entry.count);
                    let frequency = if self.is_sublinear { 1.0 + count.ln() } else { count };
                    (number, frequency * rarity[number as usize])
                })
                .collect();
            row.sort_unstable_by_key(|(term, _)| *term);
            let length = row.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
            let scaled = |(term, weight): &(u32, f64)| TermWeight { term: *term, weight: (weight / length) as f32 };
            vectors.entries.extend(row.iter().map(scaled));
            vectors.starts.push(vectors.entries.len());
        }
        Ok(vectors)
    }
}

/// A term of a document and its weight there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermWeight {
    /// The number of the term.
    pub term: u32,
    /// Its weight, 0 to 1.
    pub weight: f32,
}

/// Sparse vectors of length 1, one for each document. A document without terms has the vector 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    terms: Vec<String>,
    /// The number of entries before each document, and at the end of all.
    starts: Vec<usize>,
    /// Terms and weights, document by document, ascending by term.
    entries: Vec<TermWeight>,
}

impl Vectors {
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

    /// The terms, in alphabetical order.
    #[must_use]
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// The vector of a document: terms and weights, ascending by term.
    #[must_use]
    pub fn row(&self, document: usize) -> &[TermWeight] {
        &self.entries[self.starts[document]..self.starts[document + 1]]
    }

    /// The cosine of the angle between two documents.
    #[must_use]
    pub fn cosine(&self, one: usize, two: usize) -> f32 {
        let (mut one, mut two) = (self.row(one).iter().peekable(), self.row(two).iter().peekable());
        let mut sum = 0.0;
        while let (Some(first), Some(second)) = (one.peek(), two.peek()) {
            match first.term.cmp(&second.term) {
                std::cmp::Ordering::Less => drop(one.next()),
                std::cmp::Ordering::Greater => drop(two.next()),
                std::cmp::Ordering::Equal => {
                    sum += first.weight * second.weight;
                    one.next();
                    two.next();
                }
            }
        }
        sum
    }

    /// The vectors of some documents, in the given order.
    #[must_use]
    pub fn of_documents(&self, documents: &[usize]) -> Vectors {
        let mut vectors = Vectors { terms: self.terms.clone(), starts: vec![0], entries: Vec::new() };
        for document in documents {
            vectors.entries.extend(self.row(*document));
            vectors.starts.push(vectors.entries.len());
        }
        vectors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_formula() {
        let table = TermTable::of_texts(["red red wine", "red car", "car wine", "boat the", "the"]);
        let vectors = TfIdf::default().vectors(&table).unwrap();
        assert_eq!(vectors.terms(), ["car", "red", "wine"]);
        // Each term is in two of five documents.
        let (red, wine) = (1.0 + 2f64.ln(), 1.0);
        let length = (red * red + wine * wine).sqrt();
        let row = vectors.row(0);
        assert_eq!(row.iter().map(|entry| entry.term).collect::<Vec<_>>(), [1, 2]);
        assert!(
            (f64::from(row[0].weight) - red / length).abs() < 1e-6
                && (f64::from(row[1].weight) - wine / length).abs() < 1e-6
        );
        assert!(vectors.row(3).is_empty() && vectors.row(4).is_empty());
        assert!((f64::from(vectors.cosine(0, 1)) - red / length / 2f64.sqrt()).abs() < 1e-6);
        assert_eq!(vectors.cosine(0, 3), 0.0);
        let plain = TfIdf::default().with_sublinear(false).vectors(&table).unwrap();
        assert!((f64::from(plain.row(0)[0].weight) - 2.0 / 5f64.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn limits_leave_terms_out_and_the_order_of_documents_does_not_matter() {
        let texts = ["x b c", "x b d", "x f", "x the", "the"];
        let terms = |tf_idf: TfIdf, texts: &[&str]| tf_idf.vectors(&TermTable::of_texts(texts)).unwrap().terms;
        assert_eq!(terms(TfIdf::default(), &texts), ["b"]);
        assert_eq!(terms(TfIdf::default().with_min_documents(1), &texts), ["b", "c", "d", "f"]);
        assert_eq!(terms(TfIdf::default().with_min_documents(1).with_max_terms(2), &texts), ["b", "c"]);
        let turned: Vec<&str> = texts.iter().rev().copied().collect();
        assert_eq!(terms(TfIdf::default().with_min_documents(1), &turned), ["b", "c", "d", "f"]);
        assert_eq!(TfIdf::default().vectors(&TermTable::of_texts(["x", "b"])), Err(Error::NoTerms));
    }
}
