//! One document of a corpus.

use serde_json::Value;

/// One document: what is left of a page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Document {
    /// What results call it: its id, or else its address, or else where it was read.
    pub key: Value,
    /// The address of the page; empty if it is unknown.
    pub url: String,
    /// The title of the page.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// The columns that were asked for, in their order; null where the document has none.
    pub columns: Vec<Value>,
}

impl Document {
    /// A document that has nothing but a text.
    pub fn new(key: impl Into<Value>, text: impl Into<String>) -> Document {
        Document { key: key.into(), url: String::new(), title: None, text: text.into(), columns: Vec::new() }
    }

    /// With a title.
    pub fn with_title(mut self, title: impl Into<String>) -> Document {
        self.title = Some(title.into());
        self
    }
}
