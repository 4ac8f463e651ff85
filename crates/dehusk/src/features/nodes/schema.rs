//! The names of the features, their order, and the version of both.

use super::{context, markup, place, text};
use crate::model::Schema;

/// Raised when a feature is computed differently.
const VERSION: u32 = 1;

/// The schema of these features.
pub fn schema() -> Schema {
    Schema::new("nodes", VERSION, column_names())
}

/// How many features a node has.
pub const COLUMNS: usize = place::COUNT + text::COUNT + markup::COUNT + context::COUNT;

/// The names of the features in order.
pub fn column_names() -> impl Iterator<Item = &'static str> {
    place::NAMES.into_iter().chain(text::NAMES).chain(markup::NAMES).chain(context::NAMES)
}
