//! Prose in the data from which scripts render a page.
//!
//! Next, Nuxt, Gatsby, Apollo, Redux, Discourse, Inertia and similar frameworks embed the data of a page: as JSON in a script or
//! in an attribute, as an object assigned to a variable, as strings pushed to a list, as JSON in a string. All of them have their
//! texts in string literals. These are read in order, and those that are not prose are left out. The rest of a script is ignored.

use super::prose::{append_html, is_prose};
use crate::dom::{Document, Name, NodeId, NodeKind};
use crate::fallback::MAX_BYTES;
use crate::json::read_quoted;
use std::collections::HashSet;

/// Maximum number of bytes of scripts and attributes read per page.
const MAX_DATA_BYTES: usize = 16 << 20;

/// Maximum nesting of JSON in strings in JSON. Discourse has two levels, Next three.
const MAX_LEVELS: usize = 4;

/// Minimum length of a script or attribute that is read. Shorter ones contain settings.
const MIN_DATA_BYTES: usize = 200;

/// Minimum length in bytes of a string that may be prose.
const MIN_STRING_BYTES: usize = 30;

/// The prose of all data of a page, in page order, each string once, as HTML.
pub(super) fn prose(document: &Document) -> String {
    let mut reader = Reader { room: MAX_DATA_BYTES, known: HashSet::default(), out: String::new() };
    for id in document.ids() {
        match document.kind(id) {
            NodeKind::Element if is_data(document, id) => {
                document.children(id).for_each(|child| reader.read(document.text(child)));
            }
            NodeKind::Element => {
                for attribute in document.attributes(id) {
                    let value = document.value(attribute);
                    if value.starts_with(['{', '[']) && value.len() >= MIN_DATA_BYTES {
                        reader.read(value);
                    }
                }
            }
            _ => {}
        }
    }
    reader.out
}

/// Whether an element is a script with data instead of a program: by its type, or because it starts with an assignment.
fn is_data(document: &Document, id: NodeId) -> bool {
    if document.html_name(id) != Name::SCRIPT {
        return false;
    }
    let kind = document.attribute(id, Name::TYPE).unwrap_or_default().trim().to_ascii_lowercase();
    if kind.contains("json") {
        // JSON-LD is a source of its own.
        return !kind.contains("ld+json");
    }
    let is_script = kind.is_empty() || kind.contains("javascript") || kind == "module";
    let text = document.children(id).next().map(|child| document.text(child)).unwrap_or_default();
    is_script && is_assignment(text.trim_start())
}

/// `window.a = {`, `var a = [`, `self.__next_f.push(["…`, `(self.a = self.a || []).push(`, `a = JSON.parse("`, `window.__NUXT__=(function(`.
fn is_assignment(text: &str) -> bool {
    let head = &text.as_bytes()[..text.len().min(160)];
    let global = [&b"window"[..], b"self", b"globalThis", b"(self", b"(window", b"var ", b"let ", b"const ", b"__"];
    if !global.iter().any(|start| head.starts_with(start)) {
        return false;
    }
    let Some(equals) = head.iter().position(|byte| *byte == b'=' || *byte == b'(') else { return false };
    let value = head[equals + 1..].iter().copied().find(|byte| !byte.is_ascii_whitespace());
    // A function is a program, except the one of Nuxt, which is in parentheses.
    matches!(value, Some(b'{' | b'[' | b'(' | b'"' | b'\'' | b'J' | b's' | b'w'))
}

struct Reader {
    room: usize,
    known: HashSet<u64>,
    out: String,
}

impl Reader {
    fn read(&mut self, text: &str) {
        if text.len() < MIN_DATA_BYTES || text.len() > self.room {
            return;
        }
        self.room -= text.len();
        // A stack of texts with the current position in each; each text is a string inside the one below it. A string is shorter than
        // the text that contains it, so the work is at most the length of the text times the number of levels.
        let mut open = vec![(text.to_string(), 0)];
        while let Some((text, at)) = open.last_mut() {
            let mut literal = String::new();
            match next_literal(text, *at, &mut literal) {
                None => drop(open.pop()),
                Some(end) => {
                    *at = end;
                    if literal.len() < MIN_STRING_BYTES {
                        continue;
                    }
                    if open.len() < MAX_LEVELS && holds_data(&literal) {
                        open.push((literal, 0));
                    } else {
                        self.add_prose(without_row_header(&literal));
                    }
                }
            }
        }
    }

    /// Appends a string if it is prose and new.
    fn add_prose(&mut self, text: &str) {
        if self.out.len() < MAX_BYTES
            && is_prose(text)
            && self.known.insert(xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
        {
            append_html(text, &mut self.out);
        }
    }
}

/// Reads the next string literal of a text at or after a position and returns the position after it.
fn next_literal(text: &str, from: usize, literal: &mut String) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        let start = at + memchr::memchr3(b'"', b'\'', b'`', bytes.get(at..)?)?;
        // In data, only double quotes start a string; other quotes are apostrophes unless a value is expected.
        if bytes[start] == b'"' || is_value_start(bytes, start) {
            return Some(read_quoted(text, start, literal));
        }
        at = start + 1;
    }
}

/// Whether a single quote or backtick starts a string: it must follow a character that precedes a value.
fn is_value_start(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rev().take(8).find(|byte| !byte.is_ascii_whitespace());
    matches!(before, Some(b'(' | b',' | b':' | b'=' | b'['))
}

/// Whether a string is JSON, or rows of it as Next pushes them.
fn holds_data(text: &str) -> bool {
    let text = text.trim_start();
    let json = text.starts_with(['{', '[']);
    let rows = text.contains("[\"") || text.contains("{\"");
    (json && text.contains('"'))
        || (rows && text.matches("\",\"").take(3).count() + text.matches("\":").take(3).count() >= 2)
}

/// A text without the row header of Next, which pushes long texts as rows such as `2a:T4d2,<p>…`.
fn without_row_header(text: &str) -> &str {
    let Some((head, rest)) = text.split_once(',') else { return text };
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    match head.split_once(":T") {
        Some((row, length)) if head.len() <= 16 && is_hex(row) && is_hex(length) => rest,
        _ => text,
    }
}
