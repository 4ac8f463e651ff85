//! The lines of template files: a keyword, then its values. Writes and reads single lines.

use crate::error::{Error, ErrorKind};
use std::fmt::Write as _;

/// Appends a line with a list of hashes.
pub fn append_hashes(name: &str, hashes: &[u64], out: &mut String) {
    out.push_str(name);
    for hash in hashes {
        // Writing to a string cannot fail.
        let _ = write!(out, " {hash:016x}");
    }
    out.push('\n');
}

/// Reads lines in the order in which they were written.
pub struct LineReader<'a> {
    lines: std::iter::Peekable<std::str::SplitTerminator<'a, char>>,
}

impl<'a> LineReader<'a> {
    /// Reads the lines of a text.
    pub fn new(text: &'a str) -> LineReader<'a> {
        // Not `lines`, which removes carriage returns.
        LineReader { lines: text.split_terminator('\n').peekable() }
    }

    /// Returns the next line, regardless of its keyword.
    pub fn next_line(&mut self) -> Option<&'a str> {
        self.lines.next()
    }

    /// Returns the values of the next line if it has this keyword.
    pub fn next_if(&mut self, name: &str) -> Option<&'a str> {
        let values = |line: &&'a str| line.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with(' '));
        let found = self.lines.peek().and_then(values)?;
        self.lines.next();
        Some(found.strip_prefix(' ').unwrap_or(found))
    }

    /// Skips lines up to the first that has one of these keywords.
    pub fn skip_until(&mut self, names: &[&str]) {
        let is_one = |line: &str| names.contains(&line.split(' ').next().unwrap_or_default());
        while self.lines.next_if(|line| !is_one(line)).is_some() {}
    }

    /// Returns the values of the next line, which must have this keyword.
    pub fn expect(&mut self, name: &str) -> Result<&'a str, Error> {
        self.next_if(name).ok_or_else(|| damaged(&format!("`{name}` is missing")))
    }

    /// Returns the numbers of the next line, which must have this keyword.
    pub fn numbers<const COUNT: usize>(&mut self, name: &str) -> Result<[u32; COUNT], Error> {
        let mut numbers = [0; COUNT];
        let mut words = self.expect(name)?.split(' ');
        for number in &mut numbers {
            let word = words.next().and_then(|word| word.parse().ok());
            *number = word.ok_or_else(|| damaged(&format!("`{name}` has no number")))?;
        }
        Ok(numbers)
    }

    /// Returns the hashes of the next line, which must have this keyword.
    pub fn hashes(&mut self, name: &str) -> Result<Vec<u64>, Error> {
        let words = self.expect(name)?.split(' ').filter(|word| !word.is_empty());
        words
            .map(|word| parse_hash(word).ok_or_else(|| damaged(&format!("`{name}` has an entry that is not a hash"))))
            .collect()
    }
}

/// A hash as [`append_hashes`] writes it.
pub fn parse_hash(word: &str) -> Option<u64> {
    u64::from_str_radix(word, 16).ok()
}

/// The error for a damaged file.
pub fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::BadTemplate, format!("damaged template file: {what}"))
}

/// Appends a text with line breaks escaped.
pub(crate) fn escape_line(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            other => out.push(other),
        }
    }
}

/// Reverses [`escape_line`].
pub(crate) fn unescape_line(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_on_one_line() {
        for text in ["", "a\nb", "\\n", "\r\n\\", "plain ä"] {
            let mut line = String::new();
            escape_line(text, &mut line);
            assert!(!line.contains(['\n', '\r']));
            assert_eq!(unescape_line(&line), text);
        }
    }

    #[test]
    fn lines_come_in_order() {
        let mut lines = LineReader::new("a 1 2\nb 00ff 1\nc\n");
        assert!(lines.expect("b").is_err());
        assert_eq!(lines.numbers("a").unwrap(), [1, 2]);
        assert_eq!(lines.next_if("c"), None);
        assert_eq!(lines.hashes("b").unwrap(), [255, 1]);
        assert_eq!(lines.hashes("c").unwrap(), [0u64; 0]);
        assert_eq!(lines.next_line(), None);
    }
}
