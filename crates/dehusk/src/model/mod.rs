//! Learned weights, how they are applied, and the file they are kept in.
//!
//! Takes rows of numbers and returns scores. Fitting is not done here; `dehusk-train` does it and writes the same files. Each
//! method defines its own model on top of these, with the same four functions: `from_bytes`, `to_bytes`, `builtin` and `card`.

mod bayes;
mod discretize;
mod file;
mod logistic;
mod schema;
mod tile;
mod trees;

pub use bayes::{WordOdds, word_key};
pub use discretize::Discretizer;
pub use file::{Array, ModelFile};
pub use logistic::{Logistic, sigmoid};
pub use schema::Schema;
pub(crate) use tile::{LANES, Tile, TileRow, TileRows};
pub use trees::{Link, TreeNode, TreeScratch, Trees};
