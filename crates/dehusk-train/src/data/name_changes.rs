//! Copies of pages with other names: classes and ids become arbitrary words or are removed, landmarks become `<div>`.
//!
//! A model that also learns from such copies relies less on names, and does better on sites with generated class names or none. Takes and
//! returns the source of a page; everything but the names stays as it is.

use crate::data::source_tags::{NameAttribute, next_name_attribute, raw_end, tag_end};
use dehusk::dom::hash::mix;
use xxhash_rust::xxh3::xxh3_64;

/// Elements whose names say what they are for.
const LANDMARKS: [&str; 8] = ["article", "main", "section", "nav", "header", "footer", "aside", "figure"];

/// The page with arbitrary class names and ids, or in one of three pages without any, and in every other page without landmarks.
pub(crate) fn with_arbitrary_names(html: &str, seed: u64) -> String {
    let names = if mix(seed, 2).is_multiple_of(3) { Names::Removed } else { Names::Renamed };
    rewrite(html, seed, mix(seed, 1).is_multiple_of(2), names)
}

/// A change of the names in a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameChange {
    /// No element has a class or id.
    Removed,
    /// Classes and ids are arbitrary words.
    Renamed,
    /// Landmarks are `div` elements.
    NoLandmarks,
}

/// The page with other names, for measurements.
#[must_use]
pub fn change_names(html: &str, change: NameChange, seed: u64) -> String {
    match change {
        NameChange::Removed => rewrite(html, seed, false, Names::Removed),
        NameChange::Renamed => rewrite(html, seed, false, Names::Renamed),
        NameChange::NoLandmarks => rewrite(html, seed, true, Names::Same),
    }
}

/// What happens to class names and ids.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Same,
    Renamed,
    Removed,
}

fn rewrite(html: &str, seed: u64, removes_landmarks: bool, names: Names) -> String {
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
        rename_tag(&rest[..end], seed, removes_landmarks, names, &mut out);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

fn rename_tag(tag: &str, seed: u64, removes_landmarks: bool, names: Names, out: &mut String) {
    let name_start = if tag.starts_with("</") { 2 } else { 1 };
    let name_end =
        tag[name_start..].find(|byte: char| !byte.is_ascii_alphanumeric()).map_or(tag.len(), |at| name_start + at);
    let name = &tag[name_start..name_end];
    let is_landmark = LANDMARKS.iter().any(|landmark| name.eq_ignore_ascii_case(landmark));
    out.push_str(&tag[..name_start]);
    out.push_str(if removes_landmarks && is_landmark { "div" } else { name });
    let mut rest = &tag[name_end..];
    while let Some(NameAttribute { before, key, value, after }) = next_name_attribute(rest) {
        out.push_str(before);
        if names != Names::Removed {
            let words = value.split_ascii_whitespace().map(|word| match names {
                Names::Renamed => other_word(word, seed),
                _ => word.to_string(),
            });
            let quote = if value.contains('"') { '\'' } else { '"' };
            out.push_str(&format!("{key}={quote}{}{quote}", words.collect::<Vec<_>>().join(" ")));
        }
        rest = after;
    }
    out.push_str(rest);
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
            let renamed = with_arbitrary_names(page, seed);
            assert!(!renamed.contains("menu"), "{renamed}");
            assert!(renamed.contains("if (a < b) {}") && renamed.contains("<!-- <nav> -->"), "{renamed}");
            assert!(renamed.contains("A &lt; b") && renamed.contains("data-x='a=\"b\"'"), "{renamed}");
        }
        assert_eq!(other_word("menu", 3), other_word("menu", 3));
        assert_ne!(other_word("menu", 3), other_word("menu", 4));
    }

    #[test]
    fn each_change_does_its_own_part_only() {
        let page = "<main class='a b'><p id=\"c\">x</p></main>";
        assert_eq!(change_names(page, NameChange::Removed, 1), "<main ><p >x</p></main>");
        assert_eq!(change_names(page, NameChange::NoLandmarks, 1), "<div class=\"a b\"><p id=\"c\">x</p></div>");
        let [a, b, c] = ["a", "b", "c"].map(|word| other_word(word, 1));
        let renamed = format!("<main class=\"{a} {b}\"><p id=\"{c}\">x</p></main>");
        assert_eq!(change_names(page, NameChange::Renamed, 1), renamed);
    }

    /// Tags that do not end, and quotes that are never closed: what is no attribute stays as it is, byte by byte.
    #[test]
    fn damaged_tags_are_kept() {
        let pages = [
            "<",
            "a < b",
            "</",
            "<!-- x",
            "<script>",
            "<p class=\"x",
            "<p class='",
            "<p class=>x",
            "<p é",
            "<nav",
            "<p\u{2028}>",
        ];
        for page in pages {
            for seed in 0..12 {
                let kept = page.replace("nav", "div");
                let found = with_arbitrary_names(page, seed);
                assert!(found == page || found == kept, "{page:?} became {found:?}");
            }
            assert_eq!(change_names(page, NameChange::Removed, 0), page);
        }
        assert_eq!(change_names("<p id=a class=\"é\">é", NameChange::Removed, 0), "<p id=a >é");
    }
}
