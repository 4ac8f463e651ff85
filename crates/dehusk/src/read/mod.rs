//! What a page says, read once: its words, text blocks, the hints of its names, its tables.

pub(crate) mod block_words;
pub(crate) mod boilerplate_words;
pub(crate) mod data_tables;
pub(crate) mod name_hints;
pub(crate) mod parsed_page;
pub(crate) mod table_grid;
pub(crate) mod tag_set;
pub(crate) mod text_blocks;
pub(crate) mod text_counts;
pub(crate) mod word_hash;

pub use name_hints::{HINTS, Hints, hints_of};
pub use parsed_page::{PageEncoding, ParsedPage};
