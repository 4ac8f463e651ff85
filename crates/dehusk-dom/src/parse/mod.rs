//! Text to a document: tokens, what html5ever's tree builder sees of them, the tree it builds, and the document written from it.

mod build_tree;
mod charref;
mod document_writer;
mod foreign;
pub(crate) mod parser;
mod token_filter;
mod tokenizer;
pub mod tokens;
mod tree_sink;
