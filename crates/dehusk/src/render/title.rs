//! The title of a page.

use crate::dom::{Document, Name};

/// The text of the page's `<title>` with white space collapsed. `None` if it is missing or empty.
pub fn title(document: &Document) -> Option<String> {
    let element = document.find(Name::TITLE)?;
    let mut title = String::new();
    for child in document.children(element) {
        for word in document.text(child).split_whitespace() {
            if !title.is_empty() {
                title.push(' ');
            }
            title.push_str(word);
        }
    }
    (!title.is_empty()).then_some(title)
}
