//! An HTTP response as a crawler stored it: head, chunks, content encodings.
//!
//! Takes the bytes of a response and gives the decoded body. Archives often hold decoded bodies with the headers of the
//! encoded ones, so an encoding that the body plainly does not have is ignored.

use std::io::{self, Read};

use flate2::read::{DeflateDecoder, ZlibDecoder};

use crate::compression::{Codec, Gzip, Start, ZSTD_MAGIC};
use crate::containers::warc::header_fields::{HeaderFields, header_end};

/// More layers of encoding than this are treated as an attack; servers use one, rarely two.
const MAX_LAYERS: usize = 6;

/// The head of a response, and where its body starts.
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) fields: HeaderFields,
    pub(crate) body_start: usize,
}

impl Head {
    /// Parses the head after any interim (1xx) responses. `None` if this is not an HTTP response.
    pub(crate) fn parse(block: &[u8]) -> Option<Head> {
        let mut start = 0;
        loop {
            let rest = &block[start..];
            // A head without an end takes up the whole block.
            let (head_end, body) = header_end(rest).unwrap_or((rest.len(), rest.len()));
            let first = memchr::memchr(b'\n', &rest[..head_end]).unwrap_or(head_end);
            // The reason after the status can be of any length and in any encoding.
            let line = String::from_utf8_lossy(rest[..first].get(..64.min(first))?);
            let mut words = line.split_ascii_whitespace();
            if !words.next()?.starts_with("HTTP/") {
                return None;
            }
            let status: u16 = words.next()?.parse().ok()?;
            // Crawlers may store interim responses in front of the final one.
            if (100..200).contains(&status) && rest[body..].starts_with(b"HTTP/") {
                start += body;
                continue;
            }
            let fields = HeaderFields::parse(rest.get(first + 1..head_end).unwrap_or_default().to_vec());
            return Some(Head { status, fields, body_start: start + body });
        }
    }
}

/// A body without its encodings.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    /// Whether the end is missing.
    pub(crate) truncated: bool,
}

/// Why a body cannot be decoded.
#[derive(Debug, PartialEq)]
pub(crate) enum BodyError {
    TooLarge,
    Broken(String),
}

/// Decodes transfer and content encodings. No step gives more than `limit` bytes.
pub(crate) fn decode_body(fields: &HeaderFields, body: Vec<u8>, limit: u64) -> Result<Body, BodyError> {
    // The length is that of the encoded body.
    let declared = fields.first("content-length").and_then(|text| text.parse::<u64>().ok());
    let truncated = declared.is_some_and(|length| length > body.len() as u64);
    let mut body = Body { bytes: body, truncated };
    let listed = ["content-encoding", "transfer-encoding"].into_iter().flat_map(|name| fields.all(name));
    let listed: Vec<_> = listed.collect();
    let layers: Vec<String> = listed
        .iter()
        .flat_map(|value| value.split(','))
        .map(|layer| layer.trim().to_ascii_lowercase())
        .filter(|layer| matches!(layer.as_str(), "gzip" | "x-gzip" | "deflate" | "br" | "zstd" | "chunked"))
        .collect();
    if layers.len() > MAX_LAYERS {
        return Err(BodyError::Broken(format!("more than {MAX_LAYERS} layers of encoding")));
    }
    // The encoding applied last is listed last; the transfer encoding wraps the content encoding.
    for layer in layers.iter().rev() {
        body = decode_layer(layer, body, limit)?;
    }
    if body.bytes.len() as u64 > limit { Err(BodyError::TooLarge) } else { Ok(body) }
}

