//! From text to a tree: tokenizer, gate, html5ever's tree builder, arena.

pub(crate) mod arena;
mod charref;
mod foreign;
mod gate;
mod names;
mod sink;
mod tokenizer;
mod tokens;
mod tree;
mod writer;

pub use arena::{Attribute, Document, Namespace, NodeId, NodeKind, Placement, Quirks};
pub use gate::Parser;
pub use names::Name;
pub use tokenizer::State;
pub use tokens::{PageToken, tokenize};
