//! The keys of the rows that an output is made of.

use std::sync::Arc;

use crate::containers::parquet::typed_column::TypedColumn;

/// What a column of Parquet holds. Every column may hold nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnType {
    /// Text.
    Utf8,
    /// Integers.
    I64,
    /// Floating-point numbers.
    F64,
    /// True or false.
    Bool,
    /// Any value, written as JSON text.
    Json,
    /// A map from names to lists of texts, given as `[[name, [text, …]], …]`.
    Map,
    /// Values of the input: integers, floats, booleans or texts if all of them are, and otherwise texts as they are and the JSON of the rest.
    Input,
}

/// A key of a row and the type of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The key, and the name of the column.
    pub name: String,
    /// The type of its values.
    pub kind: ColumnType,
}

impl Column {
    /// A column.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: ColumnType) -> Self {
        Column { name: name.into(), kind }
    }
}

/// Which keys of the rows go into the output.
#[derive(Clone, Debug)]
pub struct OutputSchema {
    pub(crate) columns: Vec<Column>,
    /// In a folder, the keys whose texts become files, with the ending of file names made from URLs.
    pub(crate) files: Vec<(String, String)>,
    /// For each column its type in the Parquet inputs, if its values are written in a way that keeps it.
    pub(crate) typed: Vec<Option<Arc<TypedColumn>>>,
}

impl OutputSchema {
    /// The columns of Parquet, in order. JSON lines are copied and need none.
    #[must_use]
    pub fn new(columns: Vec<Column>) -> Self {
        let typed = columns.iter().map(|_| None).collect();
        OutputSchema { columns, files: vec![("text".into(), ".txt".into())], typed }
    }

    /// The columns whose values are written by a `TypedColumn`.
    pub(crate) fn with_typed(mut self, typed: Vec<Option<Arc<TypedColumn>>>) -> Self {
        self.typed = typed;
        self
    }

    /// In a folder, the keys whose texts become files, with the ending of file names made from URLs. Default `text` and `.txt`.
    #[must_use]
    pub fn with_files<'a>(mut self, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        self.files = files.into_iter().map(|(key, suffix)| (key.to_string(), suffix.to_string())).collect();
        self
    }
}
