//! What detectors and renderers know about HTML elements: which are blocks, which are never shown as text.
//!
//! Follows the style sheet the HTML standard suggests for browsers; a page's own style sheets are not read.

use crate::arena::{Document, NodeId};
use crate::names::Name;

/// Whether an element starts and ends a line.
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

/// Whether an element is a table or a part of one that holds others.
fn is_table_part(name: Name) -> bool {
    matches!(
        name,
        Name::TABLE | Name::CAPTION | Name::TBODY | Name::THEAD | Name::TFOOT | Name::TR | Name::TD | Name::TH
    )
}

/// Whether a blank line stands before and after a block; browsers give these elements margins.
pub fn has_margin(name: Name) -> bool {
    matches!(
        name,
        Name::P | Name::BLOCKQUOTE | Name::FIGURE | Name::DL | Name::HR | Name::TABLE | Name::DETAILS | Name::FIELDSET
    ) || is_list(name)
        || is_preformatted(name)
        || heading_level(name).is_some()
}

/// Whether white space in an element is kept as it is.
pub fn is_preformatted(name: Name) -> bool {
    matches!(name, Name::PRE | Name::LISTING | Name::XMP | Name::PLAINTEXT)
}

/// Whether an element is a list of items.
pub fn is_list(name: Name) -> bool {
    matches!(name, Name::UL | Name::OL | Name::MENU | Name::DIR)
}

/// The level of a heading, 1 to 6.
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

/// Whether browsers show nothing in the place of an element, whatever it holds.
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

/// Whether an element takes up room but holds no text of the page: form controls and embedded media, whose
/// children are choices or a fallback.
///
/// A button that opens a part of the page is no control but the heading of that part: questions of a folded list are written so.
pub fn is_replaced(document: &Document, id: NodeId, name: Name) -> bool {
    if name == Name::BUTTON {
        return !opens_part(document, id);
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

/// Whether a button says that it opens something, or is all that a heading says.
fn opens_part(document: &Document, id: NodeId) -> bool {
    if matches!(document.attribute(id, Name::TYPE), Some("submit" | "reset")) {
        return false;
    }
    let is_heading = |above: &NodeId| {
        let name = document.html_name(*above);
        heading_level(name).is_some() || matches!(name, Name::DT | Name::SUMMARY)
    };
    let says_more = |heading: NodeId| {
        let mut texts = document.descendants(heading).filter(|text| document.is_text(*text));
        texts.any(|text| !document.contains(id, text) && !document.text(text).trim().is_empty())
    };
    // What holds more is no heading; each of its buttons would look at all of it.
    let is_short = |heading: &NodeId| document.subtree(*heading).len() <= MOST_OF_HEADING;
    document.attribute(id, Name::ARIA_EXPANDED).is_some()
        || document.ancestors(id).take(2).find(is_heading).filter(is_short).is_some_and(|heading| !says_more(heading))
}

/// Nodes of a heading that may be one button.
const MOST_OF_HEADING: usize = 256;

/// Elements that are climbed from a text to the one that stands beside another; more are never nested for looks alone.
const MOST_CLIMBED: usize = 16;

/// Whether an inline element begins another word than the text before it ends with, although nothing stands between the two. Parts of
/// cards and lists are often set apart by style alone: `<span>Ridge</span><span>Wallet</span>`. Marks of emphasis, single letters and
/// code are parts of a word.
pub fn begins_word(document: &Document, before: NodeId, id: NodeId) -> bool {
    if !is_set_apart(document, id) {
        return false;
    }
    let text = document.text(before);
    if text.len() < 2 || !text.ends_with(char::is_alphanumeric) {
        return false;
    }
    // The text before must be in an element beside this one.
    let parent = document.parent(id);
    let mut chain = std::iter::once(before).chain(document.ancestors(before)).take(MOST_CLIMBED);
    let Some(beside) = chain.find(|above| document.parent(*above) == parent) else { return false };
    let mut nodes = document.descendants(id).filter(|id| document.is_text(*id)).map(|id| document.text(id));
    let begins = |text: &str| text.len() > 1 && text.starts_with(char::is_alphanumeric);
    is_set_apart(document, beside)
        && nodes.next().is_some_and(begins)
        && !document.ancestors(id).take(MOST_CLIMBED).any(|above| {
            let name = document.html_name(above);
            is_preformatted(name) || name == Name::CODE
        })
}

/// Whether an inline element can be set apart from its neighbours by style alone; a name with a hyphen is one the page made up.
fn is_set_apart(document: &Document, id: NodeId) -> bool {
    let name = document.html_name(id);
    matches!(name, Name::A | Name::SPAN | Name::LABEL | Name::TIME | Name::BUTTON)
        || (document.is_element(id) && !name.is_known() && document.name_text(name).contains('-'))
}

/// Whether an element is hidden by its own attributes.
///
/// `hidden="until-found"` marks folded content that the browser's search opens, so it is not hidden; nor is what
/// `aria-hidden` keeps from screen readers, since sites put it on real paragraphs.
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

/// Whether one of the classes of an element is the given one.
pub fn has_class(document: &Document, id: NodeId, class: &str) -> bool {
    let classes = document.attribute(id, Name::CLASS).unwrap_or_default();
    classes.split_ascii_whitespace().any(|own| own == class)
}

/// Elements whose text no reader sees.
pub fn is_unseen(name: Name) -> bool {
    matches!(
        name,
        Name::HEAD | Name::SCRIPT | Name::STYLE | Name::TEMPLATE | Name::IFRAME | Name::NOEMBED | Name::NOFRAMES
    )
}

/// Elements a reader sees that are no text.
pub fn is_picture(html_name: Name, name: Name) -> bool {
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
    fn a_button_that_opens_a_part_is_its_heading() {
        let replaced = |source: &str| {
            let document = crate::Parser::default().parse(source).unwrap();
            let id = document.find(Name::BUTTON).unwrap();
            is_replaced(&document, id, Name::BUTTON)
        };
        assert!(replaced("<p><button>Add to cart</button>"));
        assert!(!replaced("<p><button aria-expanded=false>How long does it last?</button>"));
        assert!(!replaced("<h3><span><button>How long does it last?</button></span></h3>"));
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
