//! Splits the source into tokens with their byte spans.
//!
//! Implements the tokenization stage of the HTML standard with all its states, but reads the page in large
//! steps: texts, scripts, comments and attribute values are found by `memchr` and passed on as ranges of the
//! source. Only what differs from the source (character references, carriage returns, NUL bytes, upper-case letters
//! in names) is written to a side buffer. Parse errors are not reported.

mod bytes;
mod comment;
mod doctype;
mod tags;

use self::bytes::ends_name;
use crate::document::{Attribute, TextRange};
use crate::limits::Limit;
use crate::names::{Interner, Name};
use crate::parse::charref;
use memchr::{memchr, memchr2, memchr3};
use std::cell::RefCell;

/// The state of the tokenizer: what it expects next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum State {
    /// Text and tags.
    #[default]
    Data,
    /// Text to the end of the page.
    Plaintext,
    /// Text with character references, up to the end tag of the last start tag (`<title>`, `<textarea>`).
    Rcdata,
    /// Text up to the end tag of the last start tag (`<style>`, `<iframe>`, …).
    Rawtext,
    /// A script: raw text that may hide its end tag in comments.
    Script,
    /// Text up to `]]>`.
    Cdata,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// A part of a text; adjacent parts belong together.
    Text {
        value: TextRange,
        span: TextRange,
    },
    /// A NUL byte whose meaning the tree builder decides.
    Null {
        span: TextRange,
    },
    /// A start tag; its details are in [`Tokenizer::tag`].
    Start,
    /// An end tag; its details are in [`Tokenizer::tag`].
    End,
    Comment {
        value: TextRange,
        span: TextRange,
    },
    /// A document type; its details are in [`Tokenizer::doctype`].
    Doctype,
    Eof,
}

/// The tag read last.
#[derive(Default)]
pub(crate) struct Tag {
    pub(crate) name: Name,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) self_closing: bool,
    pub(crate) span: TextRange,
}

/// The document type read last.
#[derive(Default)]
pub(crate) struct Doctype {
    pub(crate) name: Option<String>,
    pub(crate) public_id: Option<String>,
    pub(crate) system_id: Option<String>,
    pub(crate) force_quirks: bool,
    pub(crate) span: TextRange,
}

/// State that the tokenizer and the tree sink both write to.
pub(crate) struct Shared<'a> {
    pub(crate) names: RefCell<Interner<'a>>,
    /// Decoded texts; they continue the source in the virtual text space.
    pub(crate) extra: RefCell<String>,
    pub(crate) source_length: usize,
}

impl Shared<'_> {
    /// Adds decoded text and returns its range.
    pub(crate) fn append(&self, text: &str) -> TextRange {
        let mut extra = self.extra.borrow_mut();
        let start = self.source_length + extra.len();
        extra.push_str(text);
        TextRange::new(start, start + text.len())
    }
}

pub(crate) struct Tokenizer<'s, 'a> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    state: State,
    /// The position where the text of a raw state ends.
    raw_end: usize,
    last_start: Name,
    has_return: bool,
    has_null: bool,
    max_attributes: usize,
    /// By attribute name, the number of the last tag that had it, to find duplicates in constant time.
    seen: Vec<u32>,
    tags: u32,
    name_buffer: String,
    shared: &'s Shared<'a>,
    pub(crate) tag: Tag,
    pub(crate) doctype: Doctype,
    pub(crate) limit_hit: Option<Limit>,
}

impl<'s, 'a> Tokenizer<'s, 'a> {
    pub(crate) fn new(source: &'s str, shared: &'s Shared<'a>, max_attributes: usize) -> Tokenizer<'s, 'a> {
        let bytes = source.as_bytes();
        // Most pages have neither byte, which one search shows; the searches for markup then need not look for them.
        let first_odd = memchr2(b'\r', 0, bytes);
        Tokenizer {
            source,
            bytes,
            at: 0,
            state: State::Data,
            raw_end: 0,
            last_start: Name::NONE,
            has_return: first_odd.is_some_and(|first| memchr(b'\r', &bytes[first..]).is_some()),
            has_null: first_odd.is_some_and(|first| memchr(0, &bytes[first..]).is_some()),
            max_attributes,
            seen: Vec::new(),
            tags: 0,
            name_buffer: String::new(),
            shared,
            tag: Tag::default(),
            doctype: Doctype::default(),
            limit_hit: None,
        }
    }

