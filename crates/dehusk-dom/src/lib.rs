//! A fast, standards-compliant HTML parser whose nodes know their bytes in the source.
//!
//! [`decode`] turns the bytes of a page into text, [`Parser`] turns the text into a [`Document`]: an arena of nodes in
//! preorder, each with its span of source bytes. html5ever's tree builder applies the rules of the HTML standard; the
//! tokenizer in front of it and the tree behind it are ours. [`Stats`] counts the text of all subtrees, [`Fingerprints`]
//! hashes them, [`Paths`] writes XPath and CSS paths. [`Limits`] bound what one page may cost.
//!
//! ```
//! use dehusk_dom::{Name, Parser};
//!
//! let document = Parser::default().parse("<p>Nets are <b>mended</b> in May.")?;
//! let bold = document.find(Name::B).unwrap();
//! assert_eq!(&document.source()[document.span(bold).unwrap()], "<b>mended</b>");
//! # Ok::<(), dehusk_dom::Error>(())
//! ```
//!
//! Layers, lowest first; each file imports only files above it in this list: `error`, `limits`, `hash`, `text`, `names`, `arena`,
//! `elements`, `decode`, `charref`, `tokenizer`, `tokens`, `foreign`, `tree`, `writer`, `sink`, `gate`, `stats`,
//! `fingerprint`, `path`.

mod arena;
mod charref;
mod decode;
pub mod elements;
mod error;
mod fingerprint;
mod foreign;
mod gate;
pub mod hash;
mod limits;
mod names;
mod path;
mod sink;
mod stats;
pub mod text;
mod tokenizer;
pub mod tokens;
mod tree;
mod writer;

pub use arena::{Attribute, Document, Namespace, NodeId, NodeKind, Placement, Quirks};
pub use decode::{Decoded, EncodingRule, decode};
pub use error::{Error, ErrorKind};
pub use fingerprint::{Fingerprints, NameHashes, NodeHasher, SCHEME, tagged, text_hash};
pub use gate::Parser;
pub use limits::{Limit, Limits, LimitsHit};
pub use names::Name;
pub use path::Paths;
pub use stats::{Counts, Stats};
