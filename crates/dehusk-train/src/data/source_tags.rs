//! Tags and attributes in the source of a page, for changes that leave everything else as it is.

/// Where a comment, script or style ends, if one begins here.
pub(crate) fn raw_end(text: &str) -> Option<usize> {
    if text.starts_with("<!--") {
        return Some(text.find("-->").map_or(text.len(), |at| at + 3));
    }
    let begins = |name: &str| text.get(1..=name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let name = ["script", "style"].into_iter().find(|name| begins(name))?;
    let closes =
        |at: &usize| text.get(at + 2..at + 2 + name.len()).is_some_and(|close| close.eq_ignore_ascii_case(name));
    Some(text.match_indices("</").map(|(at, _)| at).find(closes).unwrap_or(text.len()))
}

/// Where a tag ends: after the first `>` outside quotes.
pub(crate) fn tag_end(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
        // A quote that is never closed would swallow the page.
        if at > 4_000 {
            break;
        }
    }
    text.find('>').map_or(text.len(), |at| at + 1)
}

/// An attribute that names an element, and the source around it.
pub(crate) struct NameAttribute<'a> {
    pub(crate) before: &'a str,
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    pub(crate) after: &'a str,
}

/// The next class, id, role or itemprop attribute with a quoted value.
pub(crate) fn next_name_attribute(text: &str) -> Option<NameAttribute<'_>> {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = text[from..].find('=').map(|at| from + at) {
        from = at + 1;
        let key_start = text[..at].rfind(|byte: char| byte.is_ascii_whitespace()).map_or(0, |start| start + 1);
        let key = &text[key_start..at];
        let quote = bytes.get(at + 1).copied().filter(|byte| matches!(byte, b'"' | b'\''));
        let Some(quote) = quote else { continue };
        let length = text[at + 2..].find(quote as char)?;
        let end = at + 2 + length;
        if ["class", "id", "role", "itemprop"].iter().any(|name| key.eq_ignore_ascii_case(name)) {
            let (before, after) = (&text[..key_start], &text[end + 1..]);
            return Some(NameAttribute { before, key, value: &text[at + 2..end], after });
        }
        from = end + 1;
    }
    None
}

/// The quoted values of the class, id, role and itemprop attributes of a tag.
pub(crate) fn name_attributes(tag: &str) -> impl Iterator<Item = &str> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        let attribute = next_name_attribute(rest)?;
        rest = attribute.after;
        Some(attribute.value)
    })
}
