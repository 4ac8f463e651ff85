//! The records of a page: what it repeats, such as posts, cards and rows, and the columns of their fields.
//!
//! [`find_records`] is the front door: a page and the decisions about it in, [`PageRecords`] out. Detectors use `columns.rs` alone, to
//! decide a field alike in all records.

mod column_names;
pub(crate) mod columns;
pub(crate) mod field_hints;
mod fields;
mod first_post;
mod groups;
mod page_records;
mod page_texts;
mod places;
mod record_json;
mod record_kind;
mod record_sets;
pub(crate) mod regions;
mod table_rows;
mod text_shapes;

pub use page_records::{Field, PageRecords, Record, RecordGroup, find_records};
pub use record_json::{append_records_json, render_records_json};
pub use record_kind::RecordKind;

#[cfg(test)]
mod tests;
