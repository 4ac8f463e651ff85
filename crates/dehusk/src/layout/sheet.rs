//! The style sheets in a page, read into rules: selectors of names, classes and ids, and the declarations that matter.
//!
//! Selectors with attributes, pseudo-classes or siblings are left out with their rule, as are rules for print and imports:
//! what is not understood must not apply to everything. One pass over the text, no recursion, bounded work.

use super::declaration::{Declaration, append_declarations};
use crate::dom::{Document, Name};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// More rules of a page are left out; the largest sheets of real pages have about 10,000.
const MOST_SELECTORS: usize = 50_000;
/// Selectors with more parts, or parts with more names, are left out.
const MOST_PARTS: usize = 8;

/// One part of a selector, such as `div.menu#top`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Part {
    /// Hashes of names, 0 for none.
    pub(super) tag: u64,
    pub(super) id: u64,
    pub(super) classes: Vec<u64>,
    /// Whether it is the parent of what the next part matches, not just an ancestor.
    pub(super) is_parent: bool,
}

/// A selector and where its declarations are.
#[derive(Clone, Debug)]
pub(super) struct Selector {
    /// From the outermost to the element itself.
    pub(super) parts: Vec<Part>,
    pub(super) specificity: u32,
    pub(super) declarations: Range<u32>,
}

/// All rules of a page, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    pub(super) selectors: Vec<Selector>,
    pub(super) declarations: Vec<Declaration>,
}

/// A class or id as selectors compare it.
pub(super) fn key(text: &str) -> u64 {
    xxh3_64(text.as_bytes()) | 1
}

/// The name of an element as selectors compare it.
pub(super) fn tag_key(text: &str) -> u64 {
    key(&text.to_ascii_lowercase())
}

impl Sheet {
    /// Reads all `<style>` elements of a page.
    pub(super) fn of(document: &Document) -> Sheet {
        let mut sheet = Sheet::default();
        for id in document.ids().filter(|id| document.html_name(*id) == Name::STYLE) {
            let is_screen = document.attribute(id, Name::MEDIA).is_none_or(is_screen);
            for text in document.children(id).filter(|_| is_screen) {
                sheet.append(document.text(text));
            }
        }
        sheet
    }

    /// Reads a sheet.
    fn append(&mut self, text: &str) {
        let mut rest = Scanner { text, at: 0 };
        // For each open group such as `@media`, whether its rules count.
        let mut groups: Vec<bool> = Vec::new();
        while let Some((prelude, end)) = rest.prelude() {
            let counts = groups.last().copied().unwrap_or(true);
            match end {
                b'{' if prelude.starts_with('@') => match is_group(prelude) {
                    true => groups.push(counts && group_counts(prelude)),
                    false => {
                        rest.block();
                    }
                },
                b'{' => {
                    let block = rest.block();
                    if counts {
                        self.append_rule(prelude, block);
                    }
                }
                b'}' => {
                    groups.pop();
                }
                _ => {}
            }
            if self.selectors.len() >= MOST_SELECTORS {
                return;
            }
        }
    }

    fn append_rule(&mut self, selectors: &str, block: &str) {
        let start = self.declarations.len() as u32;
        append_declarations(block, &mut self.declarations);
        let declarations = start..self.declarations.len() as u32;
        if declarations.is_empty() {
            return;
        }
        let left = MOST_SELECTORS - self.selectors.len();
        for parts in selectors.split(',').filter_map(parts).take(left) {
            let count =
                |part: &Part| ((part.id != 0) as u32) << 16 | (part.classes.len() as u32) << 8 | (part.tag != 0) as u32;
            let specificity = parts.iter().map(count).sum();
            self.selectors.push(Selector { parts, specificity, declarations: declarations.clone() });
        }
    }
}

/// Whether a group holds rules, not declarations as `@font-face` does.
fn is_group(prelude: &str) -> bool {
    let name = prelude.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    ["@media", "@supports", "@layer", "@document", "@container"].iter().any(|group| name.eq_ignore_ascii_case(group))
}

fn group_counts(prelude: &str) -> bool {
    match prelude.get(..6) {
        Some(start) if start.eq_ignore_ascii_case("@media") => is_screen(&prelude[6..]),
        Some(start) => !start.eq_ignore_ascii_case("@docum"),
        None => true,
    }
}

/// Whether a list of media holds for a window of the width pages are laid out for.
fn is_screen(media: &str) -> bool {
    let lower = media.to_ascii_lowercase();
    lower.split(',').any(|query| {
        let type_counts = !["print", "speech", "handheld", "aural", "tty", "projection", "not "]
            .iter()
            .any(|other| query.trim_start().starts_with(other));
        type_counts && query.split("and").all(feature_holds)
    })
}

fn feature_holds(feature: &str) -> bool {
    let feature = feature.trim().trim_start_matches('(').trim_end_matches(')');
    let Some((name, value)) = feature.split_once(':') else { return true };
    let pixels = || {
        let value = value.trim();
        let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let scale = if value.ends_with("em") { 16.0 } else { 1.0 };
        number.parse::<f32>().ok().map(|number| number * scale)
    };
    match name.trim() {
        "min-width" => pixels().is_none_or(|least| least <= super::VIEWPORT_WIDTH),
        "max-width" => pixels().is_none_or(|most| most >= super::VIEWPORT_WIDTH),
        "max-device-width" => pixels().is_none_or(|most| most >= super::VIEWPORT_WIDTH),
        "orientation" => value.trim() == "landscape",
        "prefers-color-scheme" => value.trim() == "light",
        _ => true,
    }
}

