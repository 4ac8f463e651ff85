//! Replays the corpora of the fuzz targets: what once broke one, and what reaches most of its code.

#[path = "../../../fuzz/io_bodies.rs"]
mod io_bodies;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use dehusk_io::{FaultKind, ReadOptions, open};
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
fn parquet() {
    replay("parquet", io_bodies::parquet);
}

/// The pages of a Parquet file of the corpus, and the kinds and texts of its faults.
fn pages_of(name: &str) -> (Vec<String>, Vec<(FaultKind, String)>) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions/parquet").join(name);
    let options = ReadOptions::default();
    let mut source = open(&[path], &options).unwrap();
    let (mut pages, mut faults) = (Vec::new(), Vec::new());
    while let Some(item) = source.next() {
        match item.and_then(|raw| raw.open(&options)) {
            Ok(record) => pages.push(String::from_utf8(record.html).unwrap()),
            Err(fault) => faults.push((fault.kind, fault.to_string())),
        }
    }
    (pages, faults)
}

#[test]
fn a_wrong_checksum_of_a_parquet_page_is_noticed() {
    assert_eq!(pages_of("checksum").0, ["<p>page 0", "<p>page 1", "<p>page 2"]);
    let (pages, faults) = pages_of("checksum-wrong");
    assert!(pages.is_empty(), "{pages:?}");
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].0, FaultKind::DamagedArchive);
    assert!(faults[0].1.contains("row group 1"), "{faults:?}");
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
