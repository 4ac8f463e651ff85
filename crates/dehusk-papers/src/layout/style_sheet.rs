//! Parses the style sheets in a page into selectors of names, classes and ids, and the declarations the layout uses.
//!
//! Selectors with attributes, pseudo-classes other than `:link` or sibling combinators are skipped, as are rules for print and
//! imports: a rule that is not understood must not apply to every element. One pass over the text, no recursion, bounded work.

use super::declaration::{Declaration, append_declarations};
use crate::dom::{Document, Name};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// The maximum number of selectors of a page that change sizes, and of those that change only colours and the like. The largest
/// style sheets of real pages have about 10,000.
const MAX_SELECTORS: usize = 50_000;
/// The maximum number of declarations of a page: 20 MB. The largest style sheets of real pages have about 50,000; without a limit, blocks of
/// `margin:0` take seven times their size.
const MAX_DECLARATIONS: usize = 1_000_000;
/// The maximum number of compounds of a selector, and of classes of a compound. Selectors with more are skipped.
const MAX_COMPOUNDS: usize = 8;

/// A compound selector, such as `div.menu#top`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Compound {
    /// The hash of the element name, or 0 if there is none.
    pub(super) tag: u64,
    /// The hash of the id, or 0 if there is none.
    pub(super) id: u64,
    /// The hashes of the classes.
    pub(super) classes: Vec<u64>,
    /// Whether it must match the parent of the next compound's element, not just an ancestor.
    pub(super) is_parent: bool,
}

/// A selector and the range of its declarations.
#[derive(Clone, Debug)]
pub(super) struct Selector {
    /// From the outermost to the element itself.
    pub(super) compounds: Vec<Compound>,
    /// All names of the compounds but the last one, as a Bloom filter.
    pub(super) ancestor_bits: u64,
    pub(super) specificity: u32,
    pub(super) declarations: Range<u32>,
    /// Whether the declarations change only what boxes look like. Such selectors have limits of their own, so that colours never
    /// cost a page its layout.
    pub(super) is_paint_only: bool,
}

/// All selectors and declarations of a page, in order.
#[derive(Clone, Debug)]
pub(super) struct StyleSheet {
    pub(super) selectors: Vec<Selector>,
    pub(super) declarations: Vec<Declaration>,
    /// How many more selectors may be read: those that change sizes, and those that change only colours and the like.
    left: [usize; 2],
}

impl Default for StyleSheet {
    fn default() -> StyleSheet {
        StyleSheet { selectors: Vec::new(), declarations: Vec::new(), left: [MAX_SELECTORS; 2] }
    }
}

/// The hash of a class or id.
pub(super) fn key(text: &str) -> u64 {
    xxh3_64(text.as_bytes()) | 1
}

/// The bit of a name in a Bloom filter. Most pages have links everywhere, so `:link` has none.
pub(super) fn bit(name: u64) -> u64 {
    if name == 0 || name == LINK { 0 } else { 1 << (name >> 58) }
}

fn bits(compound: &Compound) -> u64 {
    compound.classes.iter().fold(bit(compound.tag) | bit(compound.id), |all, class| all | bit(*class))
}

/// The key of the pseudo-class `:link`, which is treated as a class that links have.
pub(super) const LINK: u64 = 2;

/// The hash of an element name, which is compared without case.
pub(super) fn tag_key(text: &str) -> u64 {
    key(&text.to_ascii_lowercase())
}

impl StyleSheet {
    /// Reads all `<style>` elements of a page.
    pub(super) fn of(document: &Document) -> StyleSheet {
        let mut sheet = StyleSheet::default();
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
        // For each open group such as `@media`, whether its rules apply.
        let mut groups: Vec<bool> = Vec::new();
        while let Some((prelude, end)) = rest.prelude() {
            let applies = groups.last().copied().unwrap_or(true);
            match end {
                b'{' if prelude.starts_with('@') => match is_group(prelude) {
                    true => groups.push(applies && group_applies(prelude)),
                    false => {
                        rest.block();
                    }
                },
                b'{' => {
                    let block = rest.block();
                    if applies {
                        self.append_rule(prelude, block);
                    }
                }
                b'}' => {
                    groups.pop();
                }
                _ => {}
            }
            if self.left[0] == 0 || self.declarations.len() > MAX_DECLARATIONS {
                return;
            }
        }
    }

