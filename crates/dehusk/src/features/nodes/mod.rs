//! Features of the nodes of a page, as a table: one row per node, one column per name of the schema.
//!
//! Takes a document and its layout; returns numbers a model reads. Columns are relative to the page, ranks or logarithms,
//! because absolute positions drift between engines. The schema has a version; a model fits one version only. One linear pass.

mod context;
mod counts;
mod describe;
mod hints;
mod markup;
mod node;
mod place;
mod schema;
mod text;
mod words;

pub use counts::{BaseCounts, PageCounts, host_of};
pub use describe::{DescribeOptions, FeatureTable, describe, page_host};
pub use schema::{COLUMNS, column_names, schema};
