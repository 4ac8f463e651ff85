//! Fusion: the default detector. One model over the text blocks of a page; it needs no other page of the site.
//!
//! `text_blocks.rs` splits a document into text blocks and `block_features.rs` describes them. The model (`fusion_model.rs`) scores
//! them in two passes (the second is in `second_pass.rs` and `page_parts.rs`), drops copies (`copies.rs`) and chooses a threshold (`thresholds.rs`).
//! `fusion_detector.rs` turns the scores into a detection. `dehusk-train` fits the model.

mod block_features;
mod block_words;
mod boilerplate_words;
mod copies;
mod feature_sink;
mod focus_threshold;
mod fusion_details;
mod fusion_detector;
mod fusion_model;
mod fusion_page;
mod fusion_schema;
mod fusion_scores;
mod hash_order;
mod name_hints;
mod page_facts;
mod page_parts;
mod page_type_model;
mod reader_comments;
mod roles;
mod scale;
mod second_pass;
mod site_evidence;
mod tag_set;
mod text_blocks;
mod text_counts;
mod thresholds;
mod trigram_overlap;
mod word_hash;
mod word_odds;
mod word_sets;

pub use fusion_details::append_fusion_details;
pub use fusion_detector::{FusionSettings, apply_scores, detect_fusion};
pub use fusion_model::FusionModel;
pub use fusion_page::{FusionPage, WordSlots};
pub use fusion_schema::ColumnNames;
pub use fusion_scores::FusionScores;
pub(crate) use name_hints::{HINTS, Hints, hints_of};
pub use page_type_model::PageTypeModel;
pub use site_evidence::{EvidenceWeights, SiteEvidence};
pub use word_odds::{HashedOdds, ODDS_SLOTS, Odds};

#[cfg(test)]
mod copies_tests;
#[cfg(test)]
mod features_tests;
#[cfg(test)]
mod second_tests;
