//! Reading the damaged JSON of real pages, and writing JSON.

mod reader;
mod writer;

pub(crate) use reader::{Json, ValueId, read_quoted};
pub(crate) use writer::JsonWriter;
