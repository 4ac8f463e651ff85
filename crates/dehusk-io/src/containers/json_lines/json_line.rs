//! One line of JSON lines, parsed. Only the values of the requested keys are built.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::containers::name_list::name_list;
use crate::fault::{Fault, FaultKind, PageIdentity};
use crate::input_page::InputPage;
use crate::input_value::{InputValue, StringBytes};
use crate::location::Location;
use crate::read_options::ReadOptions;

/// Parses one line.
pub(crate) fn open_line(line: &[u8], location: Location, options: &ReadOptions) -> Result<InputPage, Fault> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let mut found = Found::new(options);
    let mut parsed = parse(line, options, true, &mut found);
    if parsed.is_err() {
        // A page that is not a text ends the parser; the rest of the line may be sound.
        let mut rest = Found::new(options);
        if parse(line, options, false, &mut rest).is_ok() {
            (parsed, found) = (Ok(()), rest);
        }
    }
    let Found { url, html, id, carried } = found;
    let known = |url: &str, id: Option<InputValue>, carried: Vec<InputValue>| PageIdentity {
        url: url.to_string(),
        id: id.filter(|id| !id.is_null()),
        carried: options.carry.iter().cloned().zip(carried).collect(),
    };
    let address = url.as_ref().and_then(InputValue::as_text).unwrap_or_default();
    if let Err(error) = parsed {
        let fault = Fault::new(location, FaultKind::BadJson, format!("no JSON object: {error}"));
        return Err(fault.of_page(known(&address, id, carried)));
    }
    // The address of a page may be unknown. A key that was named must be there.
    let url_is_missing = match &url {
        Some(url) => !url.is_null() && url.as_text().is_none(),
        None => options.needs_url(),
    };
    let missing = match html {
        Some(_) if !url_is_missing => None,
        Some(_) => Some(&options.url_column),
        None => Some(&options.html_column),
    };
    if let Some(column) = missing {
        let keys = keys_text(line);
        let message = format!("no text under the key \"{column}\"; the keys are {keys}");
        let fault = Fault::new(location, FaultKind::MissingColumn, message);
        return Err(fault.of_page(known(&address, id, carried)));
    }
    let html = html.unwrap_or_default();
    let PageIdentity { url, id, carried } = known(&address, id, carried);
    if html.len() as u64 > options.max_bytes {
        return Err(options.page_too_large(location).of_page(PageIdentity { url, id, carried }));
    }
    Ok(InputPage {
        url,
        id,
        html,
        // JSON is Unicode, so the page was decoded when the line was written, whatever its meta tag says.
        content_type: Some("text/html; charset=utf-8".into()),
        carried,
        truncated: false,
        location,
    })
}

/// Parses a line into `found`, with or without the page.
fn parse(line: &[u8], options: &ReadOptions, with_page: bool, found: &mut Found) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    deserializer.deserialize_map(RequestedKeys { options, with_page, found })?;
    deserializer.end()
}

/// Keys of an object that are shown in a message.
const MAX_KEYS: usize = 30;

/// The keys of the object, for a message about a missing one.
fn keys_text(line: &[u8]) -> String {
    match serde_json::Deserializer::from_slice(line).deserialize_map(Keys) {
        Ok(keys) if keys.is_empty() => "none".into(),
        Ok(keys) => name_list(keys.iter().map(String::as_str), MAX_KEYS),
        Err(_) => "unreadable".into(),
    }
}

/// The keys of an object in their order, whatever its values are.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Vec<String>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<String>, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, IgnoredAny)) = map.next_entry()? {
            keys.push(key);
        }
        Ok(keys)
    }
}

/// The requested parts of one object, as far as it could be read.
struct Found {
    url: Option<InputValue>,
    /// The page, if it is a text.
    html: Option<Vec<u8>>,
    id: Option<InputValue>,
    carried: Vec<InputValue>,
}

struct RequestedKeys<'a> {
    options: &'a ReadOptions,
    with_page: bool,
    found: &'a mut Found,
}

impl<'de> Visitor<'de> for RequestedKeys<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (options, found) = (self.options, self.found);
        // A value counts once something sound follows it: at the end of a cut line it may be half a value.
        let mut last: Option<(String, InputValue)> = None;
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            if let Some((key, value)) = last.take() {
                found.set(options, &key, value);
            }
            let is_carried = options.carry.iter().any(|name| *name == key);
            if key == options.html_column && self.with_page {
                // As bytes, because a Rust string cannot hold half a surrogate pair.
                found.html = map.next_value::<Option<StringBytes>>()?.map(|bytes| bytes.0);
                if is_carried && let Some(html) = &found.html {
                    last = Some((key.into_owned(), InputValue::from_string_bytes(html)));
                }
            } else if is_carried || key == options.url_column || key == options.id_column {
                let value = map.next_value::<&RawValue>()?;
                last = Some((key.into_owned(), InputValue::from_raw(value)));
            } else {
                // Skipped without building it: other keys can hold as much as the page.
                map.next_value::<IgnoredAny>()?;
            }
        }
        if let Some((key, value)) = last {
            found.set(options, &key, value);
        }
        Ok(())
    }
}