    /// Switches the state, as the tree builder does after some start tags.
    pub(crate) fn switch(&mut self, state: State) {
        self.state = state;
        // Found once, so that a text in many pieces does not search for its end again and again.
        self.raw_end = match state {
            State::Data => self.at,
            State::Plaintext => self.bytes.len(),
            State::Rcdata | State::Rawtext => self.find_end_tag(self.at),
            State::Script => self.find_script_end(self.at),
            State::Cdata => {
                memchr::memmem::find(&self.bytes[self.at..], b"]]>").map_or(self.bytes.len(), |found| self.at + found)
            }
        };
    }

    /// Sets the start tag whose end tag closes a raw state.
    pub(crate) fn set_last_start(&mut self, name: Name) {
        self.last_start = name;
    }

    /// The next token. `foreign` returns whether the current element is SVG or MathML, where `<![CDATA[` has a meaning.
    pub(crate) fn next(&mut self, foreign: impl Fn() -> bool) -> Token {
        loop {
            let token = match self.state {
                State::Data => self.data(&foreign),
                _ => self.raw(),
            };
            if let Some(token) = token {
                return token;
            }
        }
    }

    /// One token of the data state. `None` if the source yields no token (`</>`) or the state changed.
    fn data(&mut self, foreign: &impl Fn() -> bool) -> Option<Token> {
        let start = self.at;
        let mut from = start;
        loop {
            let Some(found) = self.find_special(from) else {
                self.at = self.bytes.len();
                return Some(match start < self.at {
                    true => self.source_text(start, self.at),
                    false => Token::Eof,
                });
            };
            let after = &self.bytes[found + 1..];
            let ordinary = match self.bytes[found] {
                b'<' => match after {
                    [b'/', ..] => after.len() == 1,
                    [next, ..] => !(next.is_ascii_alphabetic() || matches!(next, b'!' | b'?')),
                    [] => true,
                },
                b'&' => charref::read(after, false).is_none(),
                _ => false,
            };
            if ordinary {
                from = found + 1;
                continue;
            }
            if found > start {
                self.at = found;
                return Some(self.source_text(start, found));
            }
            return match self.bytes[found] {
                b'<' => self.markup(foreign),
                _ => Some(self.special_text(self.bytes.len(), true)),
            };
        }
    }

    fn find_special(&self, from: usize) -> Option<usize> {
        let rest = &self.bytes[from..];
        let found = match (self.has_return, self.has_null) {
            (false, false) => memchr2(b'<', b'&', rest),
            (true, false) => memchr3(b'<', b'&', b'\r', rest),
            // `memchr` searches for three bytes at most, and pages with NUL bytes are rare.
            _ => rest.iter().position(|byte| matches!(byte, b'<' | b'&' | b'\r' | 0)),
        };
        found.map(|found| from + found)
    }

    fn source_text(&self, start: usize, end: usize) -> Token {
        let range = TextRange::new(start, end);
        Token::Text { value: range, span: range }
    }

