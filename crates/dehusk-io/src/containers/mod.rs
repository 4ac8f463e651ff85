//! Readers and writers of containers: WARC, JSON lines, Parquet, and folders of pages.

mod assemble;
mod chunks;
mod csv_write;
mod field_types;
mod file_names;
mod folder_walk;
mod folder_write;
mod format;
mod header_fields;
mod http;
mod input_file;
mod inputs;
mod json_kind;
mod json_line;
mod jsonl_read;
mod name_list;
mod page_file;
mod parquet_cells;
mod parquet_read;
mod parquet_write;
mod path_url;
mod raw_page;
mod schema;
mod source;
mod text_write;
mod typed_column;
mod warc_page;
mod warc_read;

pub use assemble::{OutputContainer, assemble};
pub(crate) use csv_write::csv_text;
pub(crate) use folder_walk::RUN_STATE_SUFFIX;
pub use folder_walk::{files_in_folder, is_read_in_folders};
pub use inputs::{Inputs, InputsSnapshot, open};
pub(crate) use parquet_write::record_batch;
#[cfg(test)]
pub(crate) use raw_page::Content;
pub use raw_page::RawPage;
pub use schema::{Column, ColumnType, OutputSchema};
pub use source::Source;
pub(crate) use typed_column::TypedColumn;
pub use warc_read::warc_from_reader;
