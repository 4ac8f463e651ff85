//! Header lines, as WARC records and HTTP responses have them.
//!
//! Names are compared without case, lines may end in LF alone, and a line that starts with a space goes on
//! with the one before it. Lines without a colon are passed over.

/// The fields of one header, in order.
pub(crate) struct Fields {
    fields: Vec<(String, String)>,
}

impl Fields {
    /// Reads lines up to the end of `head`; the first line, which is no field, must be gone already.
    pub(crate) fn parse(head: &[u8]) -> Fields {
        let mut fields: Vec<(String, String)> = Vec::new();
        for line in head.split(|&byte| byte == b'\n') {
            if line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
                if let Some((_, value)) = fields.last_mut() {
                    let more = text(line.trim_ascii());
                    if !value.is_empty() && !more.is_empty() {
                        value.push(' ');
                    }
                    value.push_str(&more);
                }
            } else if let Some(colon) = memchr::memchr(b':', line) {
                fields.push((text(line[..colon].trim_ascii()), text(line[colon + 1..].trim_ascii())));
            }
        }
        Fields { fields }
    }

    /// The first value of a field.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All values of a field.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The value of a field without taking all others apart. Does not join continued lines.
pub(crate) fn quick_field<'a>(head: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    head.split(|&byte| byte == b'\n').find_map(|line| {
        let colon = memchr::memchr(b':', line)?;
        line[..colon].trim_ascii().eq_ignore_ascii_case(name).then(|| line[colon + 1..].trim_ascii())
    })
}

/// Where a header ends and what follows starts: behind the first empty line.
pub(crate) fn head_end(data: &[u8]) -> Option<(usize, usize)> {
    memchr::memchr_iter(b'\n', data).find_map(|end| match data.get(end + 1..)? {
        [b'\n', ..] => Some((end + 1, end + 2)),
        [b'\r', b'\n', ..] => Some((end + 1, end + 3)),
        _ => None,
    })
}

/// Bytes as text; those that are no UTF-8 are taken for Latin-1, as HTTP once defined it.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ignore_case_and_folded_lines_join() {
        let fields = Fields::parse(b"Content-TYPE: text/html;\r\n  charset=x\nno colon\nA:1\nA: \xe9\n");
        assert_eq!(fields.first("content-type"), Some("text/html; charset=x"));
        assert_eq!(fields.all("a").collect::<Vec<_>>(), ["1", "é"]);
    }

    #[test]
    fn a_head_ends_at_the_first_empty_line() {
        assert_eq!(head_end(b"A\r\nB\r\n\r\nbody"), Some((6, 8)));
        assert_eq!(head_end(b"A\n\nbody"), Some((2, 3)));
        assert_eq!(head_end(b"A\r\n\r"), None);
    }
}
