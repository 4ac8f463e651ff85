//! What a page says, read once: its words, text blocks, the hints of its names, its tables.

pub(crate) mod block_words;
pub(crate) mod boilerplate_words;
pub(crate) mod hashed_odds;
pub(crate) mod name_hints;
pub(crate) mod parsed_page;
pub(crate) mod table_grid;
pub(crate) mod tag_set;
pub(crate) mod text_blocks;
pub(crate) mod text_counts;
pub(crate) mod trigram_overlap;
pub(crate) mod word_hash;
pub(crate) mod word_sets;

pub use name_hints::{HINTS, Hints, hints_of};
pub use parsed_page::{PageEncoding, ParsedPage};
