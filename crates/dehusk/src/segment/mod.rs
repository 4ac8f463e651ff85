//! Page segmentation as optimization (Chakrabarti, Kumar and Punera, WWW 2008): GCUTS and CCLUS.

mod cclus;
mod cut_problem;
mod expansion;
mod gcuts;
mod max_flow;
mod random;

pub use cclus::{ClusterSettings, Clustering, cluster_leaves};
pub use cut_problem::CutProblem;
pub use gcuts::{CutSettings, Labelling};
pub use max_flow::{MaxFlow, UNCUTTABLE};
