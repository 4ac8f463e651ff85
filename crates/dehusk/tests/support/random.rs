//! Pseudo-random numbers for tests: SplitMix64, the same numbers for the same seed on every machine.
//!
//! Test data depend on these numbers, so a failure can be repeated by its seed. Included by `#[path]` in every test that
//! needs it.

use dehusk_dom::random::split_mix;

/// A stream of numbers from a seed.
pub(crate) struct Random(pub(crate) u64);

#[allow(dead_code, reason = "not every test that includes this file uses all of it")]
impl Random {
    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        split_mix(&mut self.0)
    }

    /// A number below `limit`; 0 if the limit is 0. By the remainder, unlike `SplitMix64::below`: with other numbers the tests would try
    /// other data.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}
