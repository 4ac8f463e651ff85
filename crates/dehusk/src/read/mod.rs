//! What a page says: its words, text blocks, the landmarks and hints of its elements, its tables.
//!
//! Each of these is defined here and nowhere else: detectors, segmenters and renderers read a page by the same rules, those of other
//! crates too.

pub(crate) mod data_tables;
pub(crate) mod landmarks;
pub(crate) mod name_hints;
pub(crate) mod parsed_page;
pub(crate) mod table_grid;
pub(crate) mod tag_set;
pub(crate) mod text_blocks;
pub(crate) mod words;

pub use landmarks::Landmark;
pub use name_hints::{HINTS, Hints, all_hints_of, each_name, hint_bit, hints_of};
pub use parsed_page::{PageEncoding, ParsedPage};
pub use words::hashed_odds::{HashedOdds, ODDS_SLOTS};
pub use words::stop_words::is_stop_word;
pub use words::text_counts::TextCounts;
pub use words::word_hash::{WordHash, WordKind, each_word};