    fn append_rule(&mut self, selectors: &str, block: &str) {
        let start = self.declarations.len() as u32;
        append_declarations(block, &mut self.declarations);
        let own = &mut self.declarations[start as usize..];
        if own.is_empty() {
            return;
        }
        own.sort_by_key(|declaration| declaration.property.is_paint_only());
        let sizes = own.partition_point(|declaration| !declaration.property.is_paint_only());
        let (middle, end) = (start + sizes as u32, self.declarations.len() as u32);
        for compounds in selectors.split(',').filter_map(parse_selector) {
            // Of a rule with `:link`, only colours and the like apply.
            let has_link = compounds.iter().any(|compound| compound.classes.contains(&LINK));
            let declarations = if has_link { middle..end } else { start..end };
            let is_paint_only = declarations.start >= middle;
            let left = &mut self.left[usize::from(is_paint_only)];
            if declarations.is_empty() || *left == 0 {
                continue;
            }
            *left -= 1;
            let specificity = compounds.iter().map(specificity).sum();
            let outer = &compounds[..compounds.len() - 1];
            let ancestor_bits = outer.iter().fold(0, |all, compound| all | bits(compound));
            self.selectors.push(Selector { compounds, ancestor_bits, specificity, declarations, is_paint_only });
        }
    }

    /// The declarations of a selector. All selectors of a rule share them.
    pub(super) fn declarations(&self, selector: &Selector) -> &[Declaration] {
        &self.declarations[selector.declarations.start as usize..selector.declarations.end as usize]
    }
}

fn specificity(compound: &Compound) -> u32 {
    let (has_id, has_tag) = (compound.id != 0, compound.tag != 0);
    u32::from(has_id) << 16 | (compound.classes.len() as u32) << 8 | u32::from(has_tag)
}

/// Returns whether an at-rule contains rules, not declarations as `@font-face` does.
fn is_group(prelude: &str) -> bool {
    let name = prelude.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    ["@media", "@supports", "@layer", "@document", "@container"].iter().any(|group| name.eq_ignore_ascii_case(group))
}

fn group_applies(prelude: &str) -> bool {
    match prelude.get(..6) {
        Some(start) if start.eq_ignore_ascii_case("@media") => is_screen(&prelude[6..]),
        Some(start) => !start.eq_ignore_ascii_case("@docum"),
        None => true,
    }
}

/// Returns whether a list of media queries holds for the window that pages are laid out for.
fn is_screen(media: &str) -> bool {
    let lower = media.to_ascii_lowercase();
    lower.split(',').any(|query| {
        let is_screen_type = !["print", "speech", "handheld", "aural", "tty", "projection", "not "]
            .iter()
            .any(|other| query.trim_start().starts_with(other));
        is_screen_type && conditions(query).all(feature_holds)
    })
}

