//! From text to a tree: tokenizer, gate, html5ever's tree builder, arena.

pub(crate) mod arena;
mod charref;
mod foreign;
mod gate;
mod names;
mod sink;
mod tokenizer;

pub use arena::{Attribute, Document, Namespace, NodeId, NodeKind, Placement, Quirks};
pub use gate::{PageToken, Parser, tokenize};
pub use names::Name;
pub use tokenizer::State;