impl Found {
    fn new(options: &ReadOptions) -> Found {
        Found { url: None, html: None, id: None, carried: vec![InputValue::null(); options.carry.len()] }
    }

    fn set(&mut self, options: &ReadOptions, key: &str, value: InputValue) {
        for (name, slot) in options.carry.iter().zip(&mut self.carried) {
            if name == key {
                *slot = value.clone();
            }
        }
        if key == options.id_column {
            self.id = Some(value.clone());
        }
        if key == options.url_column {
            self.url = Some(value);
        }
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
        let page = open_line(line, location(), &options).unwrap();
        assert_eq!((page.url.as_str(), page.html.as_slice()), ("http://a/", "<p>é".as_bytes()));
        assert_eq!(page.id.unwrap().json(), "7");
        let carried = serde_json::to_string(&page.carried).unwrap();
        assert_eq!(carried, r#"[["n",33269.666666666664],["none",null],["deep",{"b":1,"a":[2]}]]"#);
    }

    #[test]
    fn lone_surrogates_in_a_page_are_bytes_and_not_a_fault() {
        let page = open_line(br#"{"url":"u","html":"<p>\udce9"}"#, location(), &ReadOptions::default()).unwrap();
        assert!(page.html.starts_with(b"<p>"));
        // An address is a text, a carried value the same JSON.
        let options = ReadOptions::default().with_carry(vec!["html".into(), "url".into()]);
        let page = open_line(br#"{"url":"http://a/\udce9","html":"<p>\udce9"}"#, location(), &options).unwrap();
        assert_eq!(page.url, "http://a/\u{fffd}");
        assert_eq!(page.carried[0].1.json(), r#""<p>\udce9""#);
        assert_eq!(page.carried[1].1.json(), r#""http://a/\udce9""#);
        let fault = open_line(br#"{"url":"http://a/\udce9","x":1e400}"#, location(), &options).unwrap_err();
        assert!(fault.to_string().contains(r#""html"; the keys are "url", "x""#), "{fault}");
    }

    #[test]
    fn a_missing_key_is_a_fault_that_lists_the_keys() {
        for line in [&br#"{"url":null,"html":"x"}"#[..], br#"{"html":"x"}"#] {
            assert_eq!(open_line(line, location(), &ReadOptions::default()).unwrap().url, "");
        }
        let named = ReadOptions::default().with_url_column("address");
        assert!(open_line(br#"{"html":"x"}"#, location(), &named).is_err());
        let fault = open_line(br#"{"url":"u","body":"x"}"#, location(), &ReadOptions::default()).unwrap_err();
        assert_eq!(fault.kind, FaultKind::MissingColumn);
        assert!(fault.to_string().contains(r#""html"; the keys are "url", "body""#), "{fault}");
    }

    #[test]
    fn numbers_keep_their_digits() {
        let options = ReadOptions::default().with_carry(vec!["n".into()]);
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            "1e400",
            "0.1000000000000000055511151231257827",
            "-0",
            "1.0",
            "1",
            "1E2",
            "123456789012345678901234567890",
        ] {
            let line = format!(r#"{{"url":"u","html":"x","id": {number} ,"n":[{number}]}}"#);
            let page = open_line(line.as_bytes(), location(), &options).unwrap();
            assert_eq!(page.id.unwrap().json(), number);
            assert_eq!(page.carried[0].1.json(), format!("[{number}]"));
        }
    }

    #[test]
    fn a_fault_keeps_what_could_be_read() {
        let options = ReadOptions::default().with_carry(vec!["n".into()]).with_max_bytes(9);
        let known = |line: &str| {
            let fault = open_line(line.as_bytes(), location(), &options).unwrap_err();
            let known = fault.page().unwrap();
            let carried: Vec<_> = known.carried.iter().map(|(_, value)| value.to_string()).collect();
            format!("{} {} {:?} {carried:?}", fault.kind.name(), known.url, known.id.as_ref().map(|id| id.to_string()))
        };
        let whole = r#"u Some("7") ["8"]"#;
        assert_eq!(known(r#"{"id":7,"url":"u","n":8}"#), format!("missing_column {whole}"));
        assert_eq!(known(r#"{"id":7,"html":5,"url":"u","n":8}"#), format!("missing_column {whole}"));
        assert_eq!(known(r#"{"id":7,"html":"0123456789","url":"u","n":8}"#), format!("too_large {whole}"));
        assert_eq!(known(r#"{"id":7,"html":"x","url":["u"],"n":8}"#), r#"missing_column  Some("7") ["8"]"#);
        // The last number may be cut.
        assert_eq!(known(r#"{"id":7,"url":"u","n":8"#), r#"bad_json u Some("7") ["null"]"#);
    }
}
