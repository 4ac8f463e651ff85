//! The names of the node features, their order, and their version.

use super::{context_columns, markup_columns, position_columns, text_columns};
use dehusk::model::Schema;

/// The version of the features. It is raised when a feature is computed differently.
const VERSION: u32 = 2;

/// The schema of the node features.
pub fn schema() -> Schema {
    Schema::new("nodes", VERSION, column_names())
}

/// The number of features of a node.
pub const COLUMNS: usize =
    position_columns::COUNT + text_columns::COUNT + markup_columns::COUNT + context_columns::COUNT;

/// The names of the features, in order.
pub fn column_names() -> impl Iterator<Item = &'static str> {
    let (position, text) = (position_columns::NAMES, text_columns::NAMES);
    position.into_iter().chain(text).chain(markup_columns::NAMES).chain(context_columns::names())
}
