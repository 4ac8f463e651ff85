//! A value of an input, kept as the input holds it.
//!
//! JSON has numbers of any length and Parquet has many types; neither fits into one Rust type without loss. A value from JSON keeps
//! its text, a value from Parquet its Arrow array, and what writes it decides.

mod cell_json;
mod json_text;

use std::borrow::Cow;
use std::fmt;

pub(crate) use json_text::StringBytes;

use arrow_array::{Array, ArrayRef};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A value of an input: an id, or a field that is carried over.
#[derive(Clone, Debug, Default)]
pub struct InputValue(Kind);

#[derive(Clone, Debug, Default)]
enum Kind {
    #[default]
    Null,
    /// JSON without white space between its tokens.
    Json(Box<str>),
    /// One value of a Parquet column, not null.
    Cell(ArrayRef),
}

impl InputValue {
    /// No value.
    #[must_use]
    pub fn null() -> InputValue {
        InputValue::default()
    }

    /// The value of a JSON text, `None` if the text is not JSON.
    #[must_use]
    pub fn from_json(text: &str) -> Option<InputValue> {
        serde_json::from_str::<&RawValue>(text).ok().map(InputValue::from_raw)
    }

    /// A value of JSON lines. Numbers keep their digits.
    pub(crate) fn from_raw(raw: &RawValue) -> InputValue {
        InputValue(match raw.get() {
            "null" => Kind::Null,
            text => Kind::Json(json_text::compact(text).into()),
        })
    }

    /// A string of JSON lines, given as the bytes it stands for.
    pub(crate) fn from_string_bytes(bytes: &[u8]) -> InputValue {
        InputValue(Kind::Json(json_text::string_of(bytes).into()))
    }

    /// A value of a Parquet column, in an array of its own.
    pub(crate) fn from_cell(array: ArrayRef) -> InputValue {
        InputValue(if array.len() != 1 || array.is_null(0) { Kind::Null } else { Kind::Cell(array) })
    }

    /// The array of a value of a Parquet column.
    pub(crate) fn cell(&self) -> Option<&ArrayRef> {
        match &self.0 {
            Kind::Cell(array) => Some(array),
            Kind::Null | Kind::Json(_) => None,
        }
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.0, Kind::Null)
    }

    /// The value as JSON. `docs/crawl.md` says how Parquet types are written.
    #[must_use]
    pub fn json(&self) -> Cow<'_, str> {
        match &self.0 {
            Kind::Null => Cow::Borrowed("null"),
            Kind::Json(text) => Cow::Borrowed(text),
            Kind::Cell(array) => Cow::Owned(cell_json::cell_json(array)),
        }
    }

    /// The text, if the value is one. Half a surrogate pair is U+FFFD.
    #[must_use]
    pub fn as_text(&self) -> Option<String> {
        let json = self.json();
        if json.starts_with('"') { json_text::string_text(&json) } else { None }
    }

    /// The value for code that works on it. Numbers that fit neither 64-bit integers nor floats are rounded; what is nested too deeply is null.
    #[must_use]
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.json()).unwrap_or_default()
    }
}

impl From<Value> for InputValue {
    fn from(value: Value) -> InputValue {
        InputValue(match value {
            Value::Null => Kind::Null,
            value => Kind::Json(value.to_string().into()),
        })
    }
}

macro_rules! from_simple {
    ($($simple:ty),*) => {
        $(impl From<$simple> for InputValue {
            fn from(simple: $simple) -> InputValue {
                Value::from(simple).into()
            }
        })*
    };
}

from_simple!(&str, String, Option<String>, i32, i64, u32, u64, usize, f64);

/// A list.
impl From<Vec<InputValue>> for InputValue {
    fn from(values: Vec<InputValue>) -> InputValue {
        let items: Vec<_> = values.iter().map(InputValue::json).collect();
        InputValue(Kind::Json(format!("[{}]", items.join(",")).into()))
    }
}

/// As JSON.
impl fmt::Display for InputValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.json())
    }
}

/// Values are equal if their JSON is.
impl PartialEq for InputValue {
    fn eq(&self, other: &InputValue) -> bool {
        self.json() == other.json()
    }
}

impl Eq for InputValue {}

impl Serialize for InputValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawValue::from_string(self.json().into_owned()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}
