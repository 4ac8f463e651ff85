//! Rows of the output: what is written for a page, and in which columns.

pub(crate) mod output_row;
pub(crate) mod record_rows;
pub(crate) mod row_columns;
