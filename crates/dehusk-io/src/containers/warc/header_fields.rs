//! Header fields, as WARC records and HTTP responses have them.
//!
//! Names are compared without case, lines may end in LF alone, and a line that starts with a space continues the field
//! before it. Lines without a colon are ignored. Parsing only finds the fields, so that the reading thread can afford it;
//! values become text when they are needed.

use std::borrow::Cow;
use std::ops::Range;

/// The fields of one header, in order.
#[derive(Debug)]
pub(crate) struct HeaderFields {
    header: Vec<u8>,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    /// `None` if the line continues the field before it.
    name: Option<Range<usize>>,
    value: Range<usize>,
}

impl HeaderFields {
    /// Parses the lines of a header. The first line, which is not a field, must have been removed.
    pub(crate) fn parse(header: Vec<u8>) -> HeaderFields {
        let mut lines: Vec<Line> = Vec::with_capacity(16);
        let mut start = 0;
        while start < header.len() {
            let end = memchr::memchr(b'\n', &header[start..]).map_or(header.len(), |length| start + length);
            let line = &header[start..end];
            if matches!(line.first(), Some(b' ' | b'\t')) {
                // A continuation before the first field continues nothing.
                if !lines.is_empty() {
                    lines.push(Line { name: None, value: trim(&header, start..end) });
                }
            } else if let Some(colon) = memchr::memchr(b':', line) {
                let colon = start + colon;
                lines.push(Line { name: Some(trim(&header, start..colon)), value: trim(&header, colon + 1..end) });
            }
            start = end + 1;
        }
        HeaderFields { header, lines }
    }

    /// The length of the header in bytes.
    pub(crate) fn len(&self) -> usize {
        self.header.len()
    }

    /// The first value of a field.
    pub(crate) fn first(&self, name: &str) -> Option<Cow<'_, str>> {
        (0..self.lines.len()).find(|&at| self.has_name(at, name)).map(|at| self.value(at))
    }

    /// All values of a field.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Cow<'a, str>> {
        (0..self.lines.len()).filter(move |&at| self.has_name(at, name)).map(|at| self.value(at))
    }

    fn has_name(&self, at: usize, name: &str) -> bool {
        let found = self.lines[at].name.clone();
        found.is_some_and(|found| self.header[found].eq_ignore_ascii_case(name.as_bytes()))
    }

    /// The value of the field at a line, continuations included.
    fn value(&self, at: usize) -> Cow<'_, str> {
        let mut value = text(&self.header[self.lines[at].value.clone()]);
        for line in self.lines[at + 1..].iter().take_while(|line| line.name.is_none()) {
            let more = text(&self.header[line.value.clone()]);
            let joined = value.to_mut();
            if !joined.is_empty() && !more.is_empty() {
                joined.push(' ');
            }
            joined.push_str(&more);
        }
        value
    }
}

/// A range without the white space at its ends.
fn trim(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let part = &bytes[range.clone()];
    let start = range.start + (part.len() - part.trim_ascii_start().len());
    start..start + part.trim_ascii().len()
}

/// Where a header ends and where the body starts: at the first empty line.
pub(crate) fn header_end(data: &[u8]) -> Option<(usize, usize)> {
    memchr::memchr_iter(b'\n', data).find_map(|end| match data.get(end + 1..)? {
        [b'\n', ..] => Some((end + 1, end + 2)),
        [b'\r', b'\n', ..] => Some((end + 1, end + 3)),
        _ => None,
    })
}

/// Bytes as text. What is not UTF-8 is read as Latin-1, as HTTP once defined it.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ignore_case_and_folded_lines_join() {
        let header = b"  x\nContent-TYPE: text/html;\r\n  charset=x\nno colon\n\t\n y\nA:1\nA: \xe9\n".to_vec();
        let fields = HeaderFields::parse(header);
        assert_eq!(fields.first("content-type").unwrap(), "text/html; charset=x y");
        assert_eq!(fields.all("a").collect::<Vec<_>>(), ["1", "é"]);
        assert!(fields.first("no colon").is_none());
        assert!(HeaderFields::parse(Vec::new()).first("").is_none());
    }

    #[test]
    fn a_header_ends_at_the_first_empty_line() {
        assert_eq!(header_end(b"A\r\nB\r\n\r\nbody"), Some((6, 8)));
        assert_eq!(header_end(b"A\n\nbody"), Some((2, 3)));
        assert_eq!(header_end(b"A\r\n\r"), None);
    }
}
