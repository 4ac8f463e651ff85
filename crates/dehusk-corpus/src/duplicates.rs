//! Near-duplicates: documents that share enough of the smallest hashes of their shingles.
//!
//! Every pair is found without comparing all pairs. Hashes have an order, so two documents that must share `r` of
//! their `n` hashes share one that is among the first `n - r + 1` of both: only these are looked up. A list of documents
//! with the same hash is compared pair by pair while it is short. A long one is divided by the next hash they share, and so
//! on; documents that share as many hashes as a pair must are a group, in which nothing needs to be compared.

use crate::text::signature::{Shingler, count_shared};
use dehusk_io::{Sorted, SpillSort};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Lists up to this length are compared pair by pair, which bounds the pairs of a document.
const SHORT_LIST: usize = 512;
/// The share of the memory for pairs; the rest is for hashes.
const PAIR_SHARE: usize = 4;

/// What makes two documents near-duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DuplicateOptions {
    shingle_words: usize,
    hashes: usize,
    shared: usize,
    memory: usize,
}

impl Default for DuplicateOptions {
    fn default() -> DuplicateOptions {
        DuplicateOptions { shingle_words: 6, hashes: 8, shared: 4, memory: 512 << 20 }
    }
}

impl DuplicateOptions {
    /// Words of a shingle. Default 6.
    #[must_use]
    pub fn with_shingle_words(mut self, words: usize) -> Self {
        self.shingle_words = words.max(1);
        self
    }

    /// How many of the smallest hashes are kept of a document (at most 255), and how many of them two documents must share. Default 8
    /// and 4. Of documents with fewer hashes, because they are short, the same fraction must be shared.
    #[must_use]
    pub fn with_hashes(mut self, kept: usize, shared: usize) -> Self {
        self.hashes = kept.clamp(1, 255);
        self.shared = shared.clamp(1, self.hashes);
        self
    }

    /// About how many bytes of memory are used to find pairs. Default 512 MiB. In addition, each document takes 4 bytes.
    #[must_use]
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.memory = bytes.max(1 << 16);
        self
    }

    /// How many hashes a document of some length must share with another of no more hashes.
    fn required(&self, hashes: usize) -> usize {
        (self.shared * hashes).div_ceil(self.hashes).max(1)
    }

    fn is_pair(&self, one: &[u64], two: &[u64], shared: usize) -> bool {
        shared >= self.required(one.len().max(two.len()))
    }
}

/// The smallest hashes of the shingles of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature(Vec<u64>);

/// Makes signatures; each thread has its own.
#[derive(Clone, Debug)]
pub struct Signer {
    shingler: Shingler,
    options: DuplicateOptions,
}

impl Signer {
    /// Makes signatures as the options say.
    #[must_use]
    pub fn new(options: DuplicateOptions) -> Signer {
        Signer { shingler: Shingler::new(options.shingle_words, options.hashes), options }
    }

    /// The signature of a text.
    pub fn sign(&mut self, text: &str) -> Signature {
        Signature(self.shingler.signature(text))
    }

    /// The number of hashes that two documents share, if these are enough for near-duplicates.
    #[must_use]
    pub fn compare(&self, one: &Signature, two: &Signature) -> Option<u32> {
        let shared = count_shared(&one.0, &two.0);
        self.options.is_pair(&one.0, &two.0, shared).then_some(shared as u32)
    }
}

/// Two near-duplicates, by the order in which they were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Pair {
    /// The first document.
    pub a: u32,
    /// The second document, which was added later.
    pub b: u32,
    /// The number of hashes they share.
    pub shared: u32,
}

/// The pairs among texts that fit into memory.
///
/// # Errors
/// If a temporary file cannot be written.
pub fn find_pairs<T: AsRef<str>>(texts: &[T], options: DuplicateOptions) -> io::Result<Vec<Pair>> {
    let (mut signer, mut finder) = (Signer::new(options), DuplicateFinder::new(options, &std::env::temp_dir())?);
    for text in texts {
        finder.add(&signer.sign(text.as_ref()))?;
    }
    finder.finish()?.pairs().collect()
}

/// Collects the signatures of documents and finds the pairs among them.
pub struct DuplicateFinder {
    options: DuplicateOptions,
    folder: PathBuf,
    /// For each document the number of its hashes and the hashes.
    signatures: BufWriter<File>,
    documents: u32,
}

