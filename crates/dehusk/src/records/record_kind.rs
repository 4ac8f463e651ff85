//! What the records of a group are.

/// What the records of a group are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum RecordKind {
    /// What people wrote, with their name or a date: posts of a thread, comments, reviews.
    Posts,
    /// Things with several fields: products, events, teasers.
    Items,
    /// Rows of a table.
    Rows,
    /// Little more than links: menus, indexes.
    Links,
}

impl RecordKind {
    /// The name in output: `posts`, `items`, `rows`, `links`.
    pub fn name(self) -> &'static str {
        match self {
            RecordKind::Posts => "posts",
            RecordKind::Items => "items",
            RecordKind::Rows => "rows",
            RecordKind::Links => "links",
        }
    }
}
