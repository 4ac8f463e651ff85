//! Parquet: rows of a file become pages, chunks of rows become a file, and cells keep their types from one to the other.

pub(crate) mod field_types;
pub(crate) mod json_kind;
pub(crate) mod parquet_cells;
pub(crate) mod parquet_read;
pub(crate) mod parquet_write;
pub(crate) mod typed_column;
