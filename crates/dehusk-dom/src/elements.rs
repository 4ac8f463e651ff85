//! Properties of HTML elements that detectors and renderers need: which are blocks, which are never shown as text.
//!
//! Follows the default style sheet of the HTML standard; a page's own style sheets are not read.
//!
//! One table says which elements are invisible, [`is_never_shown`]: the standard's `display: none`. Text of others is unseen as well if a
//! browser shows something in its place ([`is_unseen`]).

use crate::document::{Document, NodeId};
use crate::names::Name;

/// Whether an element starts and ends a line.
#[inline]
pub fn is_block(name: Name) -> bool {
    matches!(
        name,
        Name::ADDRESS
            | Name::ARTICLE
            | Name::ASIDE
            | Name::BLOCKQUOTE
            | Name::BODY
            | Name::CENTER
            | Name::DD
            | Name::DETAILS
            | Name::DIALOG
            | Name::DIR
            | Name::DIV
            | Name::DL
            | Name::DT
            | Name::FIELDSET
            | Name::FIGCAPTION
            | Name::FIGURE
            | Name::FOOTER
            | Name::FORM
            | Name::HEADER
            | Name::HGROUP
            | Name::HR
            | Name::HTML
            | Name::LEGEND
            | Name::LI
            | Name::MAIN
            | Name::MENU
            | Name::NAV
            | Name::OL
            | Name::P
            | Name::SEARCH
            | Name::SECTION
            | Name::SUMMARY
            | Name::UL
    ) || is_preformatted(name)
        || is_table_part(name)
        || heading_level(name).is_some()
}

/// Whether an element is a table or a container inside one.
#[inline]
fn is_table_part(name: Name) -> bool {
    matches!(
        name,
        Name::TABLE | Name::CAPTION | Name::TBODY | Name::THEAD | Name::TFOOT | Name::TR | Name::TD | Name::TH
    )
}

/// Whether a block has a blank line before and after it; browsers give these elements margins.
pub fn has_margin(name: Name) -> bool {
    matches!(
        name,
        Name::P | Name::BLOCKQUOTE | Name::FIGURE | Name::DL | Name::HR | Name::TABLE | Name::DETAILS | Name::FIELDSET
    ) || is_list(name)
        || is_preformatted(name)
        || heading_level(name).is_some()
}

/// Whether white space in an element is kept as it is.
#[inline]
pub fn is_preformatted(name: Name) -> bool {
    matches!(name, Name::PRE | Name::LISTING | Name::XMP | Name::PLAINTEXT)
}

/// Whether an element is a list of items.
#[inline]
pub fn is_list(name: Name) -> bool {
    matches!(name, Name::UL | Name::OL | Name::MENU | Name::DIR)
}

/// The level of a heading, 1 to 6.
#[inline]
pub fn heading_level(name: Name) -> Option<u8> {
    match name {
        Name::H1 => Some(1),
        Name::H2 => Some(2),
        Name::H3 => Some(3),
        Name::H4 => Some(4),
        Name::H5 => Some(5),
        Name::H6 => Some(6),
        _ => None,
    }
}

/// Whether browsers never show an element, regardless of its contents.
#[inline]
pub fn is_never_shown(name: Name) -> bool {
    matches!(
        name,
        Name::HEAD
            | Name::TITLE
            | Name::SCRIPT
            | Name::STYLE
            | Name::TEMPLATE
            | Name::NOFRAMES
            | Name::NOEMBED
            | Name::DATALIST
            | Name::META
            | Name::LINK
            | Name::BASE
            | Name::PARAM
            | Name::SOURCE
            | Name::TRACK
            | Name::AREA
    )
}

/// Whether an element takes up space but contains no text of the page: form controls and embedded media, whose
/// children are choices or a fallback.
///
/// A button that expands a section is not a control but the heading of that section, as for the questions of an FAQ.
#[inline]
pub fn is_replaced(document: &Document, id: NodeId, name: Name) -> bool {
    if name == Name::BUTTON {
        return !is_disclosure_heading(document, id);
    }
    matches!(
        name,
        Name::SELECT
            | Name::OPTION
            | Name::OPTGROUP
            | Name::TEXTAREA
            | Name::INPUT
            | Name::KEYGEN
            | Name::METER
            | Name::PROGRESS
            | Name::IFRAME
            | Name::FRAME
            | Name::OBJECT
            | Name::EMBED
            | Name::APPLET
            | Name::AUDIO
            | Name::VIDEO
            | Name::CANVAS
    )
}

