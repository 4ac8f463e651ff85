//! What a text is made of: words, terms, phrases, stop words; and how texts are compared: vectors, signatures.

pub(crate) mod document_frequencies;
pub(crate) mod phrases;
pub(crate) mod signature;
mod stop_words;
pub(crate) mod terms;
pub(crate) mod tf_idf;
pub mod words;
