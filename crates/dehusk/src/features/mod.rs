//! What models read of a page: rows of numbers with a named, versioned schema.

pub mod block;
pub mod block_list;
mod block_row;
mod block_scratch;
pub mod nodes;
mod tally;
pub mod words;

pub use tally::each_name_word;
