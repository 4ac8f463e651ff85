//! JSON lines: one object per line, plain or compressed.
//!
//! The reading thread only cuts lines. `open_line` takes one apart and keeps the wanted keys; it never builds
//! the values of the others.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::fault::{Fault, FaultKind};
use crate::inflate::Tape;
use crate::options::{ReadOptions, bytes_text};
use crate::place::{At, Place};
use crate::record::{Content, RawRecord, Record};
use crate::source::Source;

/// The lines of one file.
pub(crate) struct JsonLines {
    tape: Tape,
    file: Arc<Path>,
    line: u64,
    done: bool,
    max_line_bytes: usize,
    max_skip_bytes: u64,
}

impl JsonLines {
    pub(crate) fn new(tape: Tape, file: Arc<Path>, options: &ReadOptions) -> Self {
        JsonLines {
            tape,
            file,
            line: 0,
            done: false,
            max_line_bytes: usize::try_from(options.max_line_bytes).unwrap_or(usize::MAX),
            max_skip_bytes: options.max_skip_bytes,
        }
    }

    fn place(&self) -> Place {
        Place::new(self.file.clone(), At::Line(self.line))
    }

    /// The next line without its end, `None` at the end of the file.
    fn next_line(&mut self) -> Option<Result<Vec<u8>, Fault>> {
        let mut line = Vec::new();
        self.line += 1;
        loop {
            if self.tape.ensure(1) == 0 {
                self.done = true;
                if let Some(trouble) = self.tape.trouble() {
                    let message = format!("{}; the lines from here on are lost", trouble.message);
                    return Some(Err(Fault::new(self.place(), trouble.kind, message)));
                }
                return (!line.is_empty()).then_some(Ok(line));
            }
            let data = self.tape.data();
            let end = memchr::memchr(b'\n', data);
            let count = end.unwrap_or(data.len());
            if line.len() + count > self.max_line_bytes {
                return Some(Err(self.skip_line()));
            }
            line.extend_from_slice(&data[..count]);
            self.tape.consume(count + usize::from(end.is_some()));
            if end.is_some() {
                return Some(Ok(line));
            }
        }
    }

    /// Passes over the rest of a line that is too long, and says so.
    fn skip_line(&mut self) -> Fault {
        let limit = bytes_text(self.max_line_bytes as u64);
        let mut message = format!("the line is longer than the limit of {limit}");
        let from = self.tape.at();
        while self.tape.ensure(1) > 0 {
            let data = self.tape.data();
            if let Some(end) = memchr::memchr(b'\n', data) {
                self.tape.consume(end + 1);
                break;
            }
            self.tape.consume(data.len());
            if !self.tape.is_plain() && self.tape.at() - from > self.max_skip_bytes {
                let cap = bytes_text(self.max_skip_bytes);
                message.push_str(&format!("; it does not end within {cap}, so the rest of the file is given up"));
                self.done = true;
                break;
            }
        }
        Fault::new(self.place(), FaultKind::TooLarge, message)
    }
}

impl Source for JsonLines {
    fn next(&mut self) -> Option<Result<RawRecord, Fault>> {
        while !self.done {
            match self.next_line()? {
                Ok(line) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(line) => return Some(Ok(RawRecord::new(self.place(), Content::JsonLine(line)))),
                Err(fault) => return Some(Err(fault)),
            }
        }
        None
    }

    fn bytes_read(&self) -> u64 {
        self.tape.bytes_read()
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }
}

/// Takes one line apart.
pub(crate) fn open_line(line: &[u8], place: Place, options: &ReadOptions) -> Result<Record, Fault> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let parsed = deserializer.deserialize_map(Fields { options }).and_then(|fields| {
        deserializer.end()?;
        Ok(fields)
    });
    let found = match parsed {
        Ok(found) => found,
        Err(error) => return Err(Fault::new(place, FaultKind::BadJson, format!("no JSON object: {error}"))),
    };
    let missing = |column: &str, option: &str| {
        let keys = keys_text(line);
        let message = format!("no text under the key \"{column}\"; the keys are {keys}; choose one with {option}");
        Fault::new(place.clone(), FaultKind::MissingColumn, message)
    };
    let Some(html) = found.html else { return Err(missing(&options.html_column, "--html-column")) };
    let url = match found.url {
        Some(Value::String(url)) => url,
        // The address of a page may be unknown; that the key is there says that it is the right one.
        Some(Value::Null) => String::new(),
        _ => return Err(missing(&options.url_column, "--url-column")),
    };
    if html.len() as u64 > options.max_bytes {
        let limit = bytes_text(options.max_bytes);
        return Err(Fault::new(place, FaultKind::TooLarge, format!("the page is larger than the limit of {limit}")));
    }
    let carried = options.carry.iter().cloned().zip(found.carried).collect();
    Ok(Record {
        url,
        id: found.id.filter(|id| !id.is_null()),
        html,
        // JSON is Unicode, so whoever wrote the line decoded the page; what its meta tag says is history.
        content_type: Some("text/html; charset=utf-8".into()),
        carried,
        truncated: false,
        place,
    })
}

