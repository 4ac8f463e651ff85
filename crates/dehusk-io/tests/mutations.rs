//! Random changes to small sound archives: never a panic, never an endless run, never a page past its limit.

mod common;

use std::sync::Arc;

use common::*;
use dehusk_io::ReadOptions;

/// A small generator (xorshift64), so that a failure can be repeated by its number. Not the SplitMix64 of the other
/// tests: with other numbers this test would try other archives.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(6) {
        let length = bytes.len();
        let at = random.below(length + 1).min(length);
        let end = (at + random.below(40)).min(length);
        match random.below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes[at..end].fill(random.below(256) as u8),
            3 if at < length => bytes[at] ^= 1 << random.below(8),
            4 => {
                let copy = bytes[at..end].to_vec();
                let to = random.below(length);
                bytes.splice(to..to, copy);
            }
            5 => {
                let word: &[u8] =
                    [&b"WARC/1."[..], b"\r\n\r\n", b"\n", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"99999999"]
                        [random.below(6)];
                bytes.splice(at..at, word.iter().copied());
            }
            _ => {
                let other = bytes[random.below(length)..].to_vec();
                bytes.extend(other);
            }
        }
        bytes.truncate(200_000);
    }
}

#[test]
fn no_change_makes_a_reader_panic_or_run_on() {
    let pages: Vec<Vec<u8>> = (0..4)
        .map(|number| {
            let head = "Content-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n";
            let packed = gzip(&body(number));
            let chunks = [format!("{:x}\r\n", packed.len()).as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
            response(&format!("http://a/{number}"), head, &chunks)
        })
        .collect();
    let lines: String = (0..5).map(|n| format!("{{\"url\":\"http://a/{n}\",\"html\":\"<p>\\u00e9{n}\"}}\n")).collect();
    let seeds: Arc<Vec<(&str, Vec<u8>)>> = Arc::new(vec![
        ("x.warc", pages.concat()),
        ("x.warc.gz", pages.iter().flat_map(|page| gzip(page)).collect()),
        ("x.warc.gz", gzip(&pages.concat())),
        ("x.warc.zst", pages.iter().flat_map(|page| zstd(page)).collect()),
        ("x.jsonl", lines.clone().into_bytes()),
        ("x.jsonl.gz", gzip(lines.as_bytes())),
        ("x.jsonl.zst", zstd(lines.as_bytes())),
        ("x.html.gz", gzip(&body(1))),
    ]);
    let options = ReadOptions::default().with_max_bytes(5000).with_max_line_bytes(5000);
    for number in 1..4000u64 {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (name, seed) = &seeds[random.below(seeds.len())];
        let mut bytes = seed.clone();
        mutate(&mut bytes, &mut random);
        let items = if random.below(8) == 0 || !name.contains("warc") {
            read_file(name, &bytes, &options)
        } else {
            read_warc(bytes, &options)
        };
        assert!(items.len() < 20_000, "case {number}");
        for record in items.iter().flatten() {
            assert!(record.html.len() <= 5000, "case {number}");
        }
    }
}
