//! The names of the features, their order, and the version of both.

use super::{context, markup, place, text};
use crate::model::SchemaId;

/// Raised with any change of a name, of the order or of what a value means.
const VERSION: u32 = 1;

/// The name and version of this set of features.
pub fn schema() -> SchemaId {
    SchemaId::new("nodes", VERSION)
}

/// How many features a node has.
pub const COLUMNS: usize = place::COUNT + text::COUNT + markup::COUNT + context::COUNT;

/// The names of the features in order.
pub fn column_names() -> impl Iterator<Item = &'static str> {
    place::NAMES.into_iter().chain(text::NAMES).chain(markup::NAMES).chain(context::NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<&str> = column_names().collect();
        assert_eq!(names.len(), COLUMNS);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COLUMNS);
    }
}
