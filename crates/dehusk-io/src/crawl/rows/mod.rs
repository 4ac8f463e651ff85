//! Rows of the output: what is written for a page, in which columns, and how much of it.

pub(crate) mod output_row;
pub(crate) mod record_rows;
pub(crate) mod row_columns;
pub(crate) mod row_limits;
