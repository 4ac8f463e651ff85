//! From text to a tree: tokenizer, gate, html5ever's tree builder, arena.

pub(crate) mod arena;
mod charref;
pub(crate) mod elements;
pub(crate) mod fingerprint;
mod foreign;
mod gate;
mod names;
mod path;
mod sink;
pub(crate) mod stats;
mod tokenizer;
mod tokens;
mod tree;
mod writer;

pub use arena::{Attribute, Document, Namespace, NodeId, NodeKind, Placement, Quirks};
pub use fingerprint::{Fingerprints, SCHEME};
pub(crate) use fingerprint::{NodeHasher, tagged};
pub use gate::Parser;
pub use names::Name;
pub use path::Paths;
pub use stats::{Counts, Stats};
pub(crate) use stats::{is_picture, is_spaceless, is_unseen};
pub use tokenizer::State;
pub use tokens::{PageToken, tokenize};
