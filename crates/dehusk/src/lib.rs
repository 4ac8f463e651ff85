//! Finds and removes the template around the content of web pages.
//!
//! One call takes the bytes of a page and returns its content:
//!
//! ```
//! let page = "<nav><a href=/>Home</a></nav><p>Nets are mended in May, when the boats come home and the nights are short.</p>";
//! assert!(dehusk::extract(page)?.text.starts_with("Nets are mended in May"));
//! # Ok::<(), dehusk::Error>(())
//! ```
//!
//! The pages of one site share a template: navigation, sidebars, footers. Dehusk learns it from some pages of the site
//! and removes it from each of them.
//!
//! ```
//! use dehusk::{Extractor, Options, OutputFormat, Scratch, SiteLevelLearner};
//!
//! let page = |text| format!("<body><nav><a href=/>Home</a> <a href=/all>All posts</a></nav><p>{text}</p></body>");
//! let pages = ["Rain fell on the harbour.", "Nets are mended in May.", "The ferry is late."].map(page);
//!
//! let extractor = Extractor::new(Options::new())?;
//! let mut scratch = Scratch::default();
//! let mut learner = SiteLevelLearner::new();
//! for page in &pages {
//!     learner.observe(&extractor.parse(page.as_bytes(), None, &mut scratch)?.evidence());
//! }
//! let template = learner.finish();
//!
//! let analysis = extractor.analyze(pages[1].as_bytes(), None, Some(&template), &mut scratch)?;
//! assert_eq!(analysis.render(OutputFormat::Text, Default::default()).trim(), "Nets are mended in May.");
//! assert_eq!(analysis.strip(), "<body><p>Nets are mended in May.</p></body>");
//! # Ok::<(), dehusk::Error>(())
//! ```
//!
//! Three depths: [`Extractor`] for work, shared between threads and used for millions of pages; the functions of the
//! stages ([`decode`], [`dom::Parser`], [`detect_site_level`], [`output`]) for research; and per page a [`Detection`] that says
//! of every node whether it stays, and why. The crate knows no files, threads, network or clock, and never panics on any
//! bytes: [`Limits`] cap what a page may cost.

mod detection;
pub mod dom;
mod error;
mod extract;
mod extractor;
pub mod features;
pub mod fusion;
mod hidden;
mod input;
mod json;
pub mod layout;
mod limits;
mod metadata;
pub mod model;
mod models;
mod options;
pub mod output;
mod page;
mod result;
mod site;

pub use detection::{Decision, Detection, PageVerdict, Reason, TemplateFit};
pub use error::{Error, ErrorKind};
pub use extract::{ExtractOptions, Extraction, extract, extract_with};
pub use extractor::{Analysis, Detector, Extractor, OutputFormat, ParsedPage, Scratch};
pub use hidden::{HiddenContent, HiddenSource, fallback, hidden_content, noscript_words};
pub use input::{Decoded, Rule, decode};
pub use limits::{Cut, Cuts, Limits};
pub use metadata::{Field, Metadata, MetadataSource, metadata};
pub use models::Model;
pub use options::{KnownSite, LonePage, Options};
pub use page::{
    BANDS, JudgedPage, LEAST_AREA, LEVELS, ModelSettings, PageLevel, PageLevelModel, PageScores, PageSection,
    ScoredTree, Weighed, append_weighed, detect_page_level, score_page, smooth_exact, smooth_quantized,
};
pub use page::{Block, BlockClassifier, BlockModel, BlockScores, OperatingPoint, detect_block, score_blocks};
pub use result::PageResult;
pub use site::align::{self, AlignLearner, AlignTemplate, detect_align};
pub use site::{
    Drift, DriftCounter, KEPT_PAGES, KindTemplate, Method, PageTree, Part, PartKind, Rule as DetectionRule,
    SiteLearner, SiteLevel, SiteLevelLearner, SiteTemplate, SiteTemplates, Skeleton, TemplateDrift, TreeMap,
    TreeMapLearner, TreeMapTemplates, TreeMapping, Verdict, detect_site_level, detect_tree_map, map_trees,
    mapping_distance, mapping_similarity, page_evidence, page_source,
};
