//! How well models do: curves of precision and recall, words of pages, corrections that are followed, agreement of segments.

pub(crate) mod adjusted_rand;
pub(crate) mod correction_tally;
pub(crate) mod curve;
pub(crate) mod page_measures;