    /// The text that starts with the reference, carriage return or NUL byte at the current position.
    fn special_text(&mut self, limit: usize, null_is_token: bool) -> Token {
        let start = self.at;
        match self.bytes[start] {
            b'\r' if self.bytes.get(start + 1) == Some(&b'\n') && start + 1 < limit => {
                // The line feed and what follows are literal in the source.
                let from = start + 2;
                let end = match self.state {
                    State::Data => self.find_special(from).unwrap_or(limit),
                    _ => self.find_raw_special(from, limit),
                };
                self.at = end;
                Token::Text { value: TextRange::new(start + 1, end), span: TextRange::new(start, end) }
            }
            b'\r' => {
                self.at += 1;
                self.decoded_text("\n", start)
            }
            0 if null_is_token => {
                self.at += 1;
                Token::Null { span: TextRange::new(start, start + 1) }
            }
            0 => {
                self.at += 1;
                self.decoded_text("\u{fffd}", start)
            }
            _ => match charref::read(&self.bytes[start + 1..limit], false) {
                Some(reference) => {
                    self.at += 1 + reference.length;
                    let from = self.shared.append(reference.first.encode_utf8(&mut [0; 4]));
                    let to = match reference.second {
                        Some(second) => self.shared.append(second.encode_utf8(&mut [0; 4])),
                        None => from,
                    };
                    let value = TextRange { start: from.start, end: to.end };
                    Token::Text { value, span: TextRange::new(start, self.at) }
                }
                None => {
                    self.at += 1;
                    self.source_text(start, start + 1)
                }
            },
        }
    }

    fn decoded_text(&mut self, text: &str, start: usize) -> Token {
        Token::Text { value: self.shared.append(text), span: TextRange::new(start, self.at) }
    }

    /// One token of a raw state. `None` when its text has ended.
    fn raw(&mut self) -> Option<Token> {
        if self.at >= self.raw_end {
            let state = std::mem::take(&mut self.state);
            return match state {
                State::Cdata => {
                    self.at = (self.raw_end + 3).min(self.bytes.len());
                    None
                }
                _ if self.at >= self.bytes.len() => Some(Token::Eof),
                _ => Some(self.tag_token(false)),
            };
        }
        let start = self.at;
        let mut end = self.find_raw_special(start, self.raw_end);
        if end > start {
            self.at = end;
            return Some(self.source_text(start, end));
        }
        if self.bytes[start] == b'&' && charref::read(&self.bytes[start + 1..self.raw_end], false).is_none() {
            end = self.find_raw_special(start + 1, self.raw_end);
            self.at = end;
            return Some(self.source_text(start, end));
        }
        Some(self.special_text(self.raw_end, self.state == State::Cdata))
    }

    fn find_raw_special(&self, from: usize, limit: usize) -> usize {
        let references = self.state == State::Rcdata;
        if !(references || self.has_return || self.has_null) {
            return limit;
        }
        let rest = &self.bytes[from..limit];
        let found = match references {
            true => memchr3(b'&', b'\r', 0, rest),
            false => memchr2(b'\r', 0, rest),
        };
        found.map_or(limit, |found| from + found)
    }

    /// Whether the `<` at a position starts the end tag of the last start tag.
    fn is_end_tag(&self, at: usize) -> bool {
        let names = self.shared.names.borrow();
        let name = names.text(self.last_start).as_bytes();
        let Some(rest) = self.bytes.get(at + 1..) else { return false };
        !name.is_empty()
            && rest.len() > name.len() + 1
            && rest[0] == b'/'
            && rest[1..=name.len()].eq_ignore_ascii_case(name)
            && ends_name(rest[name.len() + 1])
    }

    fn find_end_tag(&self, mut from: usize) -> usize {
        while let Some(found) = memchr(b'<', &self.bytes[from..]) {
            if self.is_end_tag(from + found) {
                return from + found;
            }
            from += found + 1;
        }
        self.bytes.len()
    }

    /// The position where a script ends: at its end tag, unless that is hidden by `<!-- <script>`.
    fn find_script_end(&self, mut at: usize) -> usize {
        while let Some(found) = memchr(b'<', &self.bytes[at..]) {
            at += found;
            if self.is_end_tag(at) {
                return at;
            }
            if self.bytes[at..].starts_with(b"<!--") {
                match self.skip_escaped_script(at + 4) {
                    Ok(after) => at = after,
                    Err(end) => return end,
                }
            } else {
                at += 1;
            }
        }
        self.bytes.len()
    }