impl DuplicateFinder {
    /// A finder that keeps signatures in an unnamed file of a folder.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn new(options: DuplicateOptions, folder: &Path) -> io::Result<DuplicateFinder> {
        let signatures = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(folder)?);
        Ok(DuplicateFinder { options, folder: folder.into(), signatures, documents: 0 })
    }

    /// Adds the next document.
    ///
    /// # Errors
    /// If the file cannot be written, or there are more than 4 billion documents.
    pub fn add(&mut self, signature: &Signature) -> io::Result<()> {
        self.documents =
            self.documents.checked_add(1).ok_or_else(|| io::Error::other("more than 4 billion documents"))?;
        self.signatures.write_all(&[signature.0.len() as u8])?;
        for hash in &signature.0 {
            self.signatures.write_all(&hash.to_le_bytes())?;
        }
        Ok(())
    }

    /// Finds all pairs.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn finish(self) -> io::Result<Duplicates> {
        let options = self.options;
        let mut signatures = self.signatures.into_inner().map_err(|error| error.into_error())?;
        let mut found = Found {
            pairs: SpillSort::new(&self.folder, options.memory / PAIR_SHARE),
            clusters: Clusters { first: (0..self.documents).collect() },
        };
        let parts = parts(&options, self.documents as usize);
        for part in 0..parts {
            signatures.rewind()?;
            let reader = BufReader::with_capacity(1 << 18, &mut signatures);
            let (part, entries) = Part::read(reader, &options, self.documents, part, parts)?;
            part.search(entries, &mut found)?;
        }
        Ok(Duplicates { pairs: found.pairs.finish()?, clusters: found.clusters })
    }
}

/// The number of passes over the signatures, so that what one of them holds fits into memory.
fn parts(options: &DuplicateOptions, documents: usize) -> u64 {
    let memory = options.memory - options.memory / PAIR_SHARE;
    let looked_up = options.hashes - options.shared + 1;
    let (entry, signature) = (size_of::<Entry>(), 8 * options.hashes + 8);
    if documents.saturating_mul(looked_up * entry + signature) <= memory {
        return 1;
    }
    documents.saturating_mul(looked_up * (entry + signature)).div_ceil(memory) as u64
}

/// A hash, and the number of a document within a part.
type Entry = (u64, u32);

/// The documents of one pass: those with a hash in one part of all hashes.
struct Part<'a> {
    options: &'a DuplicateOptions,
    documents: Vec<u32>,
    /// The hashes of all documents, and where those of each document end.
    hashes: Vec<u64>,
    ends: Vec<usize>,
}

impl<'a> Part<'a> {
    fn read(
        mut reader: impl Read,
        options: &'a DuplicateOptions,
        documents: u32,
        number: u64,
        parts: u64,
    ) -> io::Result<(Part<'a>, Vec<Entry>)> {
        let mut part = Part { options, documents: Vec::new(), hashes: Vec::new(), ends: Vec::new() };
        let mut entries = Vec::new();
        for document in 0..documents {
            let start = part.hashes.len();
            let mut count = [0; 1];
            reader.read_exact(&mut count)?;
            for _ in 0..count[0] {
                let mut hash = [0; 8];
                reader.read_exact(&mut hash)?;
                part.hashes.push(u64::from_le_bytes(hash));
            }
            let signature = &part.hashes[start..];
            let looked_up = signature.len() + 1 - options.required(signature.len()).min(signature.len() + 1);
            let slot = part.documents.len() as u32;
            let before = entries.len();
            // The smallest hashes are not spread evenly over all numbers, but their last digits are.
            let here = signature[..looked_up].iter().filter(|hash| **hash % parts == number);
            entries.extend(here.map(|hash| (*hash, slot)));
            if entries.len() == before {
                part.hashes.truncate(start);
            } else {
                part.documents.push(document);
                part.ends.push(part.hashes.len());
            }
        }
        Ok((part, entries))
    }

    fn signature(&self, slot: u32) -> &[u64] {
        let slot = slot as usize;
        let start = if slot == 0 { 0 } else { self.ends[slot - 1] };
        &self.hashes[start..self.ends[slot]]
    }

    fn search(&self, mut entries: Vec<Entry>, found: &mut Found) -> io::Result<()> {
        entries.sort_unstable();
        let mut path = Vec::new();
        self.search_lists(&entries, &mut path, found)
    }

    /// Finds the pairs within each list of documents with the same hash. `path` are the hashes that all of them share already.
    fn search_lists(&self, entries: &[Entry], path: &mut Vec<u64>, found: &mut Found) -> io::Result<()> {
        for list in entries.chunk_by(|one, two| one.0 == two.0).filter(|list| list.len() > 1) {
            path.push(list[0].0);
            if list.len() <= SHORT_LIST {
                self.compare_all(list, path, found)?;
            } else {
                self.join_group(list, path, found)?;
                if path.len() < self.options.shared {
                    let next = self.entries_after(list, path);
                    self.search_lists(&next, path, found)?;
                }
            }
            path.pop();
        }
        Ok(())
    }

