//! Makes small archives and reads them back, for the tests of this folder.

#![allow(dead_code, reason = "every test binary uses a part of it")]

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use dehusk_io::{Fault, InputPage, ReadOptions, Source, open, warc_from_reader};

pub(crate) type Items = Vec<Result<InputPage, Fault>>;

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A record of any kind.
pub(crate) fn record(kind: &str, url: &str, more: &str, block: &[u8]) -> Vec<u8> {
    let mut out = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Record-ID: <urn:{url}>\r\n{more}\
         Content-Length: {}\r\n\r\n",
        block.len()
    )
    .into_bytes();
    out.extend_from_slice(block);
    out.extend_from_slice(b"\r\n\r\n");
    out
}

/// The response of a server.
pub(crate) fn response(url: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 200 OK\r\n{head}\r\n").as_bytes(), body].concat();
    record("response", url, "Content-Type: application/http; msgtype=response\r\n", &block)
}

/// A page with a body that compresses badly, so that damage has something to hit.
pub(crate) fn page(number: usize) -> Vec<u8> {
    response(&format!("http://a.example/{number}"), "Content-Type: text/html\r\n", &body(number))
}

pub(crate) fn body(number: usize) -> Vec<u8> {
    let mut state = number as u64 + 1;
    let mut text = format!("<html><body><p>page {number}</p>").into_bytes();
    for _ in 0..2000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push(b'0' + (state >> 58) as u8);
    }
    text
}

/// Bytes of gzip that inflate to `count` zeros, made without deflating them all.
pub(crate) fn gzip_zeros(before: &[u8], count: u64, after: &[u8]) -> Vec<u8> {
    const STEP: u64 = 1 << 20;
    assert_eq!(count % STEP, 0);
    let zeros = vec![0; STEP as usize];
    let flush = |bytes: &[u8]| {
        let mut deflate = flate2::Compress::new(flate2::Compression::best(), false);
        let mut out = Vec::with_capacity(bytes.len() + 1024);
        deflate.compress_vec(bytes, &mut out, flate2::FlushCompress::Full).unwrap();
        out
    };
    let crc = |bytes: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        crc
    };
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    out.extend(flush(before));
    let mut sum = crc(before);
    let (block, block_sum) = (flush(&zeros), crc(&zeros));
    for _ in 0..count / STEP {
        out.extend_from_slice(&block);
        sum.combine(&block_sum);
    }
    out.extend(flush(after));
    sum.combine(&crc(after));
    // An empty last block.
    out.extend_from_slice(&[3, 0]);
    out.extend_from_slice(&sum.sum().to_le_bytes());
    out.extend_from_slice(&((before.len() as u64 + count + after.len() as u64) as u32).to_le_bytes());
    out
}

pub(crate) fn drain(mut source: Box<dyn Source>, options: &ReadOptions) -> Items {
    let mut items = Vec::new();
    while let Some(item) = source.next() {
        items.push(item.and_then(|raw| raw.open(options)));
    }
    items
}

pub(crate) fn read_warc(bytes: Vec<u8>, options: &ReadOptions) -> Items {
    drain(warc_from_reader(Cursor::new(bytes), Path::new("x.warc"), options).unwrap(), options)
}

pub(crate) fn read_paths(paths: &[PathBuf], options: &ReadOptions) -> Items {
    drain(open(paths, options).unwrap(), options)
}

/// Writes a file and reads it as a named input.
pub(crate) fn read_file(name: &str, bytes: &[u8], options: &ReadOptions) -> Items {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_paths(&[path], options)
}

/// Each item in one word: the last part of its url, or the kind of its fault.
pub(crate) fn words(items: &Items) -> Vec<String> {
    let word = |item: &Result<InputPage, Fault>| match item {
        Ok(record) => record.url.rsplit('/').next().unwrap().to_string(),
        Err(fault) => fault.kind.name().to_string(),
    };
    items.iter().map(word).collect()
}
