//! Character references: `&amp;`, `&#8212;`, `&#x2014;`.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// A decoded reference: its one or two characters and its length in bytes after the `&`.
pub(crate) struct CharacterReference {
    pub(crate) first: char,
    pub(crate) second: Option<char>,
    pub(crate) length: usize,
}

/// Reads the reference that starts after an `&`. `None` if the `&` is just an ampersand.
pub(crate) fn read(after: &[u8], in_attribute: bool) -> Option<CharacterReference> {
    match after.first()? {
        b'#' => numeric(after),
        byte if byte.is_ascii_alphanumeric() => named(after, in_attribute),
        _ => None,
    }
}

fn one(first: char, length: usize) -> Option<CharacterReference> {
    Some(CharacterReference { first, second: None, length })
}

fn numeric(after: &[u8]) -> Option<CharacterReference> {
    let hexadecimal = matches!(after.get(1), Some(b'x' | b'X'));
    let (radix, digits) = if hexadecimal { (16, 2) } else { (10, 1) };
    let mut number: u32 = 0;
    let mut at = digits;
    while let Some(digit) = after.get(at).and_then(|byte| (*byte as char).to_digit(radix)) {
        // A page may write any number of digits; a number that is too large becomes U+FFFD below.
        number = number.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == digits {
        return None;
    }
    if after.get(at) == Some(&b';') {
        at += 1;
    }
    let character = match number {
        0 => '\u{fffd}',
        // Old pages number characters as in windows-1252, and the standard reads them that way.
        0x80..=0x9f => C1_REPLACEMENTS[(number - 0x80) as usize].unwrap_or(char::from_u32(number)?),
        _ => char::from_u32(number).unwrap_or('\u{fffd}'),
    };
    one(character, at)
}

fn named(after: &[u8], in_attribute: bool) -> Option<CharacterReference> {
    // These are most of the references on real pages; the table below takes one hash per letter. They end in `;`, so the exception for
    // attributes below does not concern them.
    for (name, character) in [(&b"amp;"[..], '&'), (b"nbsp;", '\u{a0}'), (b"quot;", '"'), (b"lt;", '<'), (b"gt;", '>')]
    {
        if after.starts_with(name) {
            return one(character, name.len());
        }
    }
    let mut best = None;
    let mut length = 0;
    // The table contains every prefix of every name; a prefix that is not a name itself has the value (0, 0).
    while after.get(length).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b';') {
        length += 1;
        let Some(entry) = std::str::from_utf8(&after[..length]).ok().and_then(|name| NAMED_ENTITIES.get(name)) else {
            break;
        };
        if entry.0 != 0 {
            best = Some((length, *entry));
        }
    }
    let (length, (first, second)) = best?;
    if in_attribute && after[length - 1] != b';' {
        // `?a=1&copy=2` in a link is not a copyright sign.
        let next = after.get(length).copied().unwrap_or(b' ');
        if next == b'=' || next.is_ascii_alphanumeric() {
            return None;
        }
    }
    Some(CharacterReference {
        first: char::from_u32(first)?,
        second: (second != 0).then(|| char::from_u32(second)).flatten(),
        length,
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    fn decode(text: &str, in_attribute: bool) -> Option<(String, usize)> {
        read(text.as_bytes(), in_attribute).map(|reference| {
            let mut out = String::from(reference.first);
            out.extend(reference.second);
            (out, reference.length)
        })
    }

    #[test]
    fn reads_the_longest_name() {
        assert_eq!(decode("notin;x", false), Some(("\u{2209}".into(), 6)));
        assert_eq!(decode("notit;", false), Some(("\u{ac}".into(), 3)));
        assert_eq!(decode("notit;", true), None);
        assert_eq!(decode("copy=1", true), None);
        assert_eq!(decode("copy=1", false), Some(("\u{a9}".into(), 4)));
        assert_eq!(decode("nosuch;", false), None);
        assert_eq!(decode("NotEqualTilde;", false), Some(("\u{2242}\u{338}".into(), 14)));
    }

    #[test]
    fn reads_numbers_as_browsers_do() {
        assert_eq!(decode("#x80;", false), Some(("\u{20ac}".into(), 5)));
        assert_eq!(decode("#0", false), Some(("\u{fffd}".into(), 2)));
        assert_eq!(decode("#99999999999", false), Some(("\u{fffd}".into(), 12)));
        assert_eq!(decode("#xD800;", false), Some(("\u{fffd}".into(), 7)));
        assert_eq!(decode("#x", false), None);
        assert_eq!(decode("#", false), None);
    }
}
