//! An HTTP response as a crawler stored it: head, chunks, content encodings.
//!
//! Takes the bytes of a response and gives the body as the page's author wrote it. Archives often hold bodies
//! that are already decoded under the headers of before, so an encoding that is plainly not there is ignored.

use std::io::{self, Read};

use flate2::read::{DeflateDecoder, ZlibDecoder};

use crate::codec::{Codec, Gzip, Start};
use crate::fields::{Fields, head_end};

/// More layers of encoding than this are taken for an attack; servers use one, rarely two.
const MAX_LAYERS: usize = 6;

/// The head of a response, and where its body starts.
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) fields: Fields,
    pub(crate) body_start: usize,
}

impl Head {
    /// Reads the head, passing over interim (1xx) responses. `None`: this is no HTTP response.
    pub(crate) fn parse(block: &[u8]) -> Option<Head> {
        let mut start = 0;
        loop {
            let rest = &block[start..];
            // A head that never ends is all there is.
            let (head_end, body) = head_end(rest).unwrap_or((rest.len(), rest.len()));
            let first = memchr::memchr(b'\n', &rest[..head_end]).unwrap_or(head_end);
            let line = std::str::from_utf8(rest[..first].get(..64.min(first))?).ok().unwrap_or_default();
            let mut words = line.split_ascii_whitespace();
            if !words.next()?.starts_with("HTTP/") {
                return None;
            }
            let status: u16 = words.next()?.parse().ok()?;
            if (100..200).contains(&status) && rest[body..].starts_with(b"HTTP/") {
                start += body;
                continue;
            }
            let fields = Fields::parse(rest.get(first + 1..head_end).unwrap_or_default());
            return Some(Head { status, fields, body_start: start + body });
        }
    }
}

/// A body without its encodings.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    /// Whether the end is missing.
    pub(crate) cut: bool,
}

/// Why a body cannot be decoded.
#[derive(Debug, PartialEq)]
pub(crate) enum BodyError {
    TooLarge,
    Broken(String),
}

/// Undoes transfer and content encodings. No step makes more than `limit` bytes.
pub(crate) fn decode_body(fields: &Fields, body: Vec<u8>, limit: u64) -> Result<Body, BodyError> {
    let mut body = Body { bytes: body, cut: false };
    let listed = ["content-encoding", "transfer-encoding"].into_iter().flat_map(|name| fields.all(name));
    let layers: Vec<String> = listed
        .flat_map(|value| value.split(','))
        .map(|layer| layer.trim().to_ascii_lowercase())
        .filter(|layer| matches!(layer.as_str(), "gzip" | "x-gzip" | "deflate" | "br" | "zstd" | "chunked"))
        .collect();
    if layers.len() > MAX_LAYERS {
        return Err(BodyError::Broken(format!("more than {MAX_LAYERS} layers of encoding")));
    }
    // The last encoding applied stands last; the transfer encoding lies around the content encoding.
    for layer in layers.iter().rev() {
        body = undo(layer, body, limit)?;
    }
    if body.bytes.len() as u64 > limit { Err(BodyError::TooLarge) } else { Ok(body) }
}

