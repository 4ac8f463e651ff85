//! The records of a page: what it repeats, such as posts, cards and rows, and the columns of their fields.
//!
//! [`find_records`] is the front door: a page and the decisions about it in, [`PageRecords`] out. Detectors use `columns.rs` alone, to
//! decide a field alike in all records.

pub(crate) mod columns;
mod page_records;
mod record_json;
pub(crate) mod regions;
mod shown_texts;

pub use page_records::{Field, PageRecords, Record, RecordGroup, RecordKind, find_records};
pub use record_json::{append_records_json, render_records_json};
