//! What a segment is for.

use crate::dom::{Document, Name, NodeId};
use crate::read::landmarks::Landmark;
use crate::read::name_hints::{hint_bit, hints_of};
use std::fmt;

/// What a segment is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[non_exhaustive]
pub enum SegmentRole {
    /// Content: articles, teasers, pictures, tables.
    #[default]
    Main,
    /// Menus, and lists of links outside content.
    Navigation,
    /// The top of the page: logo, slogan, tools.
    Header,
    /// The bottom of the page.
    Footer,
    /// What is beside the content.
    Sidebar,
    /// Advertisements.
    Advertisement,
    /// Search fields, logins and other forms.
    Form,
    /// Comments of readers.
    Comments,
}

impl SegmentRole {
    /// All roles.
    pub const ALL: [SegmentRole; 8] = [
        SegmentRole::Main,
        SegmentRole::Navigation,
        SegmentRole::Header,
        SegmentRole::Footer,
        SegmentRole::Sidebar,
        SegmentRole::Advertisement,
        SegmentRole::Form,
        SegmentRole::Comments,
    ];

    /// The name in records, such as `navigation`.
    pub fn name(self) -> &'static str {
        match self {
            SegmentRole::Main => "main",
            SegmentRole::Navigation => "navigation",
            SegmentRole::Header => "header",
            SegmentRole::Footer => "footer",
            SegmentRole::Sidebar => "sidebar",
            SegmentRole::Advertisement => "advertisement",
            SegmentRole::Form => "form",
            SegmentRole::Comments => "comments",
        }
    }
}

impl fmt::Display for SegmentRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The role that the page itself declares for a node: by the nearest landmark around it, or by a name that has one meaning.
pub fn declared_role(document: &Document, id: NodeId) -> Option<SegmentRole> {
    let names = hints_of(document, id);
    let is_named = |name: &str| names.0 >> hint_bit(name) & 1 == 1;
    if is_named("comment") {
        return Some(SegmentRole::Comments);
    }
    if document.html_name(id) == Name::FORM {
        return Some(SegmentRole::Form);
    }
    let is_role = |id: NodeId, role: &str| document.attribute(id, Name::ROLE).is_some_and(|own| own.trim() == role);
    // A header or footer of an article is not that of the page.
    let mut in_header_or_footer = None;
    for around in std::iter::once(id).chain(document.ancestors(id)) {
        match Landmark::of(document, around) {
            Some(Landmark::Navigation) => return Some(SegmentRole::Navigation),
            Some(Landmark::Aside) => return Some(SegmentRole::Sidebar),
            Some(Landmark::Search) => return Some(SegmentRole::Form),
            Some(Landmark::Main | Landmark::Article) => return Some(SegmentRole::Main),
            // `banner` and `contentinfo` are roles of the page only.
            Some(Landmark::Header) if is_role(around, "banner") => return Some(SegmentRole::Header),
            Some(Landmark::Footer) if is_role(around, "contentinfo") => return Some(SegmentRole::Footer),
            Some(Landmark::Header) => in_header_or_footer = Some(SegmentRole::Header),
            Some(Landmark::Footer) => in_header_or_footer = Some(SegmentRole::Footer),
            None => {}
        }
    }
    in_header_or_footer
}
