//! A tolerant reader for the JSON of real pages, and a JSON writer.

mod reader;
mod writer;

pub(crate) use reader::{Json, ValueId, read_quoted};
pub(crate) use writer::JsonWriter;
