//! Copies of pages whose names say nothing: classes and ids become arbitrary words, landmarks become `<div>`.
//!
//! A model that learns from such copies, too, relies less on names, and does better on sites with hashed class names or none.

use dehusk::dom::hash::mix;
use xxhash_rust::xxh3::xxh3_64;

/// Elements that say what they are for.
const LANDMARKS: [&str; 8] = ["article", "main", "section", "nav", "header", "footer", "aside", "figure"];

/// The page with other class names and ids, and in every other page without landmarks. Works on the text of the page, so that everything
/// else stays as it is.
pub(crate) fn rename_page(html: &str, seed: u64) -> String {
    let removes_landmarks = mix(seed, 1).is_multiple_of(2);
    let removes_names = mix(seed, 2).is_multiple_of(3);
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        if let Some(end) = raw_end(rest) {
            // The contents of scripts and comments are not tags.
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let end = tag_end(rest);
        rename_tag(&rest[..end], seed, removes_landmarks, removes_names, &mut out);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Where a comment, script or style ends, if one begins here.
fn raw_end(text: &str) -> Option<usize> {
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
fn tag_end(text: &str) -> usize {
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

fn rename_tag(tag: &str, seed: u64, removes_landmarks: bool, removes_names: bool, out: &mut String) {
    let name_start = if tag.starts_with("</") { 2 } else { 1 };
    let name_end =
        tag[name_start..].find(|byte: char| !byte.is_ascii_alphanumeric()).map_or(tag.len(), |at| name_start + at);
    let name = &tag[name_start..name_end];
    let is_landmark = LANDMARKS.iter().any(|landmark| name.eq_ignore_ascii_case(landmark));
    out.push_str(&tag[..name_start]);
    out.push_str(if removes_landmarks && is_landmark { "div" } else { name });
    let mut rest = &tag[name_end..];
    while let Some((before, attribute, after)) = next_name_attribute(rest) {
        let (key, value) = attribute;
        out.push_str(before);
        if !removes_names {
            out.push_str(key);
            out.push_str("=\"");
            for (number, word) in value.split_ascii_whitespace().enumerate() {
                if number > 0 {
                    out.push(' ');
                }
                out.push_str(&other_word(word, seed));
            }
            out.push('"');
        }
        rest = after;
    }
    out.push_str(rest);
}

/// What is before the next class, id, role or itemprop attribute with a quoted value, the attribute, and what is after it.
#[allow(clippy::type_complexity)]
fn next_name_attribute(text: &str) -> Option<(&str, (&str, &str), &str)> {
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

/// Another word for a word, the same for the same word of a page, like the class names that build tools make.
fn other_word(word: &str, seed: u64) -> String {
    let mut hash = mix(xxh3_64(word.as_bytes()), seed);
    let mut other = String::from("c");
    for _ in 0..6 {
        other.push(char::from(b'a' + (hash % 26) as u8));
        hash /= 26;
    }
    other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_and_everything_else_stays() {
        let page = "<nav class=\"menu top\" data-x='a=\"b\"'>A &lt; b</nav><script>if (a < b) {}</script><p id='menu'>x</p><!-- <nav> -->";
        for seed in 0..12 {
            let renamed = rename_page(page, seed);
            assert!(!renamed.contains("menu"), "{renamed}");
            assert!(renamed.contains("if (a < b) {}") && renamed.contains("<!-- <nav> -->"), "{renamed}");
            assert!(renamed.contains("A &lt; b") && renamed.contains("data-x='a=\"b\"'"), "{renamed}");
        }
        assert_eq!(other_word("menu", 3), other_word("menu", 3));
        assert_ne!(other_word("menu", 3), other_word("menu", 4));
    }

    #[test]
    fn damaged_tags_are_kept() {
        for page in [
            "<",
            "<p class=\"x",
            "<p class='",
            "a < b",
            "<!-- x",
            "<script>",
            "</",
            "<p class=>x",
            "<p id=a class=\"é\">é",
        ] {
            rename_page(page, 0);
        }
    }
}
