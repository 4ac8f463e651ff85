//! Scales counts for models, so that long and short pages look similar.

use std::sync::LazyLock;

/// Precomputed logarithms of small counts, which most counts are.
static LOGS: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|count| ((count + 1) as f32).log2()));

/// The logarithm of a count plus one.
#[inline]
pub(crate) fn log(count: u32) -> f32 {
    LOGS.get(count as usize).copied().unwrap_or_else(|| ((count + 1) as f32).log2())
}

/// A part as a fraction of the whole; 0 of 0 is 0.
#[inline]
pub(crate) fn share(part: u32, whole: u32) -> f32 {
    part as f32 / whole.max(1) as f32
}
