//! JSON text in one form: without white space, strings with no more escapes than they need, numbers as they are.
//!
//! A JSON string can have half a surrogate pair (`"\udce9"`), as Python writes bytes that it could not decode. No Rust string can, so
//! such a string is the bytes that its halves would have in UTF-8.

use std::fmt::{self, Write as _};

use serde::de::{Deserialize, Deserializer, Visitor};

/// A JSON string as bytes.
pub(crate) struct StringBytes(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for StringBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = StringBytes;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a string")
            }
            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<StringBytes, E> {
                Ok(StringBytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_byte_buf(Text)
    }
}

/// A part of such bytes.
enum Part<'a> {
    Text(&'a str),
    /// Half a surrogate pair.
    Half(u16),
    /// Bytes that are no character.
    Other,
}

fn for_each_part(mut bytes: &[u8], mut take: impl FnMut(Part<'_>)) {
    while !bytes.is_empty() {
        let (text, wrong) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, 0),
            Err(error) => {
                let (text, rest) = bytes.split_at(error.valid_up_to());
                (std::str::from_utf8(text).unwrap_or_default(), error.error_len().unwrap_or(rest.len()))
            }
        };
        take(Part::Text(text));
        bytes = &bytes[text.len()..];
        bytes = match bytes {
            [] => bytes,
            // The bytes that half a surrogate pair would have in UTF-8.
            [0xed, high @ 0xa0..=0xbf, low @ 0x80..=0xbf, rest @ ..] => {
                take(Part::Half(0xd000 | u16::from(high & 0x3f) << 6 | u16::from(low & 0x3f)));
                rest
            }
            _ => {
                take(Part::Other);
                &bytes[wrong..]
            }
        };
    }
}

/// The text of a JSON string, with U+FFFD for half a surrogate pair, as browsers have it in addresses.
pub(super) fn string_text(json: &str) -> Option<String> {
    if let Ok(text) = serde_json::from_str(json) {
        return Some(text);
    }
    let StringBytes(bytes) = serde_json::from_str(json).ok()?;
    let mut out = String::with_capacity(bytes.len());
    for_each_part(&bytes, |part| match part {
        Part::Text(text) => out.push_str(text),
        Part::Half(_) | Part::Other => out.push(char::REPLACEMENT_CHARACTER),
    });
    Some(out)
}

/// The JSON string of bytes. Those that no JSON string can have are U+FFFD.
pub(super) fn string_of(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for_each_part(bytes, |part| match part {
        Part::Text(text) => {
            let quoted = serde_json::Value::from(text).to_string();
            out.push_str(&quoted[1..quoted.len() - 1]);
        }
        Part::Half(half) => {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{half:04x}");
        }
        Part::Other => out.push(char::REPLACEMENT_CHARACTER),
    });
    out.push('"');
    out
}

/// Rewrites valid JSON. A string that no Rust string can hold, because of half a surrogate pair, stays as it is.
pub(super) fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                let string = &text[at..end];
                // Without escapes there is only one way to write a string.
                match string.contains('\\').then(|| serde_json::from_str::<String>(string)) {
                    Some(Ok(plain)) => out.push_str(&serde_json::Value::String(plain).to_string()),
                    Some(Err(_)) | None => out.push_str(string),
                }
                at = end;
            }
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => {
                let end = bytes[at..].iter().position(|byte| matches!(byte, b'"' | b' ' | b'\t' | b'\n' | b'\r'));
                let end = end.map_or(bytes.len(), |length| at + length);
                out.push_str(&text[at..end]);
                at = end;
            }
        }
    }
    out
}

/// The end of the string that starts at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits_and_strings_lose_needless_escapes() {
        let text = r#" { "a" : [ 1e400 , -0, 1.0,18446744073709551616 ], "\u0061\"\\" :"\u00e9\/ é", "x":null} "#;
        assert_eq!(compact(text), r#"{"a":[1e400,-0,1.0,18446744073709551616],"a\"\\":"é/ é","x":null}"#);
        assert_eq!(compact(r#""\udce9\u0061""#), r#""\udce9\u0061""#);
        assert_eq!(compact("0.10"), "0.10");
    }

    #[test]
    fn half_a_surrogate_pair_stays_what_it_is_in_json_and_is_replaced_in_texts() {
        let json = r#""caf\udce9 \"é\" \ud83d""#;
        let StringBytes(bytes) = serde_json::from_str(json).unwrap();
        assert_eq!(string_of(&bytes), json);
        assert_eq!(string_text(json).unwrap(), "caf\u{fffd} \"é\" \u{fffd}");
        assert_eq!(string_text(r#""\ud83d\ude00""#).unwrap(), "😀");
        assert_eq!(string_of(b"caf\xe9 \xf0\x9f"), "\"caf\u{fffd} \u{fffd}\"");
        assert!(string_text("7").is_none());
    }
}
