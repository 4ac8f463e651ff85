//! Computes the intrinsic widths of nodes: without any line break (max-content), and with a break at every opportunity
//! (min-content). Goes from the leaves to the root.

use super::style::{Length, Style, replaced_size};
use crate::dom::{Document, Name, NodeId};
use dehusk::layout::Display;

/// The intrinsic width of a node, its margins and padding included.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct IntrinsicWidth {
    /// The width without line breaks.
    pub(super) max_content: f32,
    /// The width of the widest word or box that cannot be broken.
    pub(super) min_content: f32,
}

/// The mean width of a Latin character in common fonts, as a multiple of the font size.
const NARROW: f32 = 0.48;
/// The width of a character of a full-width script, as a multiple of the font size.
const WIDE: f32 = 1.0;
/// The width of bold text as a multiple of normal text.
const BOLD: f32 = 1.07;

/// The intrinsic widths of all nodes.
pub(super) fn intrinsic_widths(document: &Document, styles: &[Style]) -> Vec<IntrinsicWidth> {
    let mut intrinsic = vec![IntrinsicWidth::default(); document.len()];
    for id in document.ids().rev() {
        let style = &styles[id.index()];
        if style.display == Display::None {
            continue;
        }
        let inner = if document.is_text(id) {
            text_width(document.text(id), style)
        } else if let Some((width, _)) = replaced_size(document, id, style.font_size) {
            IntrinsicWidth { max_content: width, min_content: width }
        } else {
            children_width(document, styles, &intrinsic, id)
        };
        intrinsic[id.index()] = bounded(inner, style);
    }
    intrinsic
}

/// The intrinsic width of a node from that of its content, its `width`, `min-width` and `max-width`, and its edges.
fn bounded(inner: IntrinsicWidth, style: &Style) -> IntrinsicWidth {
    let edges = style.edges(0.0);
    let mut natural = inner;
    if let Length::Px(width) = style.width {
        natural = match style.display {
            Display::Inline => natural,
            // A table is never narrower than its longest word.
            Display::Table | Display::Cell => {
                IntrinsicWidth { max_content: width.max(inner.min_content), min_content: width.max(inner.min_content) }
            }
            _ => IntrinsicWidth { max_content: width, min_content: width },
        };
    } else if let Length::Share(_) = style.width {
        natural.min_content = natural.min_content.min(inner.min_content);
    }
    if let Length::Px(limit) = style.max_width {
        natural =
            IntrinsicWidth { max_content: natural.max_content.min(limit), min_content: natural.min_content.min(limit) };
    }
    if let Length::Px(limit) = style.min_width {
        natural =
            IntrinsicWidth { max_content: natural.max_content.max(limit), min_content: natural.min_content.max(limit) };
    }
    IntrinsicWidth {
        max_content: (natural.max_content + edges).max(0.0),
        min_content: (natural.min_content + edges).max(0.0),
    }
}

fn text_width(text: &str, style: &Style) -> IntrinsicWidth {
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
    IntrinsicWidth { max_content: width * scale, min_content: longest * scale }
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

/// The intrinsic width of the children of a node. Widths on a line add up; blocks and line breaks start a new line.
fn children_width(document: &Document, styles: &[Style], intrinsic: &[IntrinsicWidth], id: NodeId) -> IntrinsicWidth {
    let own = &styles[id.index()];
    let side_by_side = own.display == Display::Row || (own.display == Display::Flex && !own.column);
    let (mut max_content, mut min_content, mut line) = (0.0_f32, 0.0_f32, 0.0_f32);
    for child in document.children(id) {
        let (style, natural) = (&styles[child.index()], intrinsic[child.index()]);
        if style.display == Display::None || style.out_of_flow {
            continue;
        }
        if side_by_side {
            line += natural.max_content;
            // Cells cannot wrap, boxes can.
            min_content = if own.display == Display::Row {
                min_content + natural.min_content
            } else {
                min_content.max(natural.min_content)
            };
        } else if style.is_inline() || style.float != super::style::Side::None {
            min_content = min_content.max(natural.min_content);
            if document.html_name(child) == Name::BR {
                max_content = max_content.max(line);
                line = 0.0;
            } else {
                line += natural.max_content;
            }
        } else {
            max_content = max_content.max(line).max(natural.max_content);
            min_content = min_content.max(natural.min_content);
            line = 0.0;
        }
    }
    IntrinsicWidth { max_content: max_content.max(line), min_content }
}
