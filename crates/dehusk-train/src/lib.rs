//! Training: labels, features, fitting, measures, model cards.
//!
//! Three ways to learn. Block and PageLevel learn from crawls with automatic labels (`label.rs`): what appears on many pages of a site is
//! template there. Fusion and page types learn from a labelled corpus: pages with reference texts (`reference.rs`). A fusion model can be
//! adapted to pages that a person has corrected (`corrected_pages.rs`, `adapt.rs`). All end in a model file with a card that says what
//! it was trained on. Everything is deterministic: the same pages and the same seed give the same bytes at any number of threads.

mod adapt;
mod asked;
mod bayes;
mod bins;
mod block;
mod boost;
mod card;
mod corrected_pages;
mod dataset;
mod evaluate;
mod folds;
mod forest;
mod fusion;
mod fusion_examples;
mod fusion_folds;
mod graft;
mod grow;
mod label;
mod leaf_regions;
mod logistic;
mod mdl;
mod measure_pages;
mod metric;
mod other_blocks;
mod page_type;
mod pagelevel;
mod random;
mod read_pages;
mod record_pages;
mod reference;
mod rename;
mod segment;
mod segment_examples;
mod segment_trees;
mod site_sample;
mod source_tags;

pub use adapt::{Adaptation, adapt_fusion};
pub use asked::{Followed, Missed};
pub use bins::Bins;
pub use block::{BlockKind, BlockMeasures, BlockTable, BlockTraining, evaluate_block, gather_blocks, train_block};
pub use boost::{BoostOptions, Loss, fit_boosted};
pub use corrected_pages::{CorrectedPage, Correction};
pub use dataset::Dataset;
pub use evaluate::{Curve, adjusted_rand, measure_text, measure_words, measures};
pub use folds::fold_of_sites;
pub use forest::{ForestOptions, fit_forest};
pub use fusion::{FusionTraining, Steps, train_fusion};
pub use fusion_examples::Example;
pub use fusion_folds::{FUSION_FOLDS, FusionFolds};
pub use graft::graft_pages;
pub use grow::GrowOptions;
pub use label::{
    BlockLabel, BlockLabels, Flavour, LabelOptions, LabelledPage, NodeLabels, SiteCounts, count_sites, visit_pages,
};
pub use logistic::{LogisticOptions, SparseRows, fit_logistic};
pub use measure_pages::{PageMeasures, follow_corrections, measure_pages};
pub use other_blocks::OtherBlocks;
pub use page_type::{fit_page_type, train_page_type};
pub use pagelevel::{PageLevelTraining, train_page_level};
pub use random::Random;
pub use record_pages::record_pages;
pub use reference::{ReferenceInputs, ReferencePage};
pub use rename::{NameChange, change_names};
pub use segment::{Boxes, LAMBDAS, PaperCosts, SegmentTraining, Variant, fit_best, shuffled, train_segment};
pub use segment_examples::{MarkedInputs, MarkedPage, boxes_of_geometry};
