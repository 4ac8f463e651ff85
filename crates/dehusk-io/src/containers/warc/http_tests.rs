use std::io::Write;

use super::*;

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// "<p>hi</p>" as one brotli meta-block of literals, made with the reference encoder.
const BROTLI: &[u8] = &[0x0b, 0x04, 0x80, 0x3c, 0x70, 0x3e, 0x68, 0x69, 0x3c, 0x2f, 0x70, 0x3e, 0x03];

fn decode(head: &str, body: &[u8]) -> Result<Body, BodyError> {
    decode_body(&HeaderFields::parse(head.as_bytes().to_vec()), body.to_vec(), 1000)
}

fn chunked(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(size) {
        out.extend_from_slice(format!("{:x};x=1\r\n", chunk.len()).as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\nTrailer: 1\r\n\r\n");
    out
}

#[test]
fn interim_responses_are_skipped_and_line_ends_may_be_bare() {
    let block = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\nContent-Type: text/html\n\n<p>";
    let head = Head::parse(block).unwrap();
    assert_eq!((head.status, head.fields.first("content-type").as_deref()), (200, Some("text/html")));
    assert_eq!(&block[head.body_start..], b"<p>");
    assert!(Head::parse(b"<html>").is_none());
    assert!(Head::parse(b"").is_none());
    assert_eq!(Head::parse(b"HTTP/2 204").unwrap().status, 204);
}

#[test]
fn every_encoding_is_decoded() {
    let page = b"<p>hi</p>";
    let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    raw.write_all(page).unwrap();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("Content-Encoding: gzip", gzip(page)),
        ("Content-Encoding: x-gzip", gzip(page)),
        ("Content-Encoding: deflate", zlib(page)),
        ("Content-Encoding: deflate", raw.finish().unwrap()),
        ("Content-Encoding: br", BROTLI.to_vec()),
        ("Content-Encoding: zstd", zstd::encode_all(&page[..], 1).unwrap()),
        ("Transfer-Encoding: chunked", chunked(page, 4)),
        ("Content-Encoding: gzip\nTransfer-Encoding: chunked", chunked(&gzip(page), 5)),
        ("Content-Encoding: deflate, gzip", gzip(&zlib(page))),
        ("Content-Encoding: gzip", [gzip(b"<p>hi"), gzip(b"</p>"), b"junk".to_vec()].concat()),
        ("Content-Encoding: utf-8", page.to_vec()),
        // Decoded already, whatever the head says.
        ("Content-Encoding: gzip", page.to_vec()),
        ("Content-Encoding: br", page.to_vec()),
        ("Content-Encoding: zstd", page.to_vec()),
        ("Transfer-Encoding: chunked", page.to_vec()),
    ];
    for (head, body) in cases {
        let decoded = decode(head, &body).unwrap();
        assert_eq!((decoded.bytes.as_slice(), decoded.truncated), (&page[..], false), "{head}");
    }
}

#[test]
fn a_body_that_inflates_past_the_limit_is_too_large() {
    let long = vec![b'a'; 5_000_000];
    for (head, body) in [
        ("Content-Encoding: gzip", gzip(&long)),
        ("Content-Encoding: deflate", zlib(&long)),
        ("Content-Encoding: zstd", zstd::encode_all(&long[..], 1).unwrap()),
        ("Content-Encoding: gzip, gzip", gzip(&gzip(&long))),
    ] {
        assert_eq!(decode(head, &body).unwrap_err(), BodyError::TooLarge, "{head}");
    }
    let head = format!("Content-Encoding: {}", vec!["gzip"; 50].join(","));
    assert!(matches!(decode(&head, &gzip(b"x")).unwrap_err(), BodyError::Broken(_)));
}

#[test]
fn a_truncated_body_is_kept_and_marked() {
    let page: Vec<u8> = (0..900u32).map(|n| (n * n % 251) as u8).collect();
    let packed = gzip(&page);
    let body = decode("Content-Encoding: gzip", &packed[..packed.len() - 9]).unwrap();
    assert!(body.truncated && page.starts_with(&body.bytes));
    for missing in 1..4 {
        let body = decode("Content-Encoding: br", &BROTLI[..BROTLI.len() - missing]).unwrap();
        assert!(body.truncated && !body.bytes.is_empty() && b"<p>hi</p>".starts_with(&body.bytes));
    }
    assert!(matches!(decode("Content-Encoding: br", b"\xff\xff no brotli").unwrap_err(), BodyError::Broken(_)));
    let chunks = chunked(&page, 100);
    let body = decode("Transfer-Encoding: chunked", &chunks[..chunks.len() / 2]).unwrap();
    assert!(body.truncated && page.starts_with(&body.bytes));
}

#[test]
fn a_body_shorter_than_its_length_or_its_frames_is_truncated() {
    let body = decode("Content-Length: 20\r\n", b"<p>short").unwrap();
    assert_eq!((&body.bytes[..], body.truncated), (&b"<p>short"[..], true));
    assert!(!decode("Content-Length: 8\r\n", b"<p>short").unwrap().truncated);
    // Skippable frames that claim more than there is.
    let frame = zstd::encode_all(&b"<p>whole"[..], 1).unwrap();
    let bytes = [&frame[..], &[0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0, 0], &frame].concat();
    let body = decode("Content-Encoding: zstd\r\n", &bytes).unwrap();
    assert_eq!((&body.bytes[..], body.truncated), (&b"<p>whole"[..], true));
}

#[test]
fn the_reason_after_a_status_can_be_of_any_encoding() {
    let head = Head::parse(b"HTTP/1.1 404 Nicht gefunden \xfcberall\r\n\r\n").unwrap();
    assert_eq!(head.status, 404);
    let long = format!("HTTP/1.1 200 {}\r\n\r\n", "ü".repeat(60));
    assert_eq!(Head::parse(long.as_bytes()).unwrap().status, 200);
}
