//! Learning: automatic labels, datasets, fitting, measures.
//!
//! `crawl -> site counts -> labels -> dataset -> fit -> model file`. No person labels anything: what stands on many pages of a
//! site is template there, and a model learns what such parts look like on sites it has not seen. Everything is
//! deterministic: the same pages and the same seed give the same bytes at any number of threads.

mod bayes;
mod bins;
mod block;
mod boost;
mod card;
mod dataset;
mod evaluate;
mod folds;
mod forest;
pub mod fusion;
mod grow;
mod label;
mod logistic;
mod mdl;
mod pagelevel;
mod random;

pub use bayes::WordCounts;
pub use bins::Bins;
pub use block::{
    BlockKind, BlockMeasures, BlockTable, BlockTraining, evaluate_block, fit_classifier, gather_blocks, scores_of,
    train_block,
};
pub use boost::{BoostOptions, Loss, fit_boosted, fit_boosted_watched};
pub use dataset::Dataset;
pub use evaluate::{Curve, adjusted_rand};
pub use folds::fold_of_sites;
pub use forest::{ForestOptions, fit_forest};
pub use grow::GrowOptions;
pub use label::{
    BlockLabel, BlockLabels, Flavour, LabelOptions, LabelledPage, NodeLabels, SiteCounts, count_sites, visit_pages,
};
pub use logistic::{LogisticOptions, Sparse, fit_logistic, fit_logistic_columns};
pub use mdl::fit_mdl;
pub use pagelevel::{PageLevelTraining, train_page_level};
pub use random::Random;