/// The parts of one selector, or nothing where it says more than is understood.
fn parts(selector: &str) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut child = false;
    // Only the combinator `>` stands for itself; others are refused with their part.
    for word in selector.split_inclusive('>').flat_map(|piece| {
        let (piece, mark) = piece.strip_suffix('>').map_or((piece, ""), |piece| (piece, ">"));
        piece.split_ascii_whitespace().chain(std::iter::once(mark))
    }) {
        match word {
            "" => {}
            ">" => {
                parts.last_mut()?.is_parent = true;
                child = true;
            }
            _ => {
                parts.push(part(word)?);
                child = false;
            }
        }
        if parts.len() > MOST_PARTS {
            return None;
        }
    }
    (!child && !parts.is_empty()).then_some(parts)
}

fn part(text: &str) -> Option<Part> {
    let mut part = Part::default();
    let mut rest = text;
    let is_mark = |c: char| c == '.' || c == '#';
    let name_end = rest.find(is_mark).unwrap_or(rest.len());
    let name = &rest[..name_end];
    if !name.is_empty() && name != "*" {
        part.tag = tag_key(plain(name)?);
    }
    rest = &rest[name_end..];
    while let Some(mark) = rest.chars().next() {
        let end = rest[1..].find(is_mark).map_or(rest.len(), |end| end + 1);
        let name = key(plain(&rest[1..end])?);
        match mark {
            '#' => part.id = name,
            _ if part.classes.len() < MOST_PARTS => part.classes.push(name),
            _ => return None,
        }
        rest = &rest[end..];
    }
    Some(part)
}

/// A name without anything that has a meaning of its own in selectors.
fn plain(name: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_' || !c.is_ascii();
    (!name.is_empty() && name.chars().all(is_plain)).then_some(name)
}

/// Goes over the text of a sheet.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// What stands before the next `{`, `}` or `;`, without comments at its ends, and which of them it is.
    fn prelude(&mut self) -> Option<(&'a str, u8)> {
        let mut start = self.at;
        while let Some(byte) = self.text.as_bytes().get(self.at).copied() {
            match byte {
                b'/' if self.text[self.at..].starts_with("/*") => {
                    let before = self.text[start..self.at].trim();
                    self.skip_comment();
                    if before.is_empty() || before == "<!--" || before == "-->" {
                        start = self.at;
                    }
                }
                b'"' | b'\'' => self.skip_string(byte),
                b'{' | b'}' | b';' => {
                    let prelude = &self.text[start..self.at];
                    self.at += 1;
                    let prelude = prelude.trim().trim_start_matches("<!--").trim_start_matches("-->").trim();
                    return Some((prelude, byte));
                }
                _ => self.at += 1,
            }
        }
        None
    }

    /// What stands up to the `}` that closes the block just opened. Nested blocks, which no property has, are part of it.
    fn block(&mut self) -> &'a str {
        let start = self.at;
        let mut depth = 0;
        while let Some(byte) = self.text.as_bytes().get(self.at).copied() {
            match byte {
                b'/' if self.text[self.at..].starts_with("/*") => {
                    self.skip_comment();
                    continue;
                }
                b'"' | b'\'' => {
                    self.skip_string(byte);
                    continue;
                }
                b'{' => depth += 1,
                b'}' if depth == 0 => {
                    self.at += 1;
                    return &self.text[start..self.at - 1];
                }
                b'}' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        &self.text[start..]
    }

    fn skip_comment(&mut self) {
        let rest = &self.text[self.at + 2..];
        self.at = rest.find("*/").map_or(self.text.len(), |end| self.at + 2 + end + 2);
    }

    /// Skips a string; one that is not closed ends with its line.
    fn skip_string(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.text.as_bytes().get(self.at).copied() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'\n' => return,
                _ if byte == quote => return,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::declaration::{Property, Value};
    use super::*;

    fn sheet(text: &str) -> Sheet {
        let mut sheet = Sheet::default();
        sheet.append(text);
        sheet
    }

    #[test]
    fn rules_are_read_and_what_is_not_understood_is_left_out() {
        let text = "<!-- @import 'x.css'; /* { */ div.menu > ul#top , a:hover, p ~ q, [x] { width: 10px; content: '}' }
            @media print { div { width: 1px } } @media screen and (min-width: 600px) { p { width: 2px } }
            @media (max-width: 600px) { p { width: 3px } } @font-face { width: 4px } i { width: 5px -->";
        let sheet = sheet(text);
        let widths: Vec<Value> =
            sheet.declarations.iter().filter(|one| one.property == Property::Width).map(|one| one.value).collect();
        assert_eq!(widths, [Value::Px(10.0), Value::Px(2.0)]);
        let first = &sheet.selectors[0];
        assert_eq!(first.parts.len(), 2);
        assert!(first.parts[0].is_parent && first.parts[1].id == key("top"));
        assert_eq!(first.specificity, 1 << 16 | 1 << 8 | 2);
        assert_eq!(sheet.selectors.len(), 2);
    }

    #[test]
    fn damaged_sheets_end() {
        for text in
            ["{{{{", "}}}}", "/*", "'", "a{", "@media{", "a{'\\", "é{width:1px}", "a{b:'é\\", "@media ", "a,,{}"]
        {
            sheet(text);
        }
        let deep = "@media screen{".repeat(100_000) + &"a{width:1px}".repeat(10);
        assert_eq!(sheet(&deep).selectors.len(), 10);
        let many = "a{width:1px}".repeat(MOST_SELECTORS + 5);
        assert_eq!(sheet(&many).selectors.len(), MOST_SELECTORS);
    }
}
