//! Training: pages with labels in, models with cards and measures out.
//!
//! - `data/`: pages that models learn from, read from files or made from pages of sites.
//! - `labels/`: what a model is to say about them. Block and PageLevel learn from crawls with automatic labels: what many pages of a site
//!   have is template there. Fusion and page types learn from pages with reference texts. A fusion model can be adapted to pages that a
//!   person has corrected.
//! - `learners/`: methods that know nothing of pages, such as logistic regression and trees.
//! - `fit/`: one file for each model.
//! - `measure/`: how well models do.
//!
//! The same pages and the same seed give the same bytes, at any number of threads.

mod data;
mod fit;
mod labels;
mod learners;
mod measure;

pub use data::block_sample::BlockSample;
pub use data::corrected_pages::{CorrectedPage, Correction};
pub use data::data_pages::data_pages;
pub use data::folds::fold_of_sites;
pub use data::marked_pages::{Mark, MarkedInputs, MarkedPage, boxes_of_geometry};
pub use data::name_changes::{NameChange, change_names};
pub use data::reference::{ReferenceInputs, ReferencePage};
pub use data::replaced_content::replaced_content_pages;
pub use fit::adapt_fusion::{Adaptation, adapt_fusion};
pub use fit::block::{BlockMeasures, evaluate_block, train_block};
pub use fit::block_table::{BlockKind, BlockTable, BlockTraining, gather_blocks};
pub use fit::fusion::{FusionTraining, Steps, train_fusion};
pub use fit::fusion_folds::FusionFolds;
pub use fit::fusion_parts::FUSION_FOLDS;
pub use fit::page_type::{fit_page_type, train_page_type};
pub use fit::pagelevel::{PageLevelTraining, train_page_level};
pub use fit::segment::{
    Boxes, LAMBDAS, MarkedLeaf, PaperCosts, SegmentTraining, Variant, fit_best, shuffled, train_segment,
};
pub use labels::fusion_examples::Example;
pub use labels::site_labels::{
    BlockLabel, BlockLabels, Flavour, LabelOptions, LabelledPage, NodeLabels, SiteCounts, count_sites, visit_pages,
};
pub use labels::word_measures::{WordMeasures, measure_text, measure_words};
pub use learners::bins::Bins;
pub use learners::boost::{BoostOptions, Loss, fit_boosted};
pub use learners::dataset::Dataset;
pub use learners::forest::{ForestOptions, fit_forest};
pub use learners::logistic::{LogisticOptions, SparseRows, fit_logistic};
pub use learners::tree_growth::TreeLimits;
pub use measure::adjusted_rand::adjusted_rand;
pub use measure::correction_tally::{CorrectionTally, UnfollowedCorrection, tally_corrections};
pub use measure::curve::{Curve, CurvePoint};
pub use measure::page_measures::{PageMeasures, measure_pages};
