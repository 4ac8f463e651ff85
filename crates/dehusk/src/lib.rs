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
//! use dehusk::detect::SiteDetector;
//! use dehusk::{Extractor, Options, Page, Scratch, SiteLearner, SiteMethod};
//!
//! let page = |text| format!("<body><nav><a href=/>Home</a> <a href=/all>All posts</a></nav><p>{text}</p></body>");
//! let pages = ["Rain fell on the harbour.", "Nets are mended in May.", "The ferry is late."].map(page);
//!
//! let extractor = Extractor::new(Options::new())?.with_detector(SiteDetector::new(SiteMethod::counts()))?;
//! let mut scratch = Scratch::default();
//! let mut learner = SiteLearner::new(SiteMethod::counts());
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
//! pages; and the modules of this crate, one for each stage of a page, for research. An [`Extraction`] has the content, and a
//! [`Detection`] with the decision about every node and the reason for it. The crate knows no files, threads, network or
//! clock, and never panics on any bytes: [`Limits`] bound what a page may cost.
//!
//! Methods plug in: a [`Detector`] decides about the nodes of a page, a [`site::TemplateMethod`] learns what the pages of a site
//! share, a [`Segmenter`] splits a page. The crate `dehusk-papers` has those of five papers; [`Methods`] collects methods by name.

mod comments;
pub mod detect;
pub mod detection;
mod error;
mod extraction;
mod extractor;
pub mod fallback;
mod fallback_source;
mod flags;
mod focus;
mod json;
pub mod layout;
pub mod metadata;
mod methods;
pub mod model;
mod options;
mod page;
pub mod read;
pub mod records;
pub mod render;
mod safe_url;
mod scratch;
pub mod segmentation;
#[cfg(feature = "serde")]
mod serialize;
pub mod settle;
pub mod site;

/// The parser: bytes to text to a tree whose nodes know their bytes in the source.
pub use dehusk_dom as dom;

pub use comments::Comments;
pub use detect::Detector;
pub use detection::{Decision, Detection, PageType, Reason};
pub use dom::Limits;
pub use error::{Error, ErrorKind};
pub use extraction::Extraction;
pub use extractor::Extractor;
pub use fallback_source::FallbackSource;
pub use flags::Flag;
pub use focus::Focus;
pub use metadata::Metadata;
pub use methods::Methods;
pub use options::Options;
pub use page::Page;
pub use read::ParsedPage;
pub use render::{OutputFormat, RenderOptions};
pub use scratch::Scratch;
pub use segmentation::{PageSegmenter, Segment, SegmentRole, Segmentation, SegmentedPage, Segmenter};
pub use settle::Heading;
pub use site::{SiteLearner, SiteMethod, SiteTemplates};

/// The types of the fields of results.
pub mod details {
    pub use crate::detection::{Detectors, PageVerdict, TemplateFit};
    pub use crate::dom::{EncodingRule, Limit, LimitsHit};
    pub use crate::metadata::{MetadataField, MetadataSource};
    pub use crate::read::PageEncoding;
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
