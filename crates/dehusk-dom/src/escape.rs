//! Text as HTML: the characters that would be read as markup become character references.
//!
//! Good for text and for double-quoted attribute values, in HTML and in XML. Does not change control characters.

/// Appends text as HTML. Angle brackets are escaped in attribute values too, which keeps the output inert in a parser that lost
/// track of a quote.
pub fn append_escaped(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"']) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ => "&quot;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// Text as HTML.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    append_escaped(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(escaped("<a href=\"x\">é & &amp;</a>"), "&lt;a href=&quot;x&quot;&gt;é &amp; &amp;amp;&lt;/a&gt;");
        assert_eq!(escaped(""), "");
    }
}
