//! The allow-list of sanitized HTML: which elements keep their tags and which attributes their values.
//!
//! URLs are checked in `safe_url.rs`. The HTML writer unwraps or removes everything that is not on the list.

use crate::dom::Name;

/// MathML elements that only mark up formulas. Left out are elements that link, that contain HTML (`annotation-xml`), or
/// that make parsers switch the namespace (`mglyph`, `malignmark`).
pub(crate) const FORMULA_ELEMENTS: [&str; 31] = [
    "annotation",
    "merror",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "ms",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
    "none",
    "semantics",
    "mfenced",
    "menclose",
    "mlabeledtr",
];
/// Attributes of MathML elements that only change how a formula looks.
pub(crate) const FORMULA_ATTRIBUTES: [&str; 13] = [
    "accent",
    "accentunder",
    "columnspan",
    "display",
    "displaystyle",
    "encoding",
    "fence",
    "linethickness",
    "mathvariant",
    "rowspan",
    "separator",
    "stretchy",
    "symmetric",
];

/// Whether an HTML element keeps its tags.
pub(crate) fn is_allowed(name: Name) -> bool {
    is_allowed_block(name) || is_allowed_inline(name)
}

fn is_allowed_block(name: Name) -> bool {
    matches!(
        name,
        Name::ADDRESS
            | Name::ARTICLE
            | Name::ASIDE
            | Name::BLOCKQUOTE
            | Name::CAPTION
            | Name::DD
            | Name::DETAILS
            | Name::DIV
            | Name::DL
            | Name::DT
            | Name::FIGCAPTION
            | Name::FIGURE
            | Name::FOOTER
            | Name::H1
            | Name::H2
            | Name::H3
            | Name::H4
            | Name::H5
            | Name::H6
            | Name::HEADER
            | Name::HGROUP
            | Name::LI
            | Name::MAIN
            | Name::NAV
            | Name::OL
            | Name::P
            | Name::SECTION
            | Name::SUMMARY
            | Name::TABLE
            | Name::TBODY
            | Name::TD
            | Name::TFOOT
            | Name::TH
            | Name::THEAD
            | Name::TR
            | Name::UL
    )
}

fn is_allowed_inline(name: Name) -> bool {
    matches!(
        name,
        Name::A
            | Name::ABBR
            | Name::ACRONYM
            | Name::B
            | Name::BDI
            | Name::BDO
            | Name::BIG
            | Name::CITE
            | Name::CODE
            | Name::DEL
            | Name::DFN
            | Name::EM
            | Name::I
            | Name::INS
            | Name::KBD
            | Name::MARK
            | Name::Q
            | Name::RB
            | Name::RP
            | Name::RT
            | Name::RTC
            | Name::RUBY
            | Name::S
            | Name::SAMP
            | Name::SMALL
            | Name::SPAN
            | Name::STRIKE
            | Name::STRONG
            | Name::SUB
            | Name::SUP
            | Name::TIME
            | Name::TT
            | Name::U
            | Name::VAR
    )
}

/// Whether an attribute is written unchanged.
pub(crate) fn is_allowed_attribute(name: Name, text: &str, tag: &str) -> bool {
    match name {
        Name::TITLE | Name::LANG | Name::DIR => true,
        Name::ALT => tag == "img",
        Name::COLSPAN | Name::ROWSPAN => matches!(tag, "td" | "th"),
        Name::START => tag == "ol",
        Name::VALUE => tag == "li",
        Name::DATETIME => matches!(tag, "time" | "del" | "ins"),
        _ => matches!(text, "scope" | "headers") && matches!(tag, "td" | "th"),
    }
}

/// Whether a class names the language of a code block.
pub(crate) fn is_language(class: &str) -> bool {
    let language = class.strip_prefix("language-").unwrap_or_default();
    !language.is_empty() && language.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+#._-".contains(&byte))
}
