//! Page segmentation as optimization (Chakrabarti, Kumar and Punera, WWW 2008): GCUTS and CCLUS.

mod max_flow;
mod random;

pub use max_flow::{MaxFlow, UNCUTTABLE};
