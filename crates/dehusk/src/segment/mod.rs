//! Page segmentation: GCUTS and CCLUS (Chakrabarti, Kumar and Punera, WWW 2008), and `best`.
//!
//! `leaf_tree.rs` finds the leaves of a page and the parts around them. The paper's methods compare leaves and parts by vectors
//! (`node_vectors.rs`) and leaves with their neighbours (`adjacency.rs`, `pair_features.rs`), and optimize: `gcuts.rs` on a
//! `cut_problem.rs`, `cclus.rs` on attractions. `best` describes parts (`part_features.rs`), scores them twice
//! (`part_context.rs`) and cuts the tree (`tree_cut.rs`). `segment_page.rs` applies all of them to a page, `segmentation.rs` is the
//! result.

mod adjacency;
mod cclus;
mod content_scores;
mod cut_problem;
mod expansion;
mod gcuts;
mod leaf_tree;
mod max_flow;
mod node_vectors;
mod pair_features;
mod part_context;
mod part_features;
mod part_table;
mod role;
mod segment_model;
mod segment_page;
mod segmentation;
mod tree_cut;

pub use adjacency::adjacent_leaves;
pub use cclus::{ClusterSettings, Clustering, cluster_leaves};
pub use cut_problem::CutProblem;
pub use gcuts::{CutSettings, Labelling};
pub use leaf_tree::{Leaf, LeafTree, Part};
pub use max_flow::{MaxFlow, UNCUTTABLE};
pub use node_vectors::{NODE_WIDTH, NodeVector, NodeVectors};
pub use pair_features::{PAIR_WIDTH, PairDescriber, PairVector};
pub use part_table::PartTable;
pub use role::SegmentRole;
pub use segment_model::{CutTrees, Lambdas, Metric, PairModel, SegmentModel};
pub use segment_page::{GcutsSettings, LeafLabels, SegmentPage};
pub use segmentation::{Segment, Segmentation};
