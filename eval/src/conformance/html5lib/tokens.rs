//! The tokenizer suite: JSON files of inputs and the tokens they give.

use super::Case;
use crate::Stop;
use crate::shared::corpus::Data;
use dehusk::dom::tokens::{PageToken, State, tokenize};
use serde_json::{Map, Value, json};

pub(super) fn run(data: &Data) -> Result<Vec<Case>, Stop> {
    let mut cases = Vec::new();
    for path in data.list("html5lib-tests/tokenizer", ".test")? {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // serde_json rejects unpaired surrogates, and a UTF-8 parser never sees one.
        let text = escape_surrogates(&std::fs::read_to_string(&path)?);
        let tests: Value =
            serde_json::from_str(&text).map_err(|error| Stop::Broken(format!("{}: {error}", path.display())))?;
        let list = tests.get("tests").or_else(|| tests.get("xmlViolationTests")).and_then(Value::as_array);
        for (number, test) in list.into_iter().flatten().enumerate() {
            run_case(&file, number, test, &mut cases);
        }
    }
    Ok(cases)
}

fn run_case(file: &str, number: usize, test: &Value, cases: &mut Vec<Case>) {
    let is_double = test["doubleEscaped"] == json!(true);
    let read = |text: &str| if is_double { unescape(text) } else { text.to_string() };
    let input = read(test["input"].as_str().unwrap_or_default());
    let expected = joined(map_strings(&test["output"], &read));
    let data_state = vec![json!("Data state")];
    let states = test["initialStates"].as_array().unwrap_or(&data_state);
    for state in states {
        let name = state.as_str().unwrap_or_default();
        let state = match name {
            "PLAINTEXT state" => State::Plaintext,
            "RCDATA state" => State::Rcdata,
            "RAWTEXT state" => State::Rawtext,
            "Script data state" => State::Script,
            "CDATA section state" => State::Cdata,
            _ => State::Data,
        };
        let tokens = tokenize(&input, state, test["lastStartTag"].as_str());
        cases.push(Case {
            file: file.to_string(),
            number,
            mode: name.to_string(),
            input: format!("{input:?}"),
            expected: expected.to_string(),
            actual: Value::Array(tokens.into_iter().map(as_json).collect()).to_string(),
            reference: None,
        });
    }
}

fn as_json(token: PageToken) -> Value {
    match token {
        PageToken::Text(text) => json!(["Character", text]),
        PageToken::Start(name, attributes, self_closing) => {
            let attributes: Map<String, Value> =
                attributes.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
            if self_closing {
                json!(["StartTag", name, attributes, true])
            } else {
                json!(["StartTag", name, attributes])
            }
        }
        PageToken::End(name) => json!(["EndTag", name]),
        PageToken::Comment(text) => json!(["Comment", text]),
        PageToken::Doctype(name, public_id, system_id, force_quirks) => {
            json!(["DOCTYPE", name, public_id, system_id, !force_quirks])
        }
        _ => Value::Null,
    }
}

/// Joins neighbouring texts, as the format requires but not every file does.
fn joined(tokens: Value) -> Value {
    let mut out: Vec<Value> = Vec::new();
    for token in tokens.as_array().into_iter().flatten() {
        if token[0] == "Character"
            && let Some(last) = out.last_mut()
            && last[0] == "Character"
        {
            let text = format!("{}{}", last[1].as_str().unwrap_or_default(), token[1].as_str().unwrap_or_default());
            last[1] = Value::String(text);
            continue;
        }
        out.push(token.clone());
    }
    Value::Array(out)
}

fn map_strings(value: &Value, map: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(map(text)),
        Value::Array(values) => Value::Array(values.iter().map(|value| map_strings(value, map)).collect()),
        Value::Object(object) => {
            Value::Object(object.iter().map(|(name, value)| (map(name), map_strings(value, map))).collect())
        }
        other => other.clone(),
    }
}

/// `\uXXXX` of a text that was escaped twice. An unpaired surrogate becomes the replacement character.
fn unescape(text: &str) -> String {
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let number =
            rest.strip_prefix("\\u").and_then(|hex| hex.get(..4)).and_then(|hex| u16::from_str_radix(hex, 16).ok());
        match number {
            Some(number) => {
                units.push(number);
                rest = &rest[6..];
            }
            None => {
                units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
                rest = &rest[character.len_utf8()..];
            }
        }
    }
    String::from_utf16_lossy(&units)
}

/// Replaces unpaired surrogates in a JSON text by the replacement character.
fn escape_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let unit = |text: &str| {
        let hex = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(hex, 16).ok()
    };
    while let Some(found) = rest.find('\\') {
        out.push_str(&rest[..found]);
        rest = &rest[found..];
        let length = match unit(rest) {
            Some(0xd800..=0xdbff) if matches!(rest.get(6..).and_then(unit), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            Some(_) => 6,
            None => 2,
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}
