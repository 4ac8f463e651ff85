//! A fast, standards-compliant HTML parser that records the source bytes of every node.
//!
//! [`decode()`] turns the bytes of a page into text, and [`Parser`] turns the text into a [`Document`]: an arena of nodes in
//! preorder, each with its span of source bytes. html5ever's tree builder applies the rules of the HTML standard; the
//! tokenizer that feeds it and the tree it fills are ours. [`Stats`] counts the text of all subtrees, [`Fingerprints`]
//! hashes them, and [`Paths`] writes XPath and CSS paths. [`Limits`] bound the cost of one page.
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
//! Layers, lowest first; each file imports only files listed before it: `error`, `escape`, `url_host`, `limits`, `hash`, `random`, `text`, `names`,
//! `document`, `elements`, `decode`, `parse`, `stats`, `fingerprint`, `path`.

mod decode;
mod document;
pub mod elements;
mod error;
pub mod escape;
mod fingerprint;
pub mod hash;
mod limits;
mod names;
mod parse;
mod path;
pub mod random;
mod stats;
pub mod text;
mod url_host;

pub use decode::{Decoded, EncodingRule, decode};
pub use document::{Attribute, Document, Namespace, NodeId, NodeKind, Placement, Quirks};
pub use error::{Error, ErrorKind};
pub use fingerprint::{FINGERPRINT_SCHEME, Fingerprints, NameHashes, NodeHasher, tagged, text_hash};
pub use limits::{Limit, Limits, LimitsHit};
pub use names::Name;
pub use parse::parser::Parser;
pub use parse::tokens;
pub use path::Paths;
pub use stats::{Counts, Stats};
pub use url_host::host_of;
