//! Reads pages from WARC, JSON lines, Parquet and folders, writes rows to JSON lines, Parquet and folders, and runs
//! crawl jobs on many threads in bounded memory.
//!
//! [`Inputs`] gives the pages of files and folders as [`RawPage`]s; [`run_ordered`] works on them on many threads, in
//! order; [`assemble()`] joins finished chunks into the output; [`crawl`] is the job that does all of this.
//!
//! Layers, lowest first; each imports only from those before it in this list:
//!
//! - `error`, `location`, `input_value`, `fault`, `input_page`, `read_options`, `hash`, `atomic_file`, `spill_sort`, `page_guard`, `shortened`: the types and functions that all share.
//! - `compression`: gzip and zstd files as streams of bytes.
//! - `containers`: from files to input pages, and from chunks of rows to files.
//! - `output_check`: what is checked of outputs before any work is done.
//! - `parallel`: work on pages on many threads, with results in the order of the input.
//! - `crawl`: the job, from the pages of a crawl to a file of clean rows.

mod atomic_file;
mod compression;
mod containers;
pub mod crawl;
mod error;
mod fault;
mod hash;
mod input_page;
mod input_value;
mod location;
mod output_check;
mod page_guard;
mod parallel;
mod read_options;
mod shortened;
mod spill_sort;

pub use atomic_file::{AtomicFile, write_atomic};
pub use containers::{
    Column, ColumnType, Inputs, InputsSnapshot, OutputContainer, OutputSchema, RawPage, Source, assemble, open,
    warc_from_reader,
};
pub use containers::{files_in_folder, is_read_in_folders};
pub use error::{Error, ErrorKind};
pub use fault::{Fault, FaultKind, PageIdentity};
pub use input_page::InputPage;
pub use input_value::InputValue;
pub use location::{Location, Position};
pub use output_check::{
    ExistingOutput, FileIdentity, Output, OutputKind, check_crawl_output, check_outputs, folder_of, is_in,
    is_read_again,
};
pub use page_guard::{PageAtWork, PagesAtWork, guarded};
pub use parallel::{RunOptions, run_ordered, run_ordered_sized};
pub use read_options::ReadOptions;
pub use shortened::{MAX_MESSAGE, MAX_SHOWN, shortened};
pub use spill_sort::{Sorted, SpillItem, SpillSort};
