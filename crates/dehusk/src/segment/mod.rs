//! Page segmentation as optimization (Chakrabarti, Kumar and Punera, WWW 2008): GCUTS and CCLUS.

mod cclus;
mod content_scores;
mod cut_problem;
mod expansion;
mod gcuts;
mod leaf_tree;
mod max_flow;
mod part_features;
mod part_table;
mod random;

pub use cclus::{ClusterSettings, Clustering, cluster_leaves};
pub use cut_problem::CutProblem;
pub use gcuts::{CutSettings, Labelling};
pub use leaf_tree::{Leaf, LeafTree, Part};
pub use max_flow::{MaxFlow, UNCUTTABLE};
pub use part_table::PartTable;
