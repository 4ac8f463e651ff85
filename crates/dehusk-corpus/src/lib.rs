//! What clean text is for: near-duplicates, keywords, clusters and classes of pages.
//!
//! A [`Corpus`] gives the documents of cleaned pages, or cleans the pages of a crawl first; it reads files. Everything else takes documents or
//! their texts, and gives the same answer on any number of threads. Near-duplicates, shared paragraphs and keys of documents are kept in
//! temporary files where there are more than fit into memory.

pub mod classify;
pub mod cluster;
mod cluster_measures;
mod corpus;
mod document;
pub mod duplicates;
mod error;
mod key_file;
pub mod keywords;
mod naive_bayes;
pub mod paragraphs;
mod text;

pub use cluster_measures::ClusterMeasures;
pub use corpus::{Corpus, InputKind, Skipped};
pub use document::Document;
pub use error::Error;
pub use key_file::{KeyWriter, Keys};
pub use naive_bayes::{NaiveBayes, Prediction};
pub use text::document_frequencies::DocumentFrequencies;
pub use text::phrases::Phrases;
pub use text::terms::{Bag, TermCount, TermTable};
pub use text::tf_idf::{TermWeight, TfIdf, Vectors};
pub use text::words;
