//! Bombs: what would inflate to gigabytes is a fault, costs no memory, and the page behind it is read.
//!
//! One test in a binary of its own, because the high-water mark of memory is one for the process.

mod common;

use std::io::Write;

use common::*;
use dehusk_io::ReadOptions;

const GIB: u64 = 1 << 30;

/// The most memory this process ever held, in MiB. `None` where the system does not say.
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// A zstd frame of text, `count` zeros and text.
fn zstd_zeros(before: &[u8], count: u64, after: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    let zeros = vec![0; 1 << 20];
    encoder.write_all(before).unwrap();
    for _ in 0..count / (1 << 20) {
        encoder.write_all(&zeros).unwrap();
    }
    encoder.write_all(after).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn bombs_stay_small() {
    let options = ReadOptions::default().with_max_bytes(8 << 20).with_max_line_bytes(8 << 20);
    let line = b"{\"url\":\"http://a/next\",\"html\":\"<p>\"}\n";

    // A record of 3 GiB in a gzip member, in a zstd frame, and in a plain file with a hole in it.
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let header = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/big\r\nContent-Length: {}\r\n\r\n",
        block.len() as u64 + 3 * GIB
    );
    let before = [header.as_bytes(), block].concat();
    let gzip_warc = [gzip_zeros(&before, 3 * GIB, b"\r\n\r\n"), gzip(&page(1))].concat();
    assert!(gzip_warc.len() < 8 << 20);
    assert_eq!(words(&read_warc(gzip_warc, &options)), ["too_large", "1"]);
    let one_member = zstd_zeros(&before, 3 * GIB, &[b"\r\n\r\n".to_vec(), page(1)].concat());
    assert_eq!(words(&read_warc(one_member, &options)), ["too_large", "1"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hole.warc");
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(&before).unwrap();
    file.set_len(before.len() as u64 + 3 * GIB).unwrap();
    std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).unwrap();
    file.write_all(&[b"\r\n\r\n".to_vec(), page(1)].concat()).unwrap();
    assert_eq!(words(&read_paths(&[path], &options)), ["too_large", "1"]);

    // Beyond the cap for passing over, the member is given up and the next one read.
    let capped = options.clone().with_max_skip_bytes(GIB);
    let gzip_warc = [gzip_zeros(&before, 3 * GIB, b"\r\n\r\n"), gzip(&page(1))].concat();
    assert_eq!(words(&read_warc(gzip_warc, &capped)), ["too_large", "1"]);

    // A line of 3 GiB.
    let lines = zstd_zeros(b"", 3 * GIB, &[b"\n", &line[..]].concat());
    assert_eq!(words(&read_file("x.jsonl.zst", &lines, &options)), ["too_large", "next"]);
    let lines = gzip_zeros(b"", GIB, &[b"\n", &line[..]].concat());
    assert_eq!(words(&read_file("x.jsonl.gz", &lines, &options)), ["too_large", "next"]);
    let given_up = read_file("x.jsonl.zst", &zstd_zeros(b"", 2 * GIB, line), &capped);
    assert_eq!(words(&given_up), ["too_large"]);
    assert!(given_up[0].as_ref().unwrap_err().to_string().contains("the rest of the file is skipped"));

    // A page file, and a page under a content encoding, the page behind it whole.
    assert_eq!(words(&read_file("x.html.gz", &gzip_zeros(b"<p>", 2 * GIB, b""), &options)), ["too_large"]);
    let bomb = gzip_zeros(b"<p>", 2 * GIB, b"");
    let head = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let warc = [response("http://a/bomb", head, &bomb), page(1)].concat();
    let items = read_warc(warc, &options);
    assert_eq!(words(&items), ["too_large", "1"]);
    assert!(items[0].as_ref().unwrap_err().to_string().contains("limit of 8 MiB"));

    if let Some(peak) = peak_mib() {
        assert!(peak < 120, "held {peak} MiB");
    }
}
