//! Sets of the tags that matter to the fusion model.

use crate::dom::Name;
use crate::dom::elements::{heading_level, is_preformatted};

/// A set of tags, one bit for each of [`TAG_NAMES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TagSet(pub(crate) u32);

/// The tags, or chains of tags, in the order of their bits.
pub(crate) const TAG_NAMES: [&str; 24] = [
    "p",
    "div",
    "li",
    "list",
    "td",
    "th",
    "tr",
    "table",
    "article",
    "main",
    "section",
    "nav",
    "aside",
    "header",
    "footer",
    "form",
    "figure",
    "blockquote",
    "pre",
    "heading",
    "dl",
    "details",
    "noscript",
    "dialog",
];

impl TagSet {
    /// The set of one element.
    pub(crate) fn of(name: Name) -> TagSet {
        let bit = match name {
            Name::P => 0,
            Name::DIV => 1,
            Name::LI => 2,
            Name::UL | Name::OL | Name::MENU | Name::DIR => 3,
            Name::TD => 4,
            Name::TH => 5,
            Name::TR => 6,
            Name::TABLE => 7,
            Name::ARTICLE => 8,
            Name::MAIN => 9,
            Name::SECTION => 10,
            Name::NAV => 11,
            Name::ASIDE => 12,
            Name::HEADER => 13,
            Name::FOOTER => 14,
            Name::FORM | Name::FIELDSET | Name::SEARCH => 15,
            Name::FIGURE | Name::FIGCAPTION => 16,
            Name::BLOCKQUOTE => 17,
            _ if is_preformatted(name) => 18,
            _ if heading_level(name).is_some() => 19,
            Name::DL | Name::DT | Name::DD => 20,
            Name::DETAILS | Name::SUMMARY => 21,
            Name::NOSCRIPT => 22,
            Name::DIALOG => 23,
            _ => return TagSet(0),
        };
        TagSet(1 << bit)
    }

    /// Whether the set contains the tag of an element, or another tag of the same chain of tags.
    pub(crate) fn has(self, name: Name) -> bool {
        self.0 & TagSet::of(name).0 != 0
    }

    pub(crate) fn union(self, other: TagSet) -> TagSet {
        TagSet(self.0 | other.0)
    }
}
