//! Hashes of numbers: [`mix`] combines two, for fingerprints; [`NumberMap`] is a map by numbers that pages can choose.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// Mixes two hashes; the order matters. Stored fingerprints and templates depend on it.
pub fn mix(one: u64, two: u64) -> u64 {
    let product = (one ^ 0x9e37_79b9_7f4a_7c15) as u128 * (two ^ 0xd6e8_feb8_6659_fd93) as u128;
    (product as u64) ^ (product >> 64) as u64 ^ two.rotate_left(29)
}

/// A map by numbers, such as hashes of texts. Pages cannot foresee its hash, so they cannot hold keys that collide. The maps of the standard
/// library have this property for keys of any kind, but take twice as long to number the words of a page (22 ns for a word); this one takes
/// about as long as an `FxHashMap` (10 ns).
pub type NumberMap<K, V> = HashMap<K, V, NumberHash>;

/// The hash of a [`NumberMap`]: products with a number that is random in each process.
#[derive(Clone, Copy, Debug)]
pub struct NumberHash {
    start: u64,
    factor: u64,
}

impl Default for NumberHash {
    fn default() -> NumberHash {
        static RANDOM: LazyLock<NumberHash> = LazyLock::new(|| {
            let random = RandomState::new();
            // Odd, and so never 0, which would make all hashes the same.
            NumberHash { start: random.hash_one(0), factor: random.hash_one(1) | 1 }
        });
        *RANDOM
    }
}

impl BuildHasher for NumberHash {
    type Hasher = NumberHasher;

    fn build_hasher(&self) -> NumberHasher {
        NumberHasher { state: self.start, factor: self.factor }
    }
}

/// Hashes one key of a [`NumberMap`].
#[derive(Clone, Copy, Debug)]
pub struct NumberHasher {
    state: u64,
    factor: u64,
}

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        let product = (self.state ^ number) as u128 * self.factor as u128;
        // A `HashMap` uses the lowest and the highest bits of a hash, so both halves of the product are needed.
        self.state = (product as u64) ^ (product >> 64) as u64;
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_spread_whatever_they_are() {
        let hash = NumberHash::default();
        // In a row, far apart, and those whose product with the factor of `FxHashMap` is the same in the bits it uses.
        let inverse = (0..6)
            .fold(1_u64, |found, _| found.wrapping_mul(2_u64.wrapping_sub(found.wrapping_mul(0xf135_7aea_2e62_a9c5))));
        for factor in [1, 1 << 44, inverse] {
            for shift in [0, 57] {
                let mut counts = [0; 128];
                (0..12_800_u64)
                    .for_each(|at| counts[(hash.hash_one(at.wrapping_mul(factor)) >> shift) as usize % 128] += 1);
                assert!(counts.iter().all(|count| (20..400).contains(count)), "{factor:x} {shift} {counts:?}");
            }
        }
    }
}
