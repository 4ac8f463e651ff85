//! What clean text is for: near-duplicates, keywords, clusters and classes of pages.
//!
//! A [`Corpus`] gives the documents of cleaned records, or cleans the pages of a crawl first. Everything else takes
//! documents or their texts, knows no files, and gives the same answer on any number of threads.

mod corpus;
mod document;
pub mod duplicates;
mod key_file;
pub mod paragraphs;
mod signature;
mod spill_sort;
pub mod words;

pub use corpus::{Corpus, InputKind, Skipped};
pub use document::Document;
pub use key_file::{KeyWriter, Keys};
