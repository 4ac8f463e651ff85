//! What all sites share: learned weights, how they are applied, and the file they are kept in.
//!
//! Takes rows of numbers and returns scores. Fitting is not done here; `dehusk-train` does it and writes the same files.

mod bayes;
mod discretize;
mod file;
mod logistic;
mod tile;
mod trees;

pub use bayes::{WordOdds, word_key};
pub use discretize::Discretizer;
pub use file::{Array, ModelFile, SchemaId};
pub use logistic::{Logistic, sigmoid};
pub(crate) use tile::{LANES, Tile, TileRow, TileRows};
pub use trees::{Link, TreeNode, TreeScratch, Trees};