fn decode_layer(layer: &str, body: Body, limit: u64) -> Result<Body, BodyError> {
    let bytes = &body.bytes[..];
    // For deflate and brotli, which have no magic number to check.
    let looks_plain = bytes.trim_ascii_start().first().is_none_or(|&byte| byte == b'<');
    let (done, end) = match layer {
        "chunked" => match dechunk(bytes) {
            Some((done, truncated)) => (done, if truncated { End::Truncated } else { End::Whole }),
            None => return Ok(body),
        },
        "gzip" | "x-gzip" if bytes.starts_with(&[0x1f, 0x8b]) => inflate(Codec::Gzip(Gzip::new()), bytes, limit),
        "zstd" if bytes.starts_with(ZSTD_MAGIC) => match Codec::zstd(&[]) {
            Ok(codec) => inflate(codec, bytes, limit),
            Err(error) => return Err(BodyError::Broken(error.to_string())),
        },
        "gzip" | "x-gzip" | "zstd" => return Ok(body),
        _ if looks_plain => return Ok(body),
        "deflate" => match bytes {
            // RFC 9110 means zlib; some servers send the bare deflate stream.
            [first, second, ..] if first & 15 == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0 => {
                read_within(ZlibDecoder::new(bytes), limit)
            }
            _ => read_within(DeflateDecoder::new(bytes), limit),
        },
        _ => read_within(brotli_decompressor::Decompressor::new(Needed(bytes), 1 << 12), limit),
    };
    match end {
        End::Whole => Ok(Body { bytes: done, truncated: body.truncated }),
        End::TooLarge => Err(BodyError::TooLarge),
        // The start of a page is worth keeping, as in browsers.
        End::Truncated if !done.is_empty() => Ok(Body { bytes: done, truncated: true }),
        End::Truncated => Err(BodyError::Broken(format!("the {layer} encoding is truncated at its start"))),
        End::Broken(_) if body.truncated && !done.is_empty() => Ok(Body { bytes: done, truncated: true }),
        End::Broken(reason) => Err(BodyError::Broken(format!("the {layer} encoding is broken: {reason}"))),
    }
}

/// Bytes for a decoder that reads only what it needs: at their end, something is missing. The brotli decoder itself calls this invalid.
struct Needed<'a>(&'a [u8]);

impl Read for Needed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() { Err(io::ErrorKind::UnexpectedEof.into()) } else { self.0.read(buffer) }
    }
}

enum End {
    Whole,
    TooLarge,
    Truncated,
    Broken(String),
}

/// Joins the chunks of a body. Also whether it is truncated. `None` if it has no chunks, whatever the head says.
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
            // Without a first size line there are no chunks: the body was stored decoded.
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
        // Chunks that end with a line feed alone, or with nothing, are accepted, too.
        at += bytes[at..].iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    }
}

/// Inflates all parts of `input`. Other bytes after the last part are ignored, as browsers do.
fn inflate(mut codec: Codec, input: &[u8], limit: u64) -> (Vec<u8>, End) {
    let mut output = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    let mut at = 0;
    let mut parts = 0;
    while at < input.len() {
        match codec.start(&input[at..]) {
            Start::Part(header) => at += header,
            Start::Skip(count) if count > (input.len() - at) as u64 => return (output, End::Truncated),
            Start::Skip(count) => {
                at += usize::try_from(count).unwrap_or(0);
                continue;
            }
            Start::NeedMore | Start::Bad(_) if parts > 0 => break,
            Start::NeedMore => return (output, End::Truncated),
            Start::Bad(reason) => return (output, End::Broken(reason.into())),
        }
        loop {
            let step = codec.step(&input[at..], &mut buffer);
            at += step.used;
            if output.len() as u64 + step.made as u64 > limit {
                return (output, End::TooLarge);
            }
            output.extend_from_slice(&buffer[..step.made]);
            if let Some(reason) = step.failed {
                return (output, End::Broken(reason));
            }
            if step.ended {
                break;
            }
            if step.used + step.made == 0 {
                return (output, End::Truncated);
            }
        }
        parts += 1;
    }
    (output, End::Whole)
}

/// Reads to the end or to the limit.
fn read_within(mut reader: impl Read, limit: u64) -> (Vec<u8>, End) {
    let mut output = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return (output, End::Whole),
            Ok(count) if output.len() as u64 + count as u64 > limit => return (output, End::TooLarge),
            Ok(count) => output.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return (output, End::Truncated),
            Err(error) => return (output, End::Broken(error.to_string())),
        }
    }
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
