//! Words: how a text is split, what is counted, and what words say by themselves.

pub(crate) mod block_words;
pub(crate) mod boilerplate_words;
pub(crate) mod hashed_odds;
pub(crate) mod stop_words;
pub(crate) mod text_counts;
pub(crate) mod trigram_overlap;
pub(crate) mod word_hash;
pub(crate) mod word_sets;
