//! What models read of a page: rows of numbers with a named, versioned schema.

pub mod block;
pub mod block_list;
pub mod nodes;
pub mod words;
