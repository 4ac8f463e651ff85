//! Five published methods for finding the template of web pages, as plug-ins of [`dehusk`].
//!
//! One folder per paper, named as its method, with a README that says section by section where each idea is:
//!
//! - [`pagelevel`]: templateness of every node of a single page, smoothed over the tree;
//! - [`block`]: template blocks of pages of any site;
//! - [`align`]: what pages have in the same order;
//! - [`treemap`]: what the trees of pages have in common;
//! - [`segment`]: pages as segments, by graph cuts and by correlation clustering.
//!
//! Each implements the traits of [`dehusk`] ([`Detector`](dehusk::Detector), [`TemplateMethod`](dehusk::site::TemplateMethod),
//! [`Segmenter`](dehusk::Segmenter)) and has no other rights than a method of anybody else. [`methods`] has all of them, with those of
//! the core, by name.
//!
//! ```
//! use dehusk::{Extractor, Options};
//!
//! let methods = dehusk_papers::methods();
//! let block = methods.detector("block").ok_or("no such detector")?.clone();
//! let extractor = Extractor::new(Options::new())?.with_shared_detector(block)?;
//! let found = extractor.extract_owned("<ul><li><a href=/>Home</a></ul><p>Nets are mended in May, when the boats come home.</p>")?;
//! assert_eq!(found.detection().detectors.to_string(), "block");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod align;
pub mod block;
pub mod layout;
mod method_names;
mod page_counts;
pub mod pagelevel;
mod rules;
pub mod segment;
pub mod treemap;

pub use method_names::{methods, methods_with_align_share};
pub use rules::Rules;

use dehusk::dom;