    /// The hashes that can be the next one a pair of a list shares: after it there must be as many as are still missing.
    fn entries_after(&self, list: &[Entry], path: &[u64]) -> Vec<Entry> {
        let (last, depth) = (path[path.len() - 1], path.len());
        let mut entries = Vec::new();
        for (_, slot) in list {
            let signature = self.signature(*slot);
            let end = (signature.len() + depth + 1).saturating_sub(self.options.required(signature.len()));
            let hashes = signature.iter().take(end).filter(|hash| **hash > last);
            entries.extend(hashes.map(|hash| (*hash, *slot)));
        }
        entries.sort_unstable();
        entries
    }

    fn compare_all(&self, list: &[Entry], path: &[u64], found: &mut Found) -> io::Result<()> {
        for (at, (_, two)) in list.iter().enumerate() {
            for (_, one) in &list[..at] {
                self.compare(*one, *two, path, found)?;
            }
        }
        Ok(())
    }

    /// The documents of a list that need share no more than all of it shares are near-duplicates of each other. As pairs, they are listed with
    /// the first of them only.
    fn join_group(&self, list: &[Entry], path: &[u64], found: &mut Found) -> io::Result<()> {
        let mut group = list
            .iter()
            .map(|entry| entry.1)
            .filter(|slot| self.options.required(self.signature(*slot).len()) <= path.len());
        let Some(first) = group.next() else { return Ok(()) };
        for other in group {
            found.clusters.join(self.documents[first as usize], self.documents[other as usize]);
            self.compare(first, other, path, found)?;
        }
        Ok(())
    }

    /// Adds a pair if it is one. A pair is in the list of each hash it shares, and counts in that of the first.
    fn compare(&self, one: u32, two: u32, path: &[u64], found: &mut Found) -> io::Result<()> {
        let (first, second) = (self.signature(one), self.signature(two));
        let shared = count_shared(first, second);
        if !self.options.is_pair(first, second, shared) {
            return Ok(());
        }
        let mut common = first.iter().filter(|hash| second.binary_search(hash).is_ok());
        if path.iter().all(|hash| common.next() == Some(hash)) {
            found.add(self.documents[one as usize], self.documents[two as usize], shared as u8)?;
        }
        Ok(())
    }
}

/// A pair: both documents and the number of hashes they share, each with its highest byte first, so that they
/// sort like numbers.
const PAIR_BYTES: usize = 9;

struct Found {
    pairs: SpillSort<[u8; PAIR_BYTES]>,
    clusters: Clusters,
}

impl Found {
    fn add(&mut self, a: u32, b: u32, shared: u8) -> io::Result<()> {
        self.clusters.join(a, b);
        let mut pair = [shared; PAIR_BYTES];
        pair[..4].copy_from_slice(&a.min(b).to_be_bytes());
        pair[4..8].copy_from_slice(&a.max(b).to_be_bytes());
        self.pairs.push(pair)
    }
}

/// Which documents are connected by pairs (union-find).
#[derive(Clone, Debug)]
struct Clusters {
    /// For each document one of its cluster that was added before it, or itself.
    first: Vec<u32>,
}

impl Clusters {
    fn root(&mut self, document: u32) -> u32 {
        let mut at = document as usize;
        while self.first[at] as usize != at {
            let above = self.first[at] as usize;
            // Halves the path on the way, so that later searches are short.
            self.first[at] = self.first[above];
            at = above;
        }
        at as u32
    }

    fn join(&mut self, one: u32, two: u32) {
        let (one, two) = (self.root(one), self.root(two));
        // The earliest document is the root, whatever the order of the pairs: it stands for its cluster in results.
        self.first[one.max(two) as usize] = one.min(two);
    }
}

/// The near-duplicates among documents.
pub struct Duplicates {
    pairs: Sorted<[u8; PAIR_BYTES]>,
    clusters: Clusters,
}

impl Duplicates {
    /// The pairs that are not taken yet, in order. If more than 512 documents share the same hashes, they are listed as pairs with the first of
    /// them, not with each other: there would be too many.
    pub fn pairs(&mut self) -> impl Iterator<Item = io::Result<Pair>> {
        let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        let mut last = None;
        // A pair of short documents can be found in a group and again further down.
        let pairs = self.pairs.by_ref().filter(move |pair| match pair {
            Ok(pair) => last.replace(*pair) != Some(*pair),
            Err(_) => true,
        });
        pairs.map(move |pair| {
            let pair = pair?;
            Ok(Pair { a: number(&pair[..4]), b: number(&pair[4..8]), shared: number(&pair[8..]) })
        })
    }

    /// For each document the first of those it is connected with by pairs; itself if it is the first or has no near-duplicate.
    pub fn clusters(&mut self) -> Vec<u32> {
        (0..self.clusters.first.len() as u32).map(|document| self.clusters.root(document)).collect()
    }
}

#[cfg(test)]
#[path = "duplicates_tests.rs"]
mod tests;
