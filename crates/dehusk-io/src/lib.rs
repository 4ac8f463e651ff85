//! Reads pages from WARC, JSON lines, Parquet and folders, writes records to JSON lines, Parquet and folders, and runs
//! crawl jobs on many threads in bounded memory.
//!
//! [`Inputs`] gives the pages of files and folders as [`RawRecord`]s; [`run_ordered`] works on them on many threads, in
//! order; [`assemble()`] joins finished segments into the output; [`crawl`] is the job that does all of this.
//!
//! Layers, lowest first; each imports only from those above it in this list:
//!
//! - `error`, `location`, `input_value`, `fault`, `record`, `read_options`, `hash`, `atomic_file`, `spill_sort`: the types and functions that all share.
//! - `compression`: gzip and zstd files as streams of bytes.
//! - `containers`: from files to records, and from segments of records to files.
//! - `output_check`: what is checked of outputs before any work is done.
//! - `parallel`: work on records on many threads, with results in the order of the input.
//! - `crawl`: the job, from the pages of a crawl to a file of clean records.

mod atomic_file;
mod compression;
mod containers;
pub mod crawl;
mod error;
mod fault;
mod hash;
mod input_value;
mod location;
mod output_check;
mod parallel;
mod read_options;
mod record;
mod spill_sort;

pub use atomic_file::{AtomicFile, write_atomic};
pub use containers::{
    Column, ColumnType, Inputs, InputsLook, OutputContainer, OutputSchema, RawRecord, Source, assemble, open,
    warc_from_reader,
};
pub use containers::{files_in_folder, is_read_in_folders};
pub use error::{Error, ErrorKind};
pub use fault::{Fault, FaultKind, Known};
pub use input_value::InputValue;
pub use location::{Location, Position};
pub use output_check::{
    ExistingOutput, FileIdentity, Output, OutputKind, check_crawl_output, check_outputs, folder_of, is_in,
    is_read_again,
};
pub use parallel::{PageAtWork, PagesAtWork, RunOptions, run_ordered, run_ordered_sized};
pub use read_options::ReadOptions;
pub use record::Record;
pub use spill_sort::{Sorted, SpillRecord, SpillSort};
