//! Finds items with equal hashes by sorting.

/// A hash and the index of the item it belongs to, packed into 64 bits so that sorting is fast: on wcxb-dev, splitting and describing
/// blocks took 0.55 s with pairs and takes 0.51 s with packed values. The hash keeps its upper 38 bits, enough for the blocks of a
/// page. The index has 26 bits (67 million), more than the limit on nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct HashedIndex(u64);

impl HashedIndex {
    const INDEX_BITS: u64 = (1 << 26) - 1;

    pub(crate) fn new(hash: u64, index: usize) -> HashedIndex {
        HashedIndex(hash & !HashedIndex::INDEX_BITS | index as u64 & HashedIndex::INDEX_BITS)
    }

    pub(crate) fn hash(self) -> u64 {
        self.0 & !HashedIndex::INDEX_BITS
    }

    pub(crate) fn index(self) -> usize {
        (self.0 & HashedIndex::INDEX_BITS) as usize
    }
}

/// Sorts items by hash and then by index, and returns the runs of equal hashes. Reuses the buffer.
pub(crate) fn equal_hashes(
    buffer: &mut Vec<HashedIndex>,
    hashes: impl Iterator<Item = u64>,
) -> impl Iterator<Item = &[HashedIndex]> {
    buffer.clear();
    buffer.extend(hashes.enumerate().map(|(index, hash)| HashedIndex::new(hash, index)));
    buffer.sort_unstable();
    buffer.chunk_by(|one, two| one.hash() == two.hash())
}
