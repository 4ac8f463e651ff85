//! What a segment is for.

use crate::dom::{Document, Name, NodeId};
use crate::read::name_hints::{HINTS, hints_of};
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
    let is_named = |name: &str| HINTS.iter().position(|hint| hint.0 == name).is_some_and(|bit| names.0 >> bit & 1 == 1);
    if is_named("comment") {
        return Some(SegmentRole::Comments);
    }
    if document.html_name(id) == Name::FORM {
        return Some(SegmentRole::Form);
    }
    // A header or footer of an article is not that of the page.
    let mut in_header_or_footer = None;
    for around in std::iter::once(id).chain(document.ancestors(id)) {
        let role = document.attribute(around, Name::ROLE).unwrap_or_default();
        match (document.html_name(around), role) {
            (Name::NAV, _) | (_, "navigation") => return Some(SegmentRole::Navigation),
            (Name::ASIDE, _) | (_, "complementary") => return Some(SegmentRole::Sidebar),
            (_, "search") => return Some(SegmentRole::Form),
            (_, "banner") => return Some(SegmentRole::Header),
            (_, "contentinfo") => return Some(SegmentRole::Footer),
            (Name::HEADER, _) => in_header_or_footer = Some(SegmentRole::Header),
            (Name::FOOTER, _) => in_header_or_footer = Some(SegmentRole::Footer),
            (Name::MAIN | Name::ARTICLE, _) | (_, "main" | "article") => return Some(SegmentRole::Main),
            _ => {}
        }
    }
    in_header_or_footer
}
