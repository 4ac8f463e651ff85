//! Comments.

use super::{Token, Tokenizer};
use crate::document::TextRange;
use memchr::memchr;

impl Tokenizer<'_, '_> {
    /// A bogus comment of the standard: invalid markup that is read as a comment up to the next `>`.
    pub(super) fn bogus_comment(&mut self, start: usize, from: usize) -> Token {
        let end = memchr(b'>', &self.bytes[from..]).map_or(self.bytes.len(), |found| from + found);
        self.at = (end + 1).min(self.bytes.len());
        let value = self.normalized(from, end);
        Token::Comment { value, span: TextRange::new(start, self.at) }
    }

    /// The comment at the current position.
    pub(super) fn comment(&mut self) -> Token {
        let start = self.at;
        let from = start + 4;
        let rest = &self.bytes[from..];
        let (value_end, end) = if rest.starts_with(b">") {
            (from, from + 1)
        } else if rest.starts_with(b"->") {
            (from, from + 2)
        } else {
            self.find_comment_end(from)
        };
        self.at = end;
        let value = self.normalized(from, value_end);
        Token::Comment { value, span: TextRange::new(start, end) }
    }

    /// The positions where the text of a comment and the comment itself end.
    fn find_comment_end(&self, from: usize) -> (usize, usize) {
        let mut at = from;
        while let Some(found) = memchr(b'-', &self.bytes[at..]) {
            let first = at + found;
            let dashes = self.bytes[first..].iter().take_while(|byte| **byte == b'-').count();
            at = first + dashes;
            let rest = &self.bytes[at..];
            if dashes >= 2 {
                match rest {
                    [b'>', ..] => return (at - 2, at + 1),
                    [b'!', b'>', ..] => return (at - 2, at + 2),
                    // The page ends inside `--!>`, whose beginning is not part of the text either.
                    [b'!'] => return (at - 2, at + 1),
                    _ => {}
                }
            }
            if rest.is_empty() {
                // The page ends here; its last two dashes count as the beginning of `-->`.
                return (at - dashes.min(2), at);
            }
        }
        (self.bytes.len(), self.bytes.len())
    }
}
