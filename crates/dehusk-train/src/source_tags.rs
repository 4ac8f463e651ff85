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

/// What is before the next class, id, role or itemprop attribute with a quoted value, the attribute, and what is after it.
#[allow(clippy::type_complexity)]
pub(crate) fn next_name_attribute(text: &str) -> Option<(&str, (&str, &str), &str)> {
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
            return Some((&text[..key_start], (key, &text[at + 2..end]), &text[end + 1..]));
        }
        from = end + 1;
    }
    None
}

/// The class, id, role and itemprop attributes of a tag that have a quoted value.
pub(crate) fn name_attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        let (_, attribute, after) = next_name_attribute(rest)?;
        rest = after;
        Some(attribute)
    })
}
