//! Combines two hashes. Stored fingerprints and templates depend on it.

/// Mixes two hashes; the order matters.
pub fn mix(one: u64, two: u64) -> u64 {
    let product = (one ^ 0x9e37_79b9_7f4a_7c15) as u128 * (two ^ 0xd6e8_feb8_6659_fd93) as u128;
    (product as u64) ^ (product >> 64) as u64 ^ two.rotate_left(29)
}
