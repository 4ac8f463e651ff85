//! Learning methods that know nothing of pages: rows of numbers with targets in, parts of models out.

pub(crate) mod bayes;
pub(crate) mod bins;
pub(crate) mod boost;
pub(crate) mod dataset;
pub(crate) mod forest;
pub(crate) mod leaf_regions;
pub(crate) mod logistic;
pub(crate) mod mdl;
pub(crate) mod neighbour_metric;
pub(crate) mod symmetric_matrix;
pub(crate) mod tree_growth;
