//! How much of an input a message, a log or an answer repeats: texts of strangers can have any length.

use std::borrow::Cow;

/// Characters of an address, a name or a value that a message repeats.
pub const MAX_SHOWN: usize = 300;
/// Characters of a whole message.
pub const MAX_MESSAGE: usize = 2000;

/// The start of a text, and how long it is, if it has more characters.
#[must_use]
pub fn shortened(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters) {
        Some((end, _)) => Cow::Owned(format!("{}… ({} characters)", &text[..end], text.chars().count())),
        None => Cow::Borrowed(text),
    }
}

/// A message of bounded length.
pub(crate) fn message(text: impl Into<String>) -> String {
    let text = text.into();
    match shortened(&text, MAX_MESSAGE) {
        Cow::Owned(short) => short,
        Cow::Borrowed(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_by_characters() {
        assert_eq!(shortened("日本語", 3), "日本語");
        assert_eq!(shortened("日本語", 2), "日本… (3 characters)");
        assert_eq!(message("short"), "short");
        assert!(message("x".repeat(1 << 20)).len() < MAX_MESSAGE + 40);
    }
}
