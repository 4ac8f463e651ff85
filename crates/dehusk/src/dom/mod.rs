//! From text to a tree: tokenizer, gate, html5ever's tree builder, arena.

pub(crate) mod arena;
mod charref;
mod fingerprint;
mod gate;
mod names;
mod path;
mod sink;
mod stats;
mod tokenizer;

pub use arena::{Attribute, Document, Namespace, NodeId, NodeKind, Placement, Quirks};
pub use fingerprint::{Fingerprints, SCHEME};
pub use gate::{PageToken, Parser, tokenize};
pub use names::Name;
pub use path::Paths;
pub use stats::{Counts, Stats};
pub use tokenizer::State;