/// The conditions of a media query, which are joined by the word `and`. The letters may also be part of a value: `landscape`.
fn conditions(query: &str) -> impl Iterator<Item = &str> {
    const AND: &str = "and";
    let is_name = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
    let is_word = move |at: &usize| !query[..*at].ends_with(is_name) && !query[*at + AND.len()..].starts_with(is_name);
    let ends = query.match_indices(AND).map(|(at, _)| at).filter(is_word).chain(std::iter::once(query.len()));
    let mut start = 0;
    ends.map(move |end| {
        let condition = &query[start..end];
        start = end + AND.len();
        condition
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
        "min-width" => pixels().is_none_or(|min| min <= dehusk::layout::VIEWPORT_WIDTH),
        "max-width" => pixels().is_none_or(|max| max >= dehusk::layout::VIEWPORT_WIDTH),
        "max-device-width" => pixels().is_none_or(|max| max >= dehusk::layout::VIEWPORT_WIDTH),
        "orientation" => value.trim() == "landscape",
        "prefers-color-scheme" => value.trim() == "light",
        _ => true,
    }
}

/// Parses one selector into its compounds, or returns `None` if it is not understood.
fn parse_selector(selector: &str) -> Option<Vec<Compound>> {
    let mut compounds: Vec<Compound> = Vec::new();
    let mut child = false;
    // `>` needs no white space around it. Other combinators are rejected as names.
    for word in selector.split_inclusive('>').flat_map(|piece| {
        let (piece, combinator) = piece.strip_suffix('>').map_or((piece, ""), |piece| (piece, ">"));
        piece.split_ascii_whitespace().chain(std::iter::once(combinator))
    }) {
        match word {
            "" => {}
            ">" => {
                compounds.last_mut()?.is_parent = true;
                child = true;
            }
            _ => {
                compounds.push(parse_compound(word)?);
                child = false;
            }
        }
        if compounds.len() > MAX_COMPOUNDS {
            return None;
        }
    }
    (!child && !compounds.is_empty()).then_some(compounds)
}

fn parse_compound(text: &str) -> Option<Compound> {
    let mut compound = Compound::default();
    let mut rest = text;
    let is_mark = |c: char| matches!(c, '.' | '#' | ':');
    let name_end = rest.find(is_mark).unwrap_or(rest.len());
    let name = &rest[..name_end];
    if !name.is_empty() && name != "*" {
        compound.tag = tag_key(plain(name)?);
    }
    rest = &rest[name_end..];
    while let Some(mark) = rest.chars().next() {
        let end = rest[1..].find(is_mark).map_or(rest.len(), |end| end + 1);
        let name = match plain(&rest[1..end])? {
            "link" if mark == ':' => LINK,
            _ if mark == ':' => return None,
            name => key(name),
        };
        match mark {
            '#' => compound.id = name,
            _ if compound.classes.len() < MAX_COMPOUNDS => compound.classes.push(name),
            _ => return None,
        }
        rest = &rest[end..];
    }
    Some(compound)
}

/// The name, or `None` if it contains a character with a meaning in selectors.
fn plain(name: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_' || !c.is_ascii();
    (!name.is_empty() && name.chars().all(is_plain)).then_some(name)
}

/// Scans the text of a style sheet.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// The text before the next `{`, `}` or `;`, without leading comments, and that character.
    fn prelude(&mut self) -> Option<(&'a str, u8)> {
        let mut start = self.at;
        // Only the text before the first comment that is not a leading one is looked at, so no text is looked at twice.
        let mut is_leading = true;
        while let Some(byte) = self.text.as_bytes().get(self.at).copied() {
            match byte {
                b'/' if self.text[self.at..].starts_with("/*") => {
                    is_leading = is_leading && matches!(self.text[start..self.at].trim(), "" | "<!--" | "-->");
                    self.skip_comment();
                    if is_leading {
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

    /// The content of the block just opened, up to its closing `}`. Nested blocks are part of it.
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

    /// Skips a string. An unclosed string ends with its line.
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

    fn sheet(text: &str) -> StyleSheet {
        let mut sheet = StyleSheet::default();
        sheet.append(text);
        sheet
    }

    #[test]
    fn rules_are_read_and_unsupported_ones_skipped() {
        let text = "<!-- @import 'x.css'; /* { */ div.menu > ul#top , a:hover, p ~ q, [x] { width: 10px; content: '}' }
            @media print { div { width: 1px } } @media screen and (min-width: 600px) { p { width: 2px } }
            @media (max-width: 600px) { p { width: 3px } } @font-face { width: 4px } i { width: 5px -->";
        let sheet = sheet(text);
        let widths: Vec<Value> =
            sheet.declarations.iter().filter(|one| one.property == Property::Width).map(|one| one.value).collect();
        assert_eq!(widths, [Value::Px(10.0), Value::Px(2.0)]);
        let first = &sheet.selectors[0];
        assert_eq!(first.compounds.len(), 2);
        assert!(first.compounds[0].is_parent && first.compounds[1].id == key("top"));
        assert_eq!(first.specificity, 1 << 16 | 1 << 8 | 2);
        assert_eq!(sheet.selectors.len(), 2);
    }

    #[test]
    fn media_queries_are_split_at_the_word_and_only() {
        for media in [
            "(orientation: landscape)",
            "screen and (orientation: landscape) and (min-width: 600px)",
            "print, (orientation:landscape)and(min-width:600px)",
            "(display-mode: standalone)",
            "",
        ] {
            assert!(is_screen(media), "{media}");
        }
        for media in [
            "(orientation: portrait)",
            "(orientation: landscape) and (max-width: 600px)",
            "screen and (orientation: landscape) and (min-width: 2000px)",
            "handheld",
        ] {
            assert!(!is_screen(media), "{media}");
        }
    }

    #[test]
    fn damaged_sheets_are_read() {
        for text in
            ["{{{{", "}}}}", "/*", "'", "a{", "@media{", "a{'\\", "é{width:1px}", "a{b:'é\\", "@media ", "a,,{}"]
        {
            sheet(text);
        }
        let deep = "@media screen{".repeat(100_000) + &"a{width:1px}".repeat(10);
        assert_eq!(sheet(&deep).selectors.len(), 10);
        let many = "a{color:red}".repeat(MAX_SELECTORS + 5) + &"a{width:1px}".repeat(MAX_SELECTORS + 5);
        assert_eq!(sheet(&many).selectors.len(), 2 * MAX_SELECTORS);
        let many = format!("a{{{}}}", "margin:0;".repeat(1_000)).repeat(300);
        assert_eq!(sheet(&many).declarations.len(), MAX_DECLARATIONS + 4_000);
    }

    #[test]
    fn only_comments_before_a_rule_are_left_out() {
        let names = |text: &str| -> Vec<u64> {
            sheet(text).selectors.iter().flat_map(|one| &one.compounds).map(|one| one.tag).collect()
        };
        assert_eq!(
            names(" <!-- /* x */ /**/ --> /* y */ a{width:1px} /**/ b{width:1px}"),
            [tag_key("a"), tag_key("b")]
        );
        assert!(names("a /**/, /**/ b {width:1px}").is_empty());
        assert_eq!(names("a, b /**/ , i {width:1px}"), [tag_key("a"), tag_key("i")]);
    }
}
