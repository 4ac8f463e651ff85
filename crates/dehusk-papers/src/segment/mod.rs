//! Segment: pages as segments, by graph cuts (GCUTS) and correlation clustering (CCLUS), and by `best`, which is ours.
//!
//! `leaf_tree.rs` finds the leaves of a page and the parts around them. The paper's methods compare leaves and parts by vectors
//! (`node_vectors.rs`) and leaves with their neighbours (`adjacency.rs`, `pair_features.rs`), and optimize: `gcuts/` a cut problem,
//! `cclus/` attractions. `best/` describes parts, scores them twice and cuts the tree. `segment_page.rs` applies all of them to a
//! page, `segmenter.rs` is the plug-in. Chakrabarti, Kumar and Punera: A Graph-Theoretic Approach to Webpage Segmentation (WWW 2008).

mod adjacency;
mod best;
mod cclus;
mod gcuts;
mod leaf_tree;
mod node_vectors;
mod pair_features;
mod segment_model;
mod segment_page;
mod segmenter;
#[cfg(test)]
mod shown_segments_tests;

pub use adjacency::adjacent_leaves;
pub use best::part_table::PartTable;
pub use cclus::{ClusterSettings, Clustering, cluster_leaves};
pub use dehusk::{Segment, SegmentRole, Segmentation};
pub use gcuts::cut_problem::CutProblem;
pub use gcuts::max_flow::{MaxFlow, UNCUTTABLE};
pub use gcuts::{CutSettings, Labelling};
pub use leaf_tree::{Leaf, LeafTree, Part};
pub use node_vectors::{NODE_WIDTH, NodeVector, NodeVectors};
pub use pair_features::{PAIR_WIDTH, PairDescriber, PairVector};
pub use segment_model::{CutTrees, Lambdas, Metric, PairModel, SegmentModel};
pub use segment_page::{GcutsSettings, LeafLabels, SegmentPage};
pub use segmenter::{ModelSegmenter, SegmentMethod};
