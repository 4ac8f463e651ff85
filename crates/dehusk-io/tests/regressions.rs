//! Replays the corpora of the fuzz targets: what once broke one, and what reaches most of its code.

#[path = "../../../fuzz/io_bodies.rs"]
mod io_bodies;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use replay::replay;

#[test]
fn warc() {
    replay("warc", io_bodies::warc);
}

#[test]
fn jsonl() {
    replay("jsonl", io_bodies::jsonl);
}

#[test]
fn store() {
    replay("store", io_bodies::store);
}

/// Stores with up to three damaged places each.
#[test]
fn damaged_stores_are_noticed() {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as u32
    };
    let sound = (0..500)
        .filter(|number| {
            let damages = (0..1 + number % 3).flat_map(|_| {
                let [a, b, c, d] = random().to_le_bytes();
                let [value, extent, kind, _] = random().to_le_bytes();
                [a, b, c, d, value, if kind < 25 { 0 } else { extent.max(1) }]
            });
            io_bodies::store(&damages.collect::<Vec<_>>())
        })
        .count();
    // Some damage hits nothing that counts.
    assert!((1..500).contains(&sound), "{sound}");
}
