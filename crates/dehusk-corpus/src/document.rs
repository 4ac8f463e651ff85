//! One document of a corpus.

use crate::text::words::for_each_word;
use dehusk_io::InputValue;

/// One document: what is left of a page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Document {
    /// What results call it: its id, or else its address, or else where it was read.
    pub key: InputValue,
    /// The address of the page; empty if it is unknown.
    pub url: String,
    /// The title of the page.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// The columns that were asked for, in their order; null where the document has none.
    pub columns: Vec<InputValue>,
}

impl Document {
    /// A document that has nothing but a text.
    #[must_use]
    pub fn new(key: impl Into<InputValue>, text: impl Into<String>) -> Document {
        Document { key: key.into(), url: String::new(), title: None, text: text.into(), columns: Vec::new() }
    }

    /// The text without the title, if it begins with it. Sites differ in whether the title is part of the content, so texts are compared
    /// without it.
    #[must_use]
    pub fn body(&self) -> &str {
        let text = self.text.trim_start();
        let Some((line, rest)) = text.split_once('\n') else { return text };
        let Some(title) = &self.title else { return text };
        let mut title_words = Vec::new();
        for_each_word(title, |word| title_words.push(word.to_string()));
        let mut line_words = Vec::new();
        for_each_word(line, |word| line_words.push(word.to_string()));
        // The title of a page often ends with the name of its site.
        let is_title = !line_words.is_empty() && title_words.starts_with(&line_words);
        if is_title { rest } else { text }
    }

    /// With a title.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Document {
        self.title = Some(title.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_the_text_without_its_title() {
        let document = Document::new("a", "# Blue Bikes\n\nThey are blue.").with_title("Blue bikes | Shop");
        assert_eq!(document.body(), "\nThey are blue.");
        let document = Document::new("a", "They are blue.\nBlue bikes").with_title("Blue bikes");
        assert_eq!(document.body(), "They are blue.\nBlue bikes");
        assert_eq!(Document::new("a", "Blue bikes").with_title("Blue bikes").body(), "Blue bikes");
        assert_eq!(Document::new("a", "- -\nx").with_title("Blue bikes").body(), "- -\nx");
    }
}
