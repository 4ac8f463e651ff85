//! Values: as they are given, and as an option takes them.
//!
//! [`Kind::read`] is the one place where a text, a JSON value or a value of Python becomes a typed value or is refused.

use crate::definition::{Definition, Kind, Range};
use dehusk::Focus;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

/// The longest text that an option takes, in bytes. Values are kept and compared, and some come from strangers.
const MAX_TEXT: usize = 1000;
/// The most values of a list.
const MAX_ITEMS: usize = 256;
/// Characters of a refused value that a message repeats.
const MAX_SHOWN: usize = 60;

/// A value as a surface gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A text: of a query, of JSON or of Python. Numbers and flags can be texts, too.
    Text(String),
    /// True or false.
    Flag(bool),
    /// A whole number of JSON or Python.
    Whole(i128),
    /// Any other number.
    Number(f64),
    /// A path of Python.
    Path(PathBuf),
    /// Several values.
    List(Vec<Given>),
    /// A value of no use, and what it is.
    Other(String),
}

impl Given {
    /// A value of JSON; nothing for null, which stands for the default.
    pub fn from_json(value: &serde_json::Value) -> Option<Given> {
        use serde_json::Value;
        Some(match value {
            Value::Null => return None,
            Value::Bool(flag) => Given::Flag(*flag),
            Value::String(text) => Given::Text(text.clone()),
            Value::Number(number) => match (number.as_i128(), number.as_f64()) {
                (Some(whole), _) => Given::Whole(whole),
                (None, Some(number)) => Given::Number(number),
                (None, None) => Given::Other(number.to_string()),
            },
            Value::Array(items) => Given::List(
                items.iter().map(|item| Given::from_json(item).unwrap_or(Given::Other("null".into()))).collect(),
            ),
            Value::Object(_) => Given::Other("an object".into()),
        })
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Given::Text(text) => {
                let shown: String = text.chars().take(MAX_SHOWN).collect();
                let rest = if shown.len() < text.len() { "…" } else { "" };
                write!(f, "{shown:?}{rest}")
            }
            Given::Flag(flag) => write!(f, "{flag}"),
            Given::Whole(number) => write!(f, "{number}"),
            Given::Number(number) => write!(f, "{number}"),
            Given::Path(path) => write!(f, "{}", path.display()),
            Given::List(_) => f.write_str("a list"),
            Given::Other(what) => f.write_str(what),
        }
    }
}

/// A finite number that can be compared and hashed.
#[derive(Clone, Copy, Debug)]
pub struct Number(f64);

impl Number {
    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// A value that an option takes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// True or false.
    Flag(bool),
    /// A text, or one of the names of a choice.
    Text(String),
    /// A file or folder.
    Path(PathBuf),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(Number),
    /// Several values, each once.
    List(Vec<Value>),
}

impl Kind {
    /// Reads a value.
    ///
    /// # Errors
    /// If it is of another kind. The message says what to give instead.
    pub fn read(self, given: &Given) -> Result<Value, String> {
        match (self, given) {
            (Kind::List(item), given) => read_list(*item, given),
            (Kind::Flag, Given::Flag(flag)) => Ok(Value::Flag(*flag)),
            (Kind::Flag, Given::Text(text)) if text == "true" || text == "false" => Ok(Value::Flag(text == "true")),
            (Kind::Flag, _) => Err("give true or false".to_string()),
            (Kind::Text, Given::Text(text)) if text.len() <= MAX_TEXT => Ok(Value::Text(text.clone())),
            (Kind::Text, _) => Err(format!("give a text of at most {MAX_TEXT} characters")),
            (Kind::Path, Given::Path(path)) => Ok(Value::Path(path.clone())),
            (Kind::Path, Given::Text(text)) => Ok(Value::Path(text.into())),
            (Kind::Path, _) => Err("give a path".to_string()),
            (Kind::Whole, given) => {
                whole(given).map(Value::Whole).ok_or_else(|| "give a whole number, 0 or more".into())
            }
            (Kind::Number(range), given) => number(given, range).map(Value::Number),
            (Kind::Focus, given) => focus(given).map(Value::Number),
            (Kind::Choice(choices), given) => match given {
                Given::Text(text) if choices().iter().any(|choice| choice.name == text) => {
                    Ok(Value::Text(text.clone()))
                }
                _ => Err(format!("give {}", listed(&shown_names(self)))),
            },
        }
    }
}

/// The names of a choice that are not hidden.
fn shown_names(kind: Kind) -> Vec<&'static str> {
    let choices = kind.choices().unwrap_or_default();
    choices.into_iter().filter(|choice| !choice.is_hidden).map(|choice| choice.name).collect()
}

/// Names as a text has them: `a, b or c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_string(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
    }
}

fn read_list(item: Kind, given: &Given) -> Result<Value, String> {
    let items = match given {
        Given::List(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    if items.len() > MAX_ITEMS {
        return Err(format!("give at most {MAX_ITEMS} values"));
    }
    let mut values: Vec<Value> = Vec::new();
    let mut push = |given: &Given| -> Result<(), String> {
        let value = item.read(given)?;
        if !values.contains(&value) {
            values.push(value);
        }
        Ok(())
    };
    for given in items {
        match given {
            Given::List(_) => return Err("a list has no lists in it".to_string()),
            Given::Text(text) if matches!(item, Kind::Choice(_)) => {
                text.split(',').try_for_each(|part| push(&Given::Text(part.to_string())))?;
            }
            given => push(given)?,
        }
    }
    Ok(Value::List(values))
}

fn whole(given: &Given) -> Option<u64> {
    match given {
        Given::Whole(number) => u64::try_from(*number).ok(),
        Given::Text(text) => text.parse().ok(),
        _ => None,
    }
}

/// Any number that is finite.
fn finite(given: &Given) -> Option<f64> {
    let number = match given {
        Given::Whole(number) => *number as f64,
        Given::Number(number) => *number,
        Given::Text(text) => text.parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

fn number(given: &Given, range: Range) -> Result<Number, String> {
    let (is_in, advice): (fn(f64) -> bool, &str) = match range {
        Range::Any => (|_| true, "give a number"),
        Range::Share => (|number| number > 0.0 && number <= 1.0, "give a number above 0 and at most 1"),
        Range::NotNegative => (|number| number >= 0.0, "give a number, 0 or more"),
    };
    finite(given).filter(|number| is_in(*number)).map(Number).ok_or_else(|| advice.to_string())
}

fn focus(given: &Given) -> Result<Number, String> {
    let named = match given {
        Given::Text(text) => match &**text {
            "precision" => Some(Focus::PRECISION),
            "balanced" => Some(Focus::BALANCED),
            "recall" => Some(Focus::RECALL),
            _ => None,
        },
        _ => None,
    };
    let focus = named.or_else(|| finite(given).and_then(|number| Focus::new(number as f32).ok()));
    let advice = || "give precision, balanced, recall or a number from 0 to 1".to_string();
    focus.map(|focus| Number(f64::from(focus.value()))).ok_or_else(advice)
}

impl Definition {
    /// The value that counts where none is given.
    pub fn default_value(&self) -> Option<Value> {
        self.default_text().and_then(|text| self.kind.read(&Given::Text(text)).ok())
    }
}