/// Whether a button has `aria-expanded`, is the only text of a heading, or asks a question: those of an FAQ open their answers.
fn is_disclosure_heading(document: &Document, id: NodeId) -> bool {
    if matches!(document.attribute(id, Name::TYPE), Some("submit" | "reset")) {
        return false;
    }
    let is_heading = |above: &NodeId| {
        let name = document.html_name(*above);
        heading_level(name).is_some() || matches!(name, Name::DT | Name::SUMMARY)
    };
    let has_other_text = |heading: NodeId| {
        let mut texts = document.descendants(heading).filter(|text| document.is_text(*text));
        texts.any(|text| !document.contains(id, text) && !document.text(text).trim().is_empty())
    };
    // A larger subtree is not a heading, and searching it for each of its buttons would take quadratic time.
    let is_short = |heading: &NodeId| document.subtree(*heading).len() <= MAX_HEADING_NODES;
    document.attribute(id, Name::ARIA_EXPANDED).is_some()
        || is_question(document, id)
        || document
            .ancestors(id)
            .take(2)
            .find(is_heading)
            .filter(is_short)
            .is_some_and(|heading| !has_other_text(heading))
}

/// Minimum number of words of a question.
const MIN_QUESTION_WORDS: usize = 4;

fn is_question(document: &Document, id: NodeId) -> bool {
    let nodes = document.descendants(id).take(MAX_HEADING_NODES).filter(|node| document.is_text(*node));
    let (mut words, mut last) = (0, "");
    for word in nodes.flat_map(|node| document.text(node).split_whitespace()).take(MAX_QUESTION_WORDS) {
        (words, last) = (words + 1, word);
    }
    // Scripts without spaces have no such words.
    last.ends_with('？') || (words >= MIN_QUESTION_WORDS && last.ends_with('?'))
}

/// Maximum number of words of a question.
const MAX_QUESTION_WORDS: usize = 64;

/// Maximum number of nodes of a heading that consists of one button.
const MAX_HEADING_NODES: usize = 256;

/// Maximum number of ancestors searched from a text up to the sibling of another element. Inline elements are not nested
/// deeper for style alone.
const MAX_ANCESTORS: usize = 16;

/// Whether an inline element begins a new word although no white space separates it from the text before it.
///
/// The parts of cards and lists are often separated by style alone: `<span>Ridge</span><span>Wallet</span>`. Emphasis,
/// single letters and code continue the word.
pub fn begins_word(document: &Document, before: NodeId, id: NodeId) -> bool {
    if !is_set_apart(document, id) {
        return false;
    }
    let text = document.text(before);
    if text.len() < 2 || !text.ends_with(char::is_alphanumeric) {
        return false;
    }
    // The text before must be in a sibling of this element.
    let parent = document.parent(id);
    let mut chain = std::iter::once(before).chain(document.ancestors(before)).take(MAX_ANCESTORS);
    let Some(sibling) = chain.find(|above| document.parent(*above) == parent) else { return false };
    let mut nodes = document.descendants(id).filter(|id| document.is_text(*id)).map(|id| document.text(id));
    // A single letter continues a word unless it is a capital letter or a digit after a whole one: a rating, a count.
    let is_whole = || text.chars().rev().take_while(|c| c.is_alphanumeric()).nth(2).is_some();
    let begins = |text: &str| {
        text.starts_with(char::is_alphanumeric)
            && (text.len() > 1 || (is_whole() && !text.starts_with(char::is_lowercase)))
    };
    is_set_apart(document, sibling)
        && nodes.next().is_some_and(begins)
        && !document.ancestors(id).take(MAX_ANCESTORS).any(|above| {
            let name = document.html_name(above);
            is_preformatted(name) || name == Name::CODE
        })
}

