//! Document types.

use super::bytes::is_space;
use super::{Doctype, Tokenizer};
use crate::document::TextRange;
use memchr::{memchr, memchr2};

impl Tokenizer<'_, '_> {
    /// Reads the document type at the current position into [`Tokenizer::doctype`].
    pub(super) fn read_doctype(&mut self) {
        let start = self.at;
        let mut reader =
            DoctypeReader { bytes: self.bytes, source: self.source, at: start + 9, out: Doctype::default() };
        if reader.read().is_none() {
            reader.out.force_quirks = true;
        }
        // Regardless of errors inside, the document type ends with the next `>`.
        let end = memchr(b'>', &self.bytes[reader.at..]);
        self.at = end.map_or(self.bytes.len(), |found| reader.at + found + 1);
        self.doctype = reader.out;
        self.doctype.span = TextRange::new(start, self.at);
    }
}

/// Reads `name PUBLIC "…" "…"` of a document type. `None` from a method means "bogus, force quirks".
struct DoctypeReader<'s> {
    bytes: &'s [u8],
    source: &'s str,
    at: usize,
    out: Doctype,
}

impl DoctypeReader<'_> {
    fn skip_spaces(&mut self) -> Option<u8> {
        while self.at < self.bytes.len() && is_space(self.bytes[self.at]) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn read(&mut self) -> Option<()> {
        if self.skip_spaces()? == b'>' {
            return None;
        }
        let start = self.at;
        while self.at < self.bytes.len() && !is_space(self.bytes[self.at]) && self.bytes[self.at] != b'>' {
            self.at += 1;
        }
        self.out.name = Some(self.source[start..self.at].to_ascii_lowercase().replace('\0', "\u{fffd}"));
        if self.skip_spaces()? == b'>' {
            return Some(());
        }
        let keyword = self.bytes.get(self.at..self.at + 6)?;
        if keyword.eq_ignore_ascii_case(b"public") {
            self.at += 6;
            self.skip_spaces()?;
            self.out.public_id = Some(String::new());
            let public = self.identifier();
            self.out.public_id = public.0;
            public.1?;
            if self.skip_spaces()? == b'>' {
                return Some(());
            }
        } else if keyword.eq_ignore_ascii_case(b"system") {
            self.at += 6;
            self.skip_spaces()?;
        } else {
            return None;
        }
        let system = self.identifier();
        self.out.system_id = system.0;
        system.1?;
        // Anything after the system identifier is bogus, but does not force quirks mode, even if the page ends there.
        self.skip_spaces().map(|_| ())
    }

    /// A quoted identifier, and whether it was closed.
    fn identifier(&mut self) -> (Option<String>, Option<()>) {
        let quote = match self.bytes.get(self.at) {
            Some(quote @ (b'"' | b'\'')) => *quote,
            _ => return (None, None),
        };
        let start = self.at + 1;
        let end = memchr2(quote, b'>', &self.bytes[start..]).map_or(self.bytes.len(), |found| start + found);
        let text = self.source[start..end].replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}");
        let closed = self.bytes.get(end) == Some(&quote);
        self.at = if closed { end + 1 } else { end };
        (Some(text), closed.then_some(()))
    }
}
