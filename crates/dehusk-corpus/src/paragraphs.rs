//! Paragraphs that several documents have, identical except for case and punctuation.

use crate::text::words::for_each_word;
use dehusk_io::{Sorted, SpillSort};
use std::io;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3Default;

/// Documents that are named for a paragraph.
const NAMED: usize = 8;

/// The hashes of the paragraphs of a text, in order. A paragraph is a line; those of fewer words have none.
#[must_use]
pub fn paragraph_hashes(text: &str, least_words: usize) -> Vec<Option<u64>> {
    text.lines().map(|line| paragraph_hash(line, least_words)).collect()
}

fn paragraph_hash(line: &str, least_words: usize) -> Option<u64> {
    let mut hash = Xxh3Default::new();
    let mut words = 0;
    for_each_word(line, |word| {
        hash.update(word.as_bytes());
        // Separates words, so that `ab c` and `a bc` differ.
        hash.update(b" ");
        words += 1;
    });
    (words >= least_words.max(1)).then(|| hash.digest())
}

/// A paragraph that several documents have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedParagraph {
    /// The line of the first document that has it, counted from 0.
    pub line: u32,
    /// How many documents have it.
    pub count: u32,
    /// The first documents that have it.
    pub documents: Vec<u32>,
    last: u32,
}

/// A hash, a document and a line, each with its highest byte first, so that they sort like numbers.
const PLACE_BYTES: usize = 16;
/// The first document, its line, the number of documents, and further documents.
const SHARED_BYTES: usize = 4 * (NAMED + 2);

/// Collects paragraphs and finds those that several documents have.
pub struct ParagraphFinder {
    places: SpillSort<[u8; PLACE_BYTES]>,
    folder: PathBuf,
    memory: usize,
    documents: u32,
}

impl ParagraphFinder {
    /// A finder that holds about `memory` bytes, and the rest in unnamed files of a folder.
    #[must_use]
    pub fn new(folder: &Path, memory: usize) -> ParagraphFinder {
        ParagraphFinder { places: SpillSort::new(folder, memory / 2), folder: folder.into(), memory, documents: 0 }
    }

    /// Adds the paragraphs of the next document.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn add(&mut self, hashes: &[Option<u64>]) -> io::Result<()> {
        for (line, hash) in hashes.iter().enumerate() {
            let Some(hash) = hash else { continue };
            let mut place = [0; PLACE_BYTES];
            place[..8].copy_from_slice(&hash.to_be_bytes());
            place[8..12].copy_from_slice(&self.documents.to_be_bytes());
            place[12..].copy_from_slice(&(line as u32).to_be_bytes());
            self.places.push(place)?;
        }
        self.documents += 1;
        Ok(())
    }

    /// The paragraphs, in the order of their first places.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn finish(self) -> io::Result<SharedParagraphs> {
        let mut shared = SpillSort::<[u8; SHARED_BYTES]>::new(&self.folder, self.memory / 2);
        let mut current: Option<(u64, SharedParagraph)> = None;
        for place in self.places.finish()? {
            let place = place?;
            let hash = u64::from_be_bytes(std::array::from_fn(|byte| place[byte]));
            let document = number(&place[8..12]);
            match &mut current {
                Some((last, paragraph)) if *last == hash => paragraph.add(document),
                _ => {
                    let line = number(&place[12..]);
                    let next = (hash, SharedParagraph { line, count: 1, documents: vec![document], last: document });
                    if let Some((_, paragraph)) = current.replace(next) {
                        paragraph.write(&mut shared)?;
                    }
                }
            }
        }
        if let Some((_, paragraph)) = current {
            paragraph.write(&mut shared)?;
        }
        Ok(SharedParagraphs { sorted: shared.finish()? })
    }
}

impl SharedParagraph {
    /// Another place. Those of one document follow each other.
    fn add(&mut self, document: u32) {
        if document == self.last {
            return;
        }
        self.last = document;
        self.count += 1;
        if self.documents.len() < NAMED {
            self.documents.push(document);
        }
    }

    fn write(&self, sort: &mut SpillSort<[u8; SHARED_BYTES]>) -> io::Result<()> {
        if self.count < 2 {
            return Ok(());
        }
        let mut entry = [0; SHARED_BYTES];
        let numbers = [self.documents[0], self.line, self.count].into_iter().chain(self.documents[1..].iter().copied());
        for (slot, number) in entry.chunks_exact_mut(4).zip(numbers) {
            slot.copy_from_slice(&number.to_be_bytes());
        }
        sort.push(entry)
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Shared paragraphs in the order of their first places.
pub struct SharedParagraphs {
    sorted: Sorted<[u8; SHARED_BYTES]>,
}

impl Iterator for SharedParagraphs {
    type Item = io::Result<SharedParagraph>;

    fn next(&mut self) -> Option<io::Result<SharedParagraph>> {
        let entry = match self.sorted.next()? {
            Ok(entry) => entry,
            Err(error) => return Some(Err(error)),
        };
        let mut numbers = entry.chunks_exact(4).map(number);
        let mut next = || numbers.next().unwrap_or_default();
        let (first, line, count) = (next(), next(), next());
        let named = (count as usize).min(NAMED) - 1;
        let documents: Vec<u32> = std::iter::once(first).chain(numbers.take(named)).collect();
        Some(Ok(SharedParagraph { line, count, last: documents[named], documents }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(texts: &[&str], memory: usize) -> Vec<(Vec<u32>, u32, u32)> {
        let mut finder = ParagraphFinder::new(&std::env::temp_dir(), memory);
        texts.iter().for_each(|text| finder.add(&paragraph_hashes(text, 3)).unwrap());
        let all = finder.finish().unwrap().map(Result::unwrap);
        all.map(|paragraph| (paragraph.documents, paragraph.line, paragraph.count)).collect()
    }

    #[test]
    fn paragraphs_of_several_documents_are_found_once() {
        let texts = [
            "own words here\nSign up for news!\nshort one",
            "Sign up for  news\nsign up, for news",
            "short one\nother words here",
        ];
        let expected = vec![(vec![0, 1], 1, 2)];
        assert_eq!(shared(&texts, 1 << 20), expected);
        assert_eq!(shared(&texts, 1), expected);
    }

    #[test]
    fn a_paragraph_of_many_documents_names_the_first() {
        let texts = vec!["x\none two three"; 20];
        assert_eq!(shared(&texts, 1 << 20), [((0..8).collect(), 1, 20)]);
    }
}
