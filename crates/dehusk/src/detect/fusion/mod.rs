//! Fusion: the default detector. One model over the text blocks of a page; what is known of the page's site is evidence.
//!
//! [`read`](crate::read) splits a page into text blocks and `describe/` describes them. The model (`fusion_model.rs`) scores them in
//! two passes, `choose/` combines the scores with the evidence of the site and chooses a threshold, and `fusion_detector.rs` turns
//! the scores into a detection. `dehusk-train` fits the model.

pub(crate) mod choose;
pub(crate) mod describe;
pub(crate) mod fusion_details;
pub(crate) mod fusion_detector;
pub(crate) mod fusion_model;
pub(crate) mod fusion_page;
pub(crate) mod fusion_schema;
pub(crate) mod fusion_scores;
pub(crate) mod page_type_model;

pub use crate::read::words::hashed_odds::{HashedOdds, ODDS_SLOTS, Odds};
pub use choose::site_evidence::{EvidenceWeights, SiteEvidence};
pub use fusion_details::append_fusion_details;
pub use fusion_detector::{Fusion, FusionSettings, apply_scores, detect_fusion};
pub use fusion_model::FusionModel;
pub use fusion_page::{FusionPage, WordSlots};
pub use fusion_schema::ColumnNames;
pub use fusion_scores::FusionScores;
pub use page_type_model::PageTypeModel;
