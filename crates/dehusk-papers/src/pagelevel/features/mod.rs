//! The features of the nodes of a page, as a table: one row per node, one column per name of the schema.
//!
//! Input: a document and its layout. Output: the numbers that PageLevel's model reads. Columns are relative to the page, ranks
//! or logarithms, because absolute positions differ between layout engines. A model fits one version of the schema only. One
//! linear pass.

mod context_columns;
mod describe;
mod markup_columns;
mod node_facts;
mod node_schema;
mod position_columns;
mod text_columns;

pub use crate::dom::host_of;
pub use crate::page_counts::{BaseCounts, PageCounts};
pub use describe::{DescribeOptions, FeatureTable, describe, page_host};
pub use node_schema::{COLUMNS, column_names, schema};
