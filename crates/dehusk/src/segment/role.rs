//! What a segment is for.

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