    /// Skips what follows `<!--` in a script: `Ok` with the position after `-->`, `Err` with the end of the script.
    fn skip_escaped_script(&self, mut at: usize) -> Result<usize, usize> {
        // The dashes of `<!--` count towards `-->`.
        let mut dashes = 2;
        let mut double = false;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'-' => dashes += 1,
                b'>' if dashes >= 2 => return Ok(at + 1),
                b'<' => {
                    dashes = 0;
                    if !double && self.is_end_tag(at) {
                        return Err(at);
                    }
                    let closing = self.bytes.get(at + 1) == Some(&b'/');
                    if closing == double {
                        let name = at + 1 + closing as usize;
                        let rest = &self.bytes[name..];
                        let length = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
                        let ended = rest.get(length).is_some_and(|byte| ends_name(*byte));
                        if ended && rest[..length].eq_ignore_ascii_case(b"script") {
                            double = !double;
                        }
                        // The byte after the name has been read, unless it does not end the name: `<` and `-` are read
                        // again.
                        at = name + length + (ended as usize);
                        continue;
                    }
                }
                _ => dashes = 0,
            }
            at += 1;
        }
        Err(self.bytes.len())
    }

    /// The token that starts with the `<` at the current position, which is not text.
    fn markup(&mut self, foreign: &impl Fn() -> bool) -> Option<Token> {
        let start = self.at;
        match self.bytes[start + 1] {
            b'/' => match self.bytes[start + 2] {
                byte if byte.is_ascii_alphabetic() => Some(self.tag_token(false)),
                b'>' => {
                    self.at += 3;
                    None
                }
                _ => Some(self.bogus_comment(start, start + 2)),
            },
            b'?' => Some(self.bogus_comment(start, start + 1)),
            b'!' => {
                let rest = &self.bytes[start + 2..];
                if rest.starts_with(b"--") {
                    Some(self.comment())
                } else if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"doctype") {
                    self.read_doctype();
                    Some(Token::Doctype)
                } else if rest.starts_with(b"[CDATA[") && foreign() {
                    self.at += 9;
                    self.switch(State::Cdata);
                    None
                } else {
                    Some(self.bogus_comment(start, start + 2))
                }
            }
            _ => Some(self.tag_token(true)),
        }
    }

    /// A range of the source with line ends and NUL bytes normalized.
    fn normalized(&mut self, start: usize, end: usize) -> TextRange {
        if !(self.has_return || self.has_null) {
            return TextRange::new(start, end);
        }
        self.decoded(start, end, false)
    }

    /// A range of the source with line ends and NUL bytes normalized and, if `references` is set, character references
    /// decoded.
    fn decoded(&mut self, start: usize, end: usize, references: bool) -> TextRange {
        let bytes = &self.bytes[..end];
        let find = |from: usize| {
            let rest = &bytes[from..];
            let found = if references { memchr3(b'&', b'\r', 0, rest) } else { memchr2(b'\r', 0, rest) };
            found.map(|found| from + found)
        };
        let Some(mut found) = find(start) else { return TextRange::new(start, end) };
        let mut extra = self.shared.extra.borrow_mut();
        let from = self.bytes.len() + extra.len();
        let mut copied = start;
        loop {
            let mut next = found + 1;
            match bytes[found] {
                b'&' => {
                    if let Some(reference) = charref::read(&bytes[next..], true) {
                        extra.push_str(&self.source[copied..found]);
                        extra.push(reference.first);
                        extra.extend(reference.second);
                        next += reference.length;
                        copied = next;
                    }
                }
                byte => {
                    extra.push_str(&self.source[copied..found]);
                    match byte {
                        0 => extra.push('\u{fffd}'),
                        _ if bytes.get(next) == Some(&b'\n') => {}
                        _ => extra.push('\n'),
                    }
                    copied = next;
                }
            }
            match find(next) {
                Some(next) => found = next,
                None => break,
            }
        }
        extra.push_str(&self.source[copied..end]);
        TextRange::new(from, self.bytes.len() + extra.len())
    }
}
