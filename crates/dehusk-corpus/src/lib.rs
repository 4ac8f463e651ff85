//! What clean text is for: near-duplicates, keywords, clusters and classes of pages.
//!
//! A [`Corpus`] gives the documents of cleaned records, or cleans the pages of a crawl first. Everything else takes
//! documents or their texts, knows no files, and gives the same answer on any number of threads.

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
mod phrases;
mod signature;
mod stop_words;
mod terms;
mod tf_idf;
pub mod words;

pub use cluster_measures::ClusterMeasures;
pub use corpus::{Corpus, InputKind, Skipped};
pub use document::Document;
pub use error::Error;
pub use key_file::{KeyWriter, Keys};
pub use naive_bayes::{NaiveBayes, Prediction};
pub use phrases::{DocumentFrequencies, Phrases};
pub use terms::{Bag, TermTable};
pub use tf_idf::{TfIdf, Vectors};
