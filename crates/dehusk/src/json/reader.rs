//! Reads JSON as found on pages: truncated, with raw line ends in strings, trailing commas, comments, unquoted keys.
//!
//! Input: a text. Output: a [`Json`] with the values in preorder, like the nodes of a page. Invalid input is skipped, so there are
//! no errors; values nested too deep or beyond the limits are left out. It does not run scripts.

use std::ops::Range;

/// Maximum number of values of one text. Real data islands of several megabytes have a few hundred thousand.
const MAX_VALUES: usize = 500_000;

/// Maximum number of open objects and arrays. Reading stops at a deeper one.
const MAX_DEPTH: usize = 128;

/// The number of a value in a [`Json`].
pub(crate) type ValueId = usize;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Object,
    Array,
    /// A quoted string.
    Text,
    /// A number, `true`, `null` or any other bare word.
    Word,
}

#[derive(Clone, Debug)]
struct Value {
    kind: Kind,
    /// Its key, if it is a member of an object, and its text: ranges of [`Json::texts`].
    key: Range<usize>,
    text: Range<usize>,
    /// The number after its last descendant.
    end: ValueId,
}

/// The values of a text, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Json {
    values: Vec<Value>,
    texts: String,
}

impl Json {
    /// Reads a text.
    pub(crate) fn read(source: &str) -> Json {
        let mut reader = Reader { source, at: 0, json: Json::default(), open: Vec::new(), key: 0..0 };
        reader.run();
        reader.json
    }

    /// The outermost values.
    pub(crate) fn roots(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.siblings(0, self.values.len())
    }

    /// All values in order.
    pub(crate) fn ids(&self) -> Range<ValueId> {
        0..self.values.len()
    }

    /// The members of an object or the elements of an array.
    pub(crate) fn children(&self, id: ValueId) -> impl Iterator<Item = ValueId> + '_ {
        self.siblings(id + 1, self.values[id].end)
    }

    fn siblings(&self, first: ValueId, end: ValueId) -> impl Iterator<Item = ValueId> + '_ {
        let mut next = first;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let id = next;
                next = self.values[id].end;
                id
            })
        })
    }

    /// The value of an object for a key.
    pub(crate) fn get(&self, object: ValueId, key: &str) -> Option<ValueId> {
        self.children(object).find(|id| self.key(*id) == key)
    }

    /// The key of a value, empty if it has none.
    pub(crate) fn key(&self, id: ValueId) -> &str {
        &self.texts[self.values[id].key.clone()]
    }

    /// The text of a quoted string or of a bare word other than `null` and `undefined`.
    pub(crate) fn text(&self, id: ValueId) -> Option<&str> {
        let value = &self.values[id];
        let text = &self.texts[value.text.clone()];
        match value.kind {
            Kind::Text => Some(text),
            Kind::Word if text != "null" && text != "undefined" => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_object(&self, id: ValueId) -> bool {
        self.values[id].kind == Kind::Object
    }

    /// The elements of an array, or the value itself.
    pub(crate) fn each(&self, id: ValueId) -> impl Iterator<Item = ValueId> + '_ {
        let (first, end) = match self.values[id].kind {
            Kind::Array => (id + 1, self.values[id].end),
            _ => (id, self.values[id].end),
        };
        self.siblings(first, end)
    }
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    json: Json,
    open: Vec<ValueId>,
    /// The key whose value comes next.
    key: Range<usize>,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.source.as_bytes().get(self.at).copied() {
            match byte {
                b'{' | b'[' => {
                    self.at += 1;
                    if self.open.len() == MAX_DEPTH {
                        break;
                    }
                    self.open.push(self.json.values.len());
                    self.add(if byte == b'{' { Kind::Object } else { Kind::Array }, 0..0);
                }
                b'}' | b']' => {
                    self.at += 1;
                    self.close();
                }
                b'"' => {
                    let start = self.json.texts.len();
                    self.at = read_quoted(self.source, self.at, &mut self.json.texts);
                    self.text(start, Kind::Text);
                }
                b',' | b';' => {
                    self.at += 1;
                    self.key = 0..0;
                }
                b':' | b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' | b'<' | b'-' if self.skip_comment() => {}
                _ => self.word(),
            }
            if self.json.values.len() >= MAX_VALUES {
                break;
            }
        }
        while !self.open.is_empty() {
            self.close();
        }
    }

    fn add(&mut self, kind: Kind, text: Range<usize>) {
        let key = std::mem::replace(&mut self.key, 0..0);
        let end = self.json.values.len() + 1;
        self.json.values.push(Value { kind, key, text, end });
    }

    fn close(&mut self) {
        if let Some(id) = self.open.pop() {
            self.json.values[id].end = self.json.values.len();
        }
        self.key = 0..0;
    }

    /// Stores the text from `start` to the end of the texts as a key if one is expected, else as a value.
    fn text(&mut self, start: usize, kind: Kind) {
        let text = start..self.json.texts.len();
        let in_object = self.open.last().is_some_and(|id| self.json.is_object(*id));
        if in_object && self.key.is_empty() && self.is_key() {
            self.key = text;
        } else {
            self.add(kind, text);
        }
    }

    /// Whether a colon comes next.
    fn is_key(&self) -> bool {
        let rest = &self.source.as_bytes()[self.at..];
        rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    }

    /// Reads a number, a bare word, or a character without meaning.
    fn word(&mut self) {
        let rest = &self.source[self.at..];
        let end = |c: char| matches!(c, '{' | '}' | '[' | ']' | ',' | ':' | ';' | '"') || c.is_ascii_whitespace();
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let length = rest[first..].find(end).map_or(rest.len(), |at| at + first);
        let start = self.json.texts.len();
        self.json.texts.push_str(&rest[..length]);
        self.at += length;
        self.text(start, Kind::Word);
    }

    /// Skips `/* */`, `//` to the end of the line, and `<!--`, `-->` and `<![CDATA[`, which old pages put around scripts.
    fn skip_comment(&mut self) -> bool {
        let rest = &self.source[self.at..];
        let length = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            let marker = ["<!--", "-->", "<![CDATA["].into_iter().find(|marker| rest.starts_with(marker));
            marker.map_or(0, str::len)
        };
        self.at += length;
        length > 0
    }
}

