//! Writes JSON into a string: commas, escapes and short numbers.
//!
//! Keys and values are written in call order. Nesting is not checked; the caller closes what it opens.

use std::fmt::Write;

/// Writes one JSON value.
#[derive(Debug)]
pub(crate) struct JsonWriter<'a> {
    out: &'a mut String,
    comma: bool,
}

impl<'a> JsonWriter<'a> {
    pub(crate) fn new(out: &'a mut String) -> JsonWriter<'a> {
        JsonWriter { out, comma: false }
    }

    /// Opens an object or an array: `{` or `[`.
    pub(crate) fn open(&mut self, bracket: char) {
        self.separate();
        self.out.push(bracket);
        self.comma = false;
    }

    /// Closes an object or an array: `}` or `]`.
    pub(crate) fn close(&mut self, bracket: char) {
        self.out.push(bracket);
        self.comma = true;
    }

    pub(crate) fn key(&mut self, key: &str) -> &mut Self {
        self.separate();
        append_string(key, self.out);
        self.out.push(':');
        self.comma = false;
        self
    }

    pub(crate) fn string(&mut self, text: &str) {
        self.separate();
        append_string(text, self.out);
    }

    pub(crate) fn integer(&mut self, number: usize) {
        self.separate();
        let _ = write!(self.out, "{number}");
    }

    /// Writes a number with at most four decimals, or null if it is not finite.
    pub(crate) fn float(&mut self, number: f32) {
        self.rounded(number, 4);
    }

    /// Writes a number with at most this many decimals, at least one, or null if it is not finite.
    pub(crate) fn rounded(&mut self, number: f32, decimals: usize) {
        self.separate();
        if !number.is_finite() {
            return self.out.push_str("null");
        }
        let start = self.out.len();
        let _ = write!(self.out, "{number:.decimals$}");
        let end = start + self.out[start..].trim_end_matches('0').trim_end_matches('.').len();
        self.out.truncate(end);
        if &self.out[start..] == "-0" {
            self.out.remove(start);
        }
    }

    pub(crate) fn boolean(&mut self, value: bool) {
        self.separate();
        self.out.push_str(if value { "true" } else { "false" });
    }

    pub(crate) fn null(&mut self) {
        self.separate();
        self.out.push_str("null");
    }

    fn separate(&mut self) {
        if self.comma {
            self.out.push(',');
        }
        self.comma = true;
    }
}

/// Appends a quoted string. Also escapes the two line separators that older versions of JavaScript do not allow in strings.
fn append_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || matches!(c, '"' | '\\' | '\u{2028}' | '\u{2029}')) {
        out.push_str(&rest[..at]);
        let c = rest[at..].chars().next().unwrap_or_default();
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
        }
        rest = &rest[at + c.len_utf8()..];
    }
    out.push_str(rest);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_values() {
        let mut out = String::new();
        let mut json = JsonWriter::new(&mut out);
        json.open('{');
        json.key("a\"").string("x\n\u{1}\\é\u{2028}");
        json.key("b").open('[');
        for number in [0.0, 1.0, 0.12345, -0.00001, f32::NAN, 100.5] {
            json.float(number);
        }
        json.integer(7);
        json.rounded(12345.6, 1);
        json.rounded(-0.04, 1);
        json.boolean(true);
        json.null();
        json.close(']');
        json.close('}');
        let expected = r#"{"a\"":"x\n\u0001\\é\u2028","b":[0,1,0.1235,0,null,100.5,7,12345.6,0,true,null]}"#;
        assert_eq!(out, expected);
    }
}
