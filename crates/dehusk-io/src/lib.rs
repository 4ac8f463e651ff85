//! Containers in, containers out, and an ordered parallel driver between them, in bounded memory.
//!
//! [`open`] gives the pages of WARC, JSON lines, Parquet and folders as [`RawRecord`]s; [`run_ordered`] takes
//! them apart and works on them on many threads; [`assemble()`] joins finished segments into the output. This
//! crate does not know what is done with a page.

mod assemble;
mod codec;
pub mod crawl;
mod fault;
mod fields;
mod folder_write;
mod html_dir;
mod http;
mod inflate;
mod jsonl;
mod options;
mod parquet_read;
mod parquet_write;
mod place;
mod record;
mod run;
mod source;
mod spool;
mod warc;
mod warc_page;
mod write_error;

pub use assemble::{Column, ColumnType, Layout, OutputKind, assemble};
pub use fault::{Fault, FaultKind};
pub use inflate::Input;
pub use options::ReadOptions;
pub use place::{At, Place};
pub use record::{RawRecord, Record};
pub use run::{RunOptions, run_ordered};
pub use source::{Inputs, Source, open};
pub use spool::Spool;
pub use warc::warc_from_reader;
pub use write_error::{WriteError, WriteErrorKind};
