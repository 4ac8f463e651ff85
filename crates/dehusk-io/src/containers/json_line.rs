//! One line of JSON lines, parsed. Only the values of the requested keys are built.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::containers::name_list::name_list;
use crate::fault::{Fault, FaultKind};
use crate::location::Location;
use crate::read_options::ReadOptions;
use crate::record::Record;

/// Parses one line.
pub(crate) fn open_line(line: &[u8], location: Location, options: &ReadOptions) -> Result<Record, Fault> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let parsed = deserializer.deserialize_map(RequestedKeys { options }).and_then(|fields| {
        deserializer.end()?;
        Ok(fields)
    });
    let found = match parsed {
        Ok(found) => found,
        Err(error) => return Err(Fault::new(location, FaultKind::BadJson, format!("no JSON object: {error}"))),
    };
    let missing = |column: &str| {
        let keys = keys_text(line);
        let message = format!("no text under the key \"{column}\"; the keys are {keys}");
        Fault::new(location.clone(), FaultKind::MissingColumn, message)
    };
    let Some(html) = found.html else { return Err(missing(&options.html_column)) };
    let url = match found.url {
        Some(Value::String(url)) => url,
        // The address of a page may be unknown; the key exists, so it is the right one.
        Some(Value::Null) => String::new(),
        None if options.texts => String::new(),
        _ => return Err(missing(&options.url_column)),
    };
    if html.len() as u64 > options.max_bytes {
        return Err(options.page_too_large(location));
    }
    let carried = options.carry.iter().cloned().zip(found.carried).collect();
    Ok(Record {
        url,
        id: found.id.filter(|id| !id.is_null()),
        html,
        // JSON is Unicode, so the page was decoded when the line was written, whatever its meta tag says.
        content_type: Some("text/html; charset=utf-8".into()),
        carried,
        truncated: false,
        location,
    })
}

/// Keys of an object that are shown in a message.
const MAX_KEYS: usize = 30;

/// The keys of the object, for a message about a missing one.
fn keys_text(line: &[u8]) -> String {
    match serde_json::from_slice::<serde_json::Map<String, Value>>(line) {
        Ok(map) if map.is_empty() => "none".into(),
        Ok(map) => name_list(map.keys().map(String::as_str), MAX_KEYS),
        Err(_) => "unreadable".into(),
    }
}

/// The requested parts of one object.
struct Found {
    url: Option<Value>,
    html: Option<Vec<u8>>,
    id: Option<Value>,
    carried: Vec<Value>,
}

struct RequestedKeys<'a> {
    options: &'a ReadOptions,
}

impl<'de> Visitor<'de> for RequestedKeys<'_> {
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
    use std::path::Path;

    fn location() -> Location {
        Location::whole_file(Path::new("x.jsonl"))
    }

    #[test]
    fn keys_in_any_order_and_carried_fields_keep_their_values() {
        let options = ReadOptions::default().with_carry(vec!["n".into(), "none".into(), "deep".into()]);
        let line = br#"{"deep":{"b":1,"a":[2]},"html":"<p>\u00e9","other":[[[]]],"id":7,"url":"http://a/","n":33269.666666666664}"#;
        let record = open_line(line, location(), &options).unwrap();
        assert_eq!((record.url.as_str(), record.html.as_slice()), ("http://a/", "<p>é".as_bytes()));
        assert_eq!(record.id, Some(Value::from(7)));
        let carried = serde_json::to_string(&record.carried).unwrap();
        assert_eq!(carried, r#"[["n",33269.666666666664],["none",null],["deep",{"b":1,"a":[2]}]]"#);
    }

    #[test]
    fn lone_surrogates_in_a_page_are_bytes_and_not_a_fault() {
        let record = open_line(br#"{"url":"u","html":"<p>\udce9"}"#, location(), &ReadOptions::default()).unwrap();
        assert!(record.html.starts_with(b"<p>"));
    }

    #[test]
    fn a_missing_key_is_a_fault_that_lists_the_keys() {
        let record = open_line(br#"{"url":null,"html":"x"}"#, location(), &ReadOptions::default()).unwrap();
        assert_eq!(record.url, "");
        let fault = open_line(br#"{"url":"u","body":"x"}"#, location(), &ReadOptions::default()).unwrap_err();
        assert_eq!(fault.kind, FaultKind::MissingColumn);
        assert!(fault.to_string().contains(r#""html"; the keys are "url", "body""#), "{fault}");
    }
}
