//! Prose in the data that scripts draw a page from.
//!
//! Next, Nuxt, Gatsby, Apollo, Redux, Discourse, Inertia and their like put the data of a page into it: as JSON in a script or
//! in an attribute, as an object given to a variable, as strings pushed to a list, as JSON in a string. All of these hold their texts
//! in string literals, so that these are read, in order, and what is no prose is left out. The rest of a script is not looked at.

use super::MOST_BYTES;
use super::prose::{append_html, is_prose};
use crate::dom::{Document, Name, NodeId, NodeKind};
use crate::json::read_quoted;
use rustc_hash::FxHashSet;

/// Bytes of scripts and attributes that are read of one page.
const MOST_READ: usize = 16 << 20;

/// JSON in a string in JSON: Discourse has two levels, Next three.
const MOST_LEVELS: usize = 4;

/// The shortest script or attribute that is read: shorter ones hold settings.
const FEWEST_BYTES: usize = 200;

/// Bytes of the shortest string that is looked at.
const FEWEST_STRING: usize = 30;

/// The prose of all data of a page, in page order, each string once, as HTML.
pub(super) fn prose(document: &Document) -> String {
    let mut reader = Reader { room: MOST_READ, known: FxHashSet::default(), out: String::new() };
    for id in document.ids() {
        match document.kind(id) {
            NodeKind::Element if is_data(document, id) => {
                document.children(id).for_each(|child| reader.read(document.text(child)));
            }
            NodeKind::Element => {
                for attribute in document.attributes(id) {
                    let value = document.value(attribute);
                    if value.starts_with(['{', '[']) && value.len() >= FEWEST_BYTES {
                        reader.read(value);
                    }
                }
            }
            _ => {}
        }
    }
    reader.out
}

/// Whether an element is a script that holds data rather than a program: by its type, or because it starts by giving a value to something.
fn is_data(document: &Document, id: NodeId) -> bool {
    if document.html_name(id) != Name::SCRIPT {
        return false;
    }
    let kind = document.attribute(id, Name::TYPE).unwrap_or_default().trim().to_ascii_lowercase();
    if kind.contains("json") {
        // JSON-LD is a source of its own, and import maps hold addresses.
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
    // A function is a program, except that of Nuxt, which stands in brackets.
    matches!(value, Some(b'{' | b'[' | b'(' | b'"' | b'\'' | b'J' | b's' | b'w'))
}

struct Reader {
    room: usize,
    known: FxHashSet<u64>,
    out: String,
}

impl Reader {
    fn read(&mut self, text: &str) {
        if text.len() < FEWEST_BYTES || text.len() > self.room {
            return;
        }
        self.room -= text.len();
        // Texts that are being read, each a string of the one below it, with the place reading has got to. A string is shorter than the
        // text it stands in, so that the work is at most the length of the text times the levels.
        let mut open = vec![(text.to_string(), 0)];
        while let Some((text, at)) = open.last_mut() {
            let mut literal = String::new();
            match next_literal(text, *at, &mut literal) {
                None => drop(open.pop()),
                Some(end) => {
                    *at = end;
                    if literal.len() < FEWEST_STRING {
                        continue;
                    }
                    if open.len() < MOST_LEVELS && holds_data(&literal) {
                        open.push((literal, 0));
                    } else {
                        self.take(without_row_head(&literal));
                    }
                }
            }
        }
    }

    fn take(&mut self, text: &str) {
        if self.out.len() < MOST_BYTES
            && is_prose(text)
            && self.known.insert(xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
        {
            append_html(text, &mut self.out);
        }
    }
}

/// Reads the next string of a text from a place on, and returns where it ends.
fn next_literal(text: &str, from: usize, literal: &mut String) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        let start = at + memchr::memchr3(b'"', b'\'', b'`', bytes.get(at..)?)?;
        // In data only double quotes begin a string; an apostrophe stands in one.
        if bytes[start] == b'"' || is_value_start(bytes, start) {
            return Some(read_quoted(text, start, literal));
        }
        at = start + 1;
    }
}

/// Whether a single quote or backtick begins a string: behind a sign that a value follows.
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

/// Next pushes long texts as rows such as `2a:T4d2,<p>…`.
fn without_row_head(text: &str) -> &str {
    let Some((head, rest)) = text.split_once(',') else { return text };
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    match head.split_once(":T") {
        Some((row, length)) if head.len() <= 16 && is_hex(row) && is_hex(length) => rest,
        _ => text,
    }
}
