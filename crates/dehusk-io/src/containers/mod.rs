//! Readers and writers of containers: WARC, JSON lines, Parquet, and folders of pages.

mod assemble;
mod chunks;
mod csv_write;
mod folder;
mod format;
mod input_file;
mod inputs;
mod json_lines;
mod name_list;
mod parquet;
mod raw_page;
mod schema;
mod source;
mod text_write;
mod warc;

pub(crate) use self::parquet::parquet_write::record_batch;
pub(crate) use self::parquet::typed_column::TypedColumn;
pub use assemble::{OutputContainer, assemble};
pub(crate) use csv_write::csv_text;
pub(crate) use folder::folder_walk::RUN_STATE_SUFFIX;
pub use folder::folder_walk::{files_in_folder, is_read_in_folders};
pub use inputs::{Inputs, InputsSnapshot, open};
#[cfg(test)]
pub(crate) use raw_page::Content;
pub use raw_page::RawPage;
pub use schema::{Column, ColumnType, OutputSchema};
pub use source::Source;
pub use warc::warc_read::warc_from_reader;
