//! Finds and removes the template around the content of web pages.
//!
//! One call takes the bytes of a page and returns its content:
//!
//! ```
//! let page = "<nav><a href=/>Home</a></nav><p>Nets are mended in May, when the boats come home and the nights are short.</p>";
//! assert!(dehusk::extract(page)?.text().starts_with("Nets are mended in May"));
//! # Ok::<(), dehusk::Error>(())
//! ```
//!
//! The pages of one site share a template: navigation, sidebars, footers. Dehusk learns it from some pages of the site
//! and removes it from each of them.
//!
//! ```
//! use dehusk::{Detector, Extractor, Method, Options, Page, Scratch, SiteLearner};
//!
//! let page = |text| format!("<body><nav><a href=/>Home</a> <a href=/all>All posts</a></nav><p>{text}</p></body>");
//! let pages = ["Rain fell on the harbour.", "Nets are mended in May.", "The ferry is late."].map(page);
//!
//! let extractor = Extractor::new(Options::new().with_detector(Detector::SiteLevel))?;
//! let mut scratch = Scratch::default();
//! let mut learner = SiteLearner::new(Method::SiteLevel);
//! for (number, page) in pages.iter().enumerate() {
//!     learner.observe(&number.to_string(), &extractor.parse(page, &mut scratch)?);
//! }
//! let site = learner.finish(0);
//!
//! let found = extractor.extract(Page::new(&pages[1]).with_site(&site), &mut scratch)?;
//! assert_eq!(found.text().trim(), "Nets are mended in May.");
//! assert_eq!(found.strip(), "<body><p>Nets are mended in May.</p></body>");
//! # Ok::<(), dehusk::Error>(())
//! ```
//!
//! Three depths: [`extract`] for a single page; an [`Extractor`] for work, shared between threads and used for millions of
//! pages; and [`methods`] for research, where every method can be called by itself. An [`Extraction`] has the content, and a
//! [`Detection`] with the decision about every node and the reason for it. The crate knows no files, threads, network or
//! clock, and never panics on any bytes: [`Limits`] bound what a page may cost.

mod coherence;
mod comments;
mod decide;
mod detection;
mod detector;
mod error;
mod extraction;
mod extractor;
mod fallback;
mod fallback_source;
mod features;
mod flags;
mod focus;
mod fusion;
mod json;
pub mod layout;
mod metadata;
pub mod methods;
mod model;
mod models;
mod options;
pub mod output;
mod page;
mod page_input;
mod page_type;
mod parsed_page;
mod scratch;
mod segment;
mod segment_json;
mod segment_picture;
mod segmenter;
#[cfg(feature = "serde")]
mod serialize;
mod site;
mod table_grid;
mod units;

/// The parser: bytes to text to a tree whose nodes know their bytes in the source.
pub use dehusk_dom as dom;

pub use comments::Comments;
pub use detection::{Decision, Detection, Reason};
pub use detector::Detector;
pub use dom::Limits;
pub use error::{Error, ErrorKind};
pub use extraction::Extraction;
pub use extractor::Extractor;
pub use fallback_source::FallbackSource;
pub use flags::Flag;
pub use focus::Focus;
pub use metadata::Metadata;
pub use models::Model;
pub use options::Options;
pub use output::{Heading, OutputFormat, RenderOptions};
pub use page_input::Page;
pub use page_type::PageType;
pub use parsed_page::ParsedPage;
pub use scratch::Scratch;
pub use segment::{Segment, SegmentRole, Segmentation};
pub use segmenter::{SegmentMethod, SegmentedPage, Segmenter};
pub use site::{Method, SiteLearner, SiteTemplates};

/// The types of the fields of results.
pub mod details {
    pub use crate::detection::{PageVerdict, TemplateFit};
    pub use crate::detector::Detectors;
    pub use crate::dom::{EncodingRule, Limit, LimitsHit};
    pub use crate::metadata::{MetadataField, MetadataSource};
    pub use crate::parsed_page::PageEncoding;
}

/// The content of a page, by the default detector.
///
/// Takes the bytes as they came; the encoding is detected. A page without content is not an error: its text is empty and
/// [`Extraction::flags`] has [`Flag::NoContent`].
///
/// ```
/// let page = "<title>Nets</title><nav><a href=/>Home</a> <a href=/all>All posts</a></nav>
///     <main><h1>Nets</h1><p>Nets are mended in May, when the boats come home and the nights are short. Whoever has
///     hands to spare sits on the quay, and the old ones tell how it was done before.</p></main>
///     <footer>© Harbour Notes. <a href=/privacy>Privacy</a></footer>";
/// let found = dehusk::extract(page)?;
/// assert!(found.text().contains("Nets are mended in May"));
/// assert!(!found.text().contains("Privacy"));
/// assert_eq!(found.title().as_deref(), Some("Nets"));
/// # Ok::<(), dehusk::Error>(())
/// ```
///
/// # Errors
/// If the bytes are not a page, such as an image, or exceed a limit.
pub fn extract<'p>(page: impl Into<Page<'p>>) -> Result<Extraction<'static>, Error> {
    Extractor::new(Options::new())?.extract_owned(page)
}

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
