//! Pseudo-random numbers for tests: SplitMix64, the same numbers for the same seed on every machine.
//!
//! Test data depend on these numbers, so a failure can be repeated by its seed. Included by `#[path]` in every test that
//! needs it. Training has its own generator (`dehusk-train/src/random.rs`), since models depend on it.

/// A stream of numbers from a seed.
pub(crate) struct Random(pub(crate) u64);

#[allow(dead_code, reason = "not every test that includes this file uses all of it")]
impl Random {
    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 if the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}