/// Whether an inline element can be separated from its siblings by style alone. Includes custom elements, whose names have
/// a hyphen.
pub fn is_set_apart(document: &Document, id: NodeId) -> bool {
    let name = document.html_name(id);
    matches!(name, Name::A | Name::SPAN | Name::LABEL | Name::TIME | Name::BUTTON)
        || (document.is_element(id) && !name.is_known() && document.name_text(name).contains('-'))
}

/// Whether an element is hidden by its own attributes.
///
/// `hidden="until-found"` marks collapsed content that the browser's search opens, so it does not count as hidden. Nor
/// does `aria-hidden`, since sites put it on real paragraphs.
#[inline]
pub fn is_hidden(document: &Document, id: NodeId) -> bool {
    for attribute in document.attributes(id) {
        let hides = match attribute.name {
            Name::HIDDEN => !document.value(attribute).eq_ignore_ascii_case("until-found"),
            Name::STYLE => is_display_none(document.value(attribute)),
            _ => false,
        };
        if hides {
            return true;
        }
    }
    false
}

fn is_display_none(style: &str) -> bool {
    let mut hidden = false;
    for declaration in style.split(';') {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        if property.trim().eq_ignore_ascii_case("display") {
            let value = value.split('!').next().unwrap_or_default();
            hidden = value.trim().eq_ignore_ascii_case("none");
        }
    }
    hidden
}

/// Whether an element is a dialog or a search form. Its heading is not that of the page.
pub fn is_dialog(document: &Document, id: NodeId) -> bool {
    matches!(document.html_name(id), Name::DIALOG | Name::SEARCH)
        || matches!(document.attribute(id, Name::ROLE), Some("dialog" | "alertdialog" | "search"))
}

/// Maximum number of bytes of a `class` attribute that are read. Those of real pages are shorter; what many elements below a longer one
/// ask for would take quadratic time.
const MAX_CLASS_BYTES: usize = 2048;

/// The classes of an element, in the order of its attribute.
pub fn classes(document: &Document, id: NodeId) -> impl Iterator<Item = &str> {
    let value = document.attribute(id, Name::CLASS).unwrap_or_default();
    let end = (0..=value.len().min(MAX_CLASS_BYTES)).rfind(|end| value.is_char_boundary(*end)).unwrap_or_default();
    value[..end].split_ascii_whitespace()
}

/// Whether an element has a class.
pub fn has_class(document: &Document, id: NodeId, class: &str) -> bool {
    classes(document, id).any(|own| own == class)
}

/// Whether no reader sees the text of an element, so that it is left out of statistics: it is never shown, or is the source of a frame.
#[inline]
pub fn is_unseen(name: Name) -> bool {
    name == Name::IFRAME || is_never_shown(name)
}

/// Whether an element is visible but not text: media, embedded content and form controls.
pub fn is_media_or_control(html_name: Name, name: Name) -> bool {
    name == Name::SVG
        || matches!(
            html_name,
            Name::IMG
                | Name::PICTURE
                | Name::VIDEO
                | Name::AUDIO
                | Name::IFRAME
                | Name::OBJECT
                | Name::EMBED
                | Name::CANVAS
                | Name::INPUT
                | Name::BUTTON
                | Name::TEXTAREA
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_that_expands_a_section_is_its_heading() {
        let replaced = |source: &str| {
            let document = crate::Parser::default().parse(source).unwrap();
            let id = document.find(Name::BUTTON).unwrap();
            is_replaced(&document, id, Name::BUTTON)
        };
        assert!(replaced("<p><button>Add to cart</button>"));
        assert!(!replaced("<p><button aria-expanded=false>How long does it last?</button>"));
        assert!(!replaced("<h3><span><button>How long does it last?</button></span></h3>"));
        assert!(!replaced("<div><button><span>How long does it last?</span> <svg></svg></button></div>"));
        assert!(replaced("<p><button>Forgot your password?</button>"));
        assert!(replaced("<h3>How long does it last? <button>Copy link</button></h3>"));
        assert!(replaced("<h3><button type=submit>Search</button></h3>"));
    }

    #[test]
    fn last_display_declaration_wins() {
        assert!(is_display_none("color:red; DISPLAY : none !important"));
        assert!(!is_display_none("display:none;display:block"));
        assert!(!is_display_none("background:url(display:none)"));
    }
}
