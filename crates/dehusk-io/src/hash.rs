//! The hashes of this crate.
//!
//! Everything is hashed with XXH3. File names alone use FNV-1a, so that the same urls keep the names that earlier
//! versions gave them.

use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

/// The hash of some bytes.
pub(crate) fn hash64(bytes: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(bytes, seed)
}

/// The hash of bytes that come piece by piece.
#[derive(Default)]
pub(crate) struct StreamHash(Xxh3);

impl StreamHash {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0.digest()
    }
}

/// FNV-1a, for file names.
pub(crate) fn file_name_hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
