//! Fitted weights, how they are applied to rows of features, and the file they are stored in.
//!
//! Input: rows of numbers. Output: scores. Models are fitted in `dehusk-train`, which writes the same files. Each method defines
//! its own model on top of these, with the same four functions: `from_bytes`, `to_bytes`, `builtin` and `card`.

mod discretize;
mod feature_schema;
mod logistic;
mod model_file;
mod tile;
mod trees;

pub use discretize::Discretizer;
pub use feature_schema::Schema;
pub use logistic::{Logistic, sigmoid};
pub use model_file::{Array, ModelFile};
pub(crate) use tile::{Tile, TileRow, TileRows};
pub use trees::{Link, TreeNode, TreeScratch, Trees};
