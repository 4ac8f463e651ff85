//! Start and end tags with their attributes.

use super::bytes::{CHANGES, END, EQUALS, SPACE, class, is_space};
use super::{Token, Tokenizer};
use crate::document::{Attribute, Namespace, TextRange};
use crate::limits::Limit;
use crate::names::Name;
use memchr::{memchr, memchr3};

impl Tokenizer<'_, '_> {
    /// The tag at the current position. If the page ends inside it, the tag is ignored.
    pub(super) fn tag_token(&mut self, is_start: bool) -> Token {
        match self.tag(is_start) {
            Some(()) if is_start => Token::Start,
            Some(()) => Token::End,
            None => {
                self.at = self.bytes.len();
                Token::Eof
            }
        }
    }

    /// Reads the tag at the current position into [`Tokenizer::tag`]. `None` if the page ends inside it.
    fn tag(&mut self, is_start: bool) -> Option<()> {
        let start = self.at;
        let name_start = start + 2 - is_start as usize;
        let mut at = name_start;
        let mut seen = 0;
        loop {
            let class = class(*self.bytes.get(at)?);
            if class & (SPACE | END) != 0 {
                break;
            }
            seen |= class;
            at += 1;
        }
        self.tag.name = self.intern(name_start, at, seen & CHANGES != 0);
        self.tag.attributes.clear();
        self.tag.self_closing = false;
        self.tags += 1;
        let mut count = 0;
        loop {
            match *self.bytes.get(at)? {
                byte if is_space(byte) => at += 1,
                b'>' => break,
                b'/' => {
                    at += 1;
                    if self.bytes.get(at) == Some(&b'>') {
                        self.tag.self_closing = true;
                        break;
                    }
                }
                _ => {
                    count += 1;
                    // End tags can have attributes, too, which must be skipped one by one: a `>` in a value does not end the tag.
                    at = self.attribute(at, is_start && count <= self.max_attributes)?;
                    if count > self.max_attributes && is_start {
                        self.limit_hit = Some(Limit::Attributes);
                    }
                }
            }
        }
        self.at = at + 1;
        self.tag.span = TextRange::new(start, self.at);
        if is_start {
            self.last_start = self.tag.name;
        }
        Some(())
    }

    /// Reads the attribute that starts at a position and returns the position after it.
    fn attribute(&mut self, start: usize, keep: bool) -> Option<usize> {
        let bytes = self.bytes;
        // The first byte belongs to the name even if it is `=`.
        let mut at = start + 1;
        let mut seen = class(bytes[start]);
        while at < bytes.len() {
            let class = class(bytes[at]);
            if class & (SPACE | END | EQUALS) != 0 {
                break;
            }
            seen |= class;
            at += 1;
        }
        let name_end = at;
        while is_space(*bytes.get(at)?) {
            at += 1;
        }
        let mut value = (at, at);
        let mut is_literal = true;
        if bytes[at] == b'=' {
            at += 1;
            while is_space(*bytes.get(at)?) {
                at += 1;
            }
            match bytes[at] {
                quote @ (b'"' | b'\'') => {
                    let from = at + 1;
                    // One search finds the end of most values and shows that there is nothing to decode.
                    let mut end = from + memchr3(quote, b'&', b'\r', &bytes[from..])?;
                    is_literal = bytes[end] == quote && !self.has_null;
                    if bytes[end] != quote {
                        end += memchr(quote, &bytes[end..])?;
                    }
                    value = (from, end);
                    at = end + 1;
                }
                b'>' => value = (at, at),
                _ => {
                    let from = at;
                    while !(is_space(*bytes.get(at)?) || bytes[at] == b'>') {
                        at += 1;
                    }
                    value = (from, at);
                    is_literal = false;
                }
            }
        }
        if keep {
            let name = self.intern(start, name_end, seen & CHANGES != 0);
            if self.is_first(name) {
                let value = match is_literal {
                    true => TextRange::new(value.0, value.1),
                    false => self.decoded(value.0, value.1, true),
                };
                self.tag.attributes.push(Attribute { name, namespace: Namespace::Html, value });
            }
        }
        Some(at)
    }

    /// Whether the current tag has no attribute of this name yet.
    fn is_first(&mut self, name: Name) -> bool {
        let number = name.0 as usize;
        if number >= self.seen.len() {
            self.seen.resize(self.shared.names.borrow().len(), 0);
        }
        // Numbering the tags saves clearing the list before each one.
        std::mem::replace(&mut self.seen[number], self.tags) != self.tags
    }

    fn intern(&mut self, start: usize, end: usize, changes: bool) -> Name {
        let text = &self.source[start..end];
        if !changes {
            return self.shared.names.borrow_mut().intern(text);
        }
        self.name_buffer.clear();
        for character in text.chars() {
            self.name_buffer.push(match character {
                '\0' => '\u{fffd}',
                other => other.to_ascii_lowercase(),
            });
        }
        self.shared.names.borrow_mut().intern(&self.name_buffer)
    }
}
