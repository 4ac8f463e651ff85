//! Parquet: rows of a file become pages, chunks of rows become a file, and cells keep their types from one to the other.
//! `footer_check` looks at a footer before anything else does.

pub(crate) mod field_types;
pub(crate) mod footer_check;
pub(crate) mod footer_shape;
pub(crate) mod guarded;
pub(crate) mod json_kind;
pub(crate) mod parquet_cells;
pub(crate) mod parquet_read;
pub(crate) mod parquet_write;
pub(crate) mod typed_column;
