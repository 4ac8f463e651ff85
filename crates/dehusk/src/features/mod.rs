//! Features: the rows of numbers that models read of a page, with a named, versioned schema.

mod block_context;
pub mod block_elements;
pub mod block_features;
mod block_row;
mod block_scratch;
pub mod nodes;
pub mod page_words;

pub use block_context::each_name_word;
