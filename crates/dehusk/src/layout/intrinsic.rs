//! How wide nodes would like to be: without any line break, and with a break after each word. From the leaves to the root.

use super::Display;
use super::style::{Length, Style, replaced_size};
use crate::dom::{Document, Name, NodeId};

/// The widths a node asks for, its margins and padding included.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Wish {
    /// All in one line.
    pub(super) most: f32,
    /// The widest thing that cannot be broken.
    pub(super) least: f32,
}

/// Mean width of a character as a share of the font size: Latin text in the usual fonts, and full-width scripts.
const NARROW: f32 = 0.48;
const WIDE: f32 = 1.0;
/// Bold text is a little wider.
const BOLD: f32 = 1.07;

/// The wishes of all nodes.
pub(super) fn wishes(document: &Document, styles: &[Style]) -> Vec<Wish> {
    let mut wishes = vec![Wish::default(); document.len()];
    for id in document.ids().rev() {
        let style = &styles[id.index()];
        if style.display == Display::None {
            continue;
        }
        let inner = if document.is_text(id) {
            text_wish(document.text(id), style)
        } else if let Some((width, _)) = replaced_size(document, id, style.font_size) {
            Wish { most: width, least: width }
        } else {
            holder_wish(document, styles, &wishes, id)
        };
        wishes[id.index()] = bounded(inner, style);
    }
    wishes
}

/// The wish of a node that says how wide it is, or what it holds does.
fn bounded(inner: Wish, style: &Style) -> Wish {
    let edges = style.edges(0.0);
    let mut wish = inner;
    if let Length::Px(width) = style.width {
        wish = match style.display {
            Display::Inline => wish,
            // A table is never narrower than its words.
            Display::Table | Display::Cell => Wish { most: width.max(inner.least), least: width.max(inner.least) },
            _ => Wish { most: width, least: width },
        };
    } else if let Length::Share(_) = style.width {
        wish.least = wish.least.min(inner.least);
    }
    if let Length::Px(most) = style.max_width {
        wish = Wish { most: wish.most.min(most), least: wish.least.min(most) };
    }
    if let Length::Px(least) = style.min_width {
        wish = Wish { most: wish.most.max(least), least: wish.least.max(least) };
    }
    Wish { most: (wish.most + edges).max(0.0), least: (wish.least + edges).max(0.0) }
}

fn text_wish(text: &str, style: &Style) -> Wish {
    let (mut width, mut word, mut longest) = (0.0_f32, 0.0_f32, 0.0_f32);
    let mut space = true;
    for character in text.chars() {
        if character.is_whitespace() {
            // White space collapses.
            width += if space { 0.0 } else { NARROW * 0.6 };
            (space, word) = (true, 0.0);
            continue;
        }
        space = false;
        let own = character_width(character);
        width += own;
        // Full-width scripts break anywhere.
        word = if own == WIDE { own } else { word + own };
        longest = longest.max(word);
    }
    let scale = style.font_size * if style.font_weight >= 600 { BOLD } else { 1.0 };
    Wish { most: width * scale, least: longest * scale }
}

fn character_width(character: char) -> f32 {
    match character {
        'i' | 'j' | 'l' | 't' | 'f' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.28,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.8,
        '\0'..='\u{10ff}' => NARROW,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' => WIDE,
        '\u{1f300}'..='\u{3ffff}' => WIDE,
        _ => NARROW,
    }
}

/// What the children of a node ask for together: lines add up, blocks and line breaks start anew.
fn holder_wish(document: &Document, styles: &[Style], wishes: &[Wish], id: NodeId) -> Wish {
    let own = &styles[id.index()];
    let side_by_side = own.display == Display::Row || (own.display == Display::Flex && !own.column);
    let (mut most, mut least, mut line) = (0.0_f32, 0.0_f32, 0.0_f32);
    for child in document.children(id) {
        let (style, wish) = (&styles[child.index()], wishes[child.index()]);
        if style.display == Display::None || style.out_of_flow {
            continue;
        }
        if side_by_side {
            line += wish.most;
            // Cells cannot stand below each other, boxes can.
            least = if own.display == Display::Row { least + wish.least } else { least.max(wish.least) };
        } else if style.is_inline() || style.float != super::style::Side::None {
            least = least.max(wish.least);
            if document.html_name(child) == Name::BR {
                most = most.max(line);
                line = 0.0;
            } else {
                line += wish.most;
            }
        } else {
            most = most.max(line).max(wish.most);
            least = least.max(wish.least);
            line = 0.0;
        }
    }
    Wish { most: most.max(line), least }
}
