//! JSON lines: a file is split into lines, and a line becomes a page.

pub(crate) mod json_line;
pub(crate) mod jsonl_read;
