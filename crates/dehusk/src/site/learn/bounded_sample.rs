//! A sample of a site's pages that does not depend on their order.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The pages with the smallest hashes of their keys, up to a limit.
///
/// The hash decides, so the sample depends neither on the order of the pages nor on how they were divided among machines.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BoundedSample<T> {
    limit: usize,
    /// By the hash of the page's key.
    pages: BTreeMap<u64, T>,
}

impl<T: Ord> BoundedSample<T> {
    /// An empty sample of at most `limit` pages.
    pub fn new(limit: usize) -> BoundedSample<T> {
        BoundedSample { limit, pages: BTreeMap::new() }
    }

    /// The number of pages in the sample.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether the sample has no pages.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Whether a page with this hash would be in the sample.
    pub fn has_room_for(&self, key_hash: u64) -> bool {
        self.pages.len() < self.limit || self.pages.last_key_value().is_some_and(|(last, _)| key_hash <= *last)
    }

    /// Adds a page if there is room for it.
    pub fn insert(&mut self, key_hash: u64, page: T) {
        match self.pages.entry(key_hash) {
            Entry::Vacant(entry) => {
                entry.insert(page);
            }
            // Of two versions of a page the smaller is kept, whichever came first.
            Entry::Occupied(mut entry) if page < *entry.get() => drop(entry.insert(page)),
            Entry::Occupied(_) => {}
        }
        if self.pages.len() > self.limit {
            self.pages.pop_last();
        }
    }

    /// Adds the pages of another sample.
    pub fn merge(&mut self, other: BoundedSample<T>) {
        other.pages.into_iter().for_each(|(key_hash, page)| self.insert(key_hash, page));
    }

    /// The pages, sorted by the hashes of their keys.
    pub fn into_pages(self) -> BTreeMap<u64, T> {
        self.pages
    }
}