/// Appends the text of the literal that starts with the quote at `start` and returns the position after it. An unterminated
/// literal extends to the end of the source.
pub(crate) fn read_quoted(source: &str, start: usize, out: &mut String) -> usize {
    let bytes = source.as_bytes();
    let quote = bytes[start];
    let mut at = start + 1;
    loop {
        let Some(found) = memchr::memchr2(quote, b'\\', &bytes[at..]) else {
            out.push_str(&source[at..]);
            return source.len();
        };
        out.push_str(&source[at..at + found]);
        at += found;
        if bytes[at] == quote {
            return at + 1;
        }
        at = read_escape(source, at, out);
    }
}

/// Appends the character of the escape sequence whose backslash is at `at` and returns the position after it.
fn read_escape(source: &str, at: usize, out: &mut String) -> usize {
    let Some(escaped) = source[at + 1..].chars().next() else { return source.len() };
    match escaped {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'b' | 'f' | '\n' => out.push(' '),
        'u' | 'x' => {
            let digits = if escaped == 'u' { 4 } else { 2 };
            return read_code(source, at, digits, out);
        }
        other => out.push(other),
    }
    at + 1 + escaped.len_utf8()
}

fn read_code(source: &str, at: usize, digits: usize, out: &mut String) -> usize {
    let code = |at: usize| {
        let digits = source.get(at + 2..at + 2 + digits).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let Some(first) = code(at) else {
        // Not a code: the letter is literal.
        out.push_str(&source[at + 1..at + 2]);
        return at + 2;
    };
    let next = at + 2 + digits;
    if (0xd800..0xdc00).contains(&first)
        && source[next..].starts_with("\\u")
        && let Some(second) = code(next).filter(|second| (0xdc00..0xe000).contains(second))
    {
        let joined = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        out.push(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
        return next + 2 + digits;
    }
    out.push(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value as strict JSON.
    fn strict(json: &Json, id: ValueId) -> serde_json::Value {
        if json.is_object(id) {
            json.children(id).map(|child| (json.key(child).to_string(), strict(json, child))).collect()
        } else if let Some(text) = json.text(id) {
            text.into()
        } else if json.values[id].kind == Kind::Array {
            json.children(id).map(|child| strict(json, child)).collect()
        } else {
            serde_json::Value::Null
        }
    }

    fn read(source: &str) -> Vec<serde_json::Value> {
        let json = Json::read(source);
        json.roots().map(|id| strict(&json, id)).collect()
    }

    #[test]
    fn reads_what_a_strict_reader_reads() {
        let source = r#"{"a":"x\n\"\u00e9\ud83d\ude00\/","b":[{"c":[]},{},"d",null],"e":{"f":{"g":"h"}}}"#;
        assert_eq!(read(source), [serde_json::from_str::<serde_json::Value>(source).unwrap()]);
        assert_eq!(read("[1,-2.5e3,true]"), [serde_json::json!(["1", "-2.5e3", "true"])]);
    }

    #[test]
    fn reads_invalid_json_of_real_pages() {
        let wanted = [serde_json::json!({"a": "x\ny", "b": "z"})];
        assert_eq!(read("<!-- {\"a\":\"x\ny\", /* c */ b:\"z\",} -->"), wanted);
        assert_eq!(read("//<![CDATA[\n{\"a\":\"x\ny\",\"b\":\"z\"}\n//]]>"), wanted);
        assert_eq!(read(r#"{"a":"b"#), [serde_json::json!({"a": "b"})]);
        assert_eq!(read(r#"{"a":"\ud800\q\u12"}"#), [serde_json::json!({"a": "\u{fffd}qu12"})]);
        assert_eq!(read(r#"{"a":1}{"b":2};"#), [serde_json::json!({"a": "1"}), serde_json::json!({"b": "2"})]);
    }

    #[test]
    fn hostile_texts_terminate() {
        for piece in ["[", "{\"a\":", "]", "\"", "\\", ",", "é", "{\"\":[", "//", "/*", "\u{0}"] {
            let json = Json::read(&piece.repeat(100_000));
            assert!(json.values.len() <= MAX_VALUES);
            assert!(json.roots().count() <= json.values.len());
        }
        assert_eq!(Json::read(&"1 ".repeat(MAX_VALUES + 10)).values.len(), MAX_VALUES);
    }
}