fn undo(layer: &str, body: Body, limit: u64) -> Result<Body, BodyError> {
    let bytes = &body.bytes[..];
    let looks_plain = bytes.trim_ascii_start().first().is_none_or(|&byte| byte == b'<');
    let (done, end) = match layer {
        "chunked" => match dechunk(bytes) {
            Some((done, cut)) => (done, if cut { End::Cut } else { End::Whole }),
            None => return Ok(body),
        },
        "gzip" | "x-gzip" if bytes.starts_with(&[0x1f, 0x8b]) => inflate(Codec::Gzip(Gzip::new()), bytes, limit),
        "zstd" if bytes.starts_with(crate::codec::ZSTD_MAGIC) => match Codec::zstd(&[]) {
            Ok(codec) => inflate(codec, bytes, limit),
            Err(error) => return Err(BodyError::Broken(error.to_string())),
        },
        "gzip" | "x-gzip" | "zstd" => return Ok(body),
        _ if looks_plain => return Ok(body),
        "deflate" => match bytes {
            // RFC 9110 means zlib, some servers send the bare deflate stream.
            [first, second, ..] if first & 15 == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0 => {
                read_within(ZlibDecoder::new(bytes), limit)
            }
            _ => read_within(DeflateDecoder::new(bytes), limit),
        },
        _ => read_within(brotli_decompressor::Decompressor::new(bytes, 1 << 12), limit),
    };
    match end {
        End::Whole => Ok(Body { bytes: done, cut: body.cut }),
        End::TooLarge => Err(BodyError::TooLarge),
        // A cut body is a cut page, which readers of the web are used to; nothing at all is none.
        End::Cut if !done.is_empty() => Ok(Body { bytes: done, cut: true }),
        End::Cut => Err(BodyError::Broken(format!("the {layer} encoding is cut off at its start"))),
        End::Broken(_) if body.cut && !done.is_empty() => Ok(Body { bytes: done, cut: true }),
        End::Broken(reason) => Err(BodyError::Broken(format!("the {layer} encoding is broken: {reason}"))),
    }
}

enum End {
    Whole,
    TooLarge,
    Cut,
    Broken(String),
}

/// Joins the chunks of a body. `None`: it has none, whatever the head says.
fn dechunk(bytes: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut joined = Vec::with_capacity(bytes.len());
    let mut at = 0;
    loop {
        let size = memchr::memchr(b'\n', &bytes[at..]).and_then(|end| {
            let line = std::str::from_utf8(bytes[at..at + end].split(|&byte| byte == b';').next()?).ok()?;
            Some((usize::from_str_radix(line.trim(), 16).ok()?, at + end + 1))
        });
        let (size, start) = match size {
            Some(size) => size,
            None if at == 0 => return None,
            None => return Some((joined, true)),
        };
        if size == 0 {
            return Some((joined, false));
        }
        let chunk = bytes[start..].get(..size).unwrap_or(&bytes[start..]);
        joined.extend_from_slice(chunk);
        if chunk.len() < size {
            return Some((joined, true));
        }
        at = start + size;
        at += bytes[at..].iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    }
}

/// Inflates all parts of `input`; what follows the last part and is none is ignored, as browsers do.
fn inflate(mut codec: Codec, input: &[u8], limit: u64) -> (Vec<u8>, End) {
    let mut output = Vec::new();
    let mut room = vec![0; 64 << 10];
    let mut at = 0;
    let mut parts = 0;
    while at < input.len() {
        match codec.start(&input[at..]) {
            Start::Part(header) => at += header,
            Start::Skip(count) => {
                at = at.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
                continue;
            }
            Start::More | Start::Bad(_) if parts > 0 => break,
            Start::More => return (output, End::Cut),
            Start::Bad(reason) => return (output, End::Broken(reason.into())),
        }
        loop {
            let step = codec.step(&input[at..], &mut room);
            at += step.used;
            if output.len() as u64 + step.made as u64 > limit {
                return (output, End::TooLarge);
            }
            output.extend_from_slice(&room[..step.made]);
            if let Some(reason) = step.failed {
                return (output, End::Broken(reason));
            }
            if step.ended {
                break;
            }
            if step.used + step.made == 0 {
                return (output, End::Cut);
            }
        }
        parts += 1;
    }
    (output, End::Whole)
}

/// Reads to the end, but no further than the limit.
fn read_within(mut reader: impl Read, limit: u64) -> (Vec<u8>, End) {
    let mut output = Vec::new();
    let mut room = vec![0; 64 << 10];
    loop {
        match reader.read(&mut room) {
            Ok(0) => return (output, End::Whole),
            Ok(count) if output.len() as u64 + count as u64 > limit => return (output, End::TooLarge),
            Ok(count) => output.extend_from_slice(&room[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return (output, End::Cut),
            Err(error) => return (output, End::Broken(error.to_string())),
        }
    }
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