/// The keys of the object, for a message about one that is not there.
fn keys_text(line: &[u8]) -> String {
    const MOST: usize = 30;
    match serde_json::from_slice::<serde_json::Map<String, Value>>(line) {
        Ok(map) if map.is_empty() => "none".into(),
        Ok(map) => names_text(map.keys().map(String::as_str), MOST),
        Err(_) => "unreadable".into(),
    }
}

/// Names in quotes, at most `most` of them.
pub(crate) fn names_text<'a>(names: impl Iterator<Item = &'a str>, most: usize) -> String {
    let mut text = String::new();
    for (index, name) in names.enumerate() {
        if index == most {
            text.push_str(", ...");
            break;
        }
        let comma = if index == 0 { "" } else { ", " };
        let short: String = name.chars().take(60).collect();
        text.push_str(&format!("{comma}\"{short}\""));
    }
    text
}

/// The wanted parts of one object.
struct Found {
    url: Option<Value>,
    html: Option<Vec<u8>>,
    id: Option<Value>,
    carried: Vec<Value>,
}

struct Fields<'a> {
    options: &'a ReadOptions,
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Found;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        let options = self.options;
        let mut found = Found { url: None, html: None, id: None, carried: vec![Value::Null; options.carry.len()] };
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            let is_carried = options.carry.iter().any(|name| *name == key);
            if key == options.html_column {
                let html = map.next_value::<Option<Bytes>>()?.map(|bytes| bytes.0);
                if is_carried && let Some(html) = &html {
                    let text = String::from_utf8_lossy(html).into_owned();
                    found.carry(options, &key, &Value::String(text));
                }
                found.html = html;
            } else if is_carried || key == options.url_column || key == options.id_column {
                let value: Value = map.next_value()?;
                found.carry(options, &key, &value);
                if key == options.id_column {
                    found.id = Some(value.clone());
                }
                if key == options.url_column {
                    found.url = Some(value);
                }
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

impl Found {
    fn carry(&mut self, options: &ReadOptions, key: &str, value: &Value) {
        for (name, slot) in options.carry.iter().zip(&mut self.carried) {
            if name == key {
                *slot = value.clone();
            }
        }
    }
}

/// A JSON string as bytes: Python writes undecodable bytes as lone surrogates, which no `String` can hold.
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Bytes;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a string")
            }
            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }
            fn visit_byte_buf<E: serde::de::Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::test_source;

    fn place() -> Place {
        Place::whole(Path::new("x.jsonl"))
    }

    #[test]
    fn keys_in_any_order_and_carried_fields_keep_their_values() {
        let options = ReadOptions::default().with_carry(vec!["n".into(), "none".into(), "deep".into()]);
        let line = br#"{"deep":{"b":1,"a":[2]},"html":"<p>\u00e9","other":[[[]]],"id":7,"url":"http://a/","n":33269.666666666664}"#;
        let record = open_line(line, place(), &options).unwrap();
        assert_eq!((record.url.as_str(), record.html.as_slice()), ("http://a/", "<p>é".as_bytes()));
        assert_eq!(record.id, Some(Value::from(7)));
        let carried = serde_json::to_string(&record.carried).unwrap();
        assert_eq!(carried, r#"[["n",33269.666666666664],["none",null],["deep",{"b":1,"a":[2]}]]"#);
    }

    #[test]
    fn lone_surrogates_in_a_page_are_bytes_and_not_a_fault() {
        let record = open_line(br#"{"url":"u","html":"<p>\udce9"}"#, place(), &ReadOptions::default()).unwrap();
        assert!(record.html.starts_with(b"<p>"));
    }

    #[test]
    fn a_missing_key_is_named_with_the_keys_there_are() {
        let record = open_line(br#"{"url":null,"html":"x"}"#, place(), &ReadOptions::default()).unwrap();
        assert_eq!(record.url, "");
        let fault = open_line(br#"{"url":"u","body":"x"}"#, place(), &ReadOptions::default()).unwrap_err();
        assert_eq!(fault.kind, FaultKind::MissingColumn);
        assert!(fault.to_string().contains(r#""html"; the keys are "url", "body""#), "{fault}");
    }

    #[test]
    fn bad_lines_cost_only_themselves() {
        let good = r#"{"url":"u","html":"x"}"#;
        let long = format!(r#"{{"url":"u","html":"{}"}}"#, "y".repeat(5000));
        let text = format!("\u{feff}{good}\r\n\n{{bad\n\0\0\n{long}\n[1]\n{good} x\n   \n{good}");
        let options = ReadOptions::default().with_max_line_bytes(1000);
        let seen = test_source("x.jsonl", text.as_bytes(), &options);
        let summary: Vec<_> = seen
            .iter()
            .map(|item| match item {
                Ok(record) => record.place.to_string(),
                Err(fault) => format!("{} {}", fault.place, fault.kind.name()),
            })
            .collect();
        assert_eq!(
            summary,
            [
                "x.jsonl line 1",
                "x.jsonl line 3 bad_json",
                "x.jsonl line 4 bad_json",
                "x.jsonl line 5 too_large",
                "x.jsonl line 6 bad_json",
                "x.jsonl line 7 bad_json",
                "x.jsonl line 9"
            ]
        );
    }
}
