//! Finds and removes the template around the content of web pages.

mod detection;
pub mod dom;
mod error;
mod extractor;
mod input;
mod limits;
mod options;
pub mod output;
mod site;

pub use detection::{Decision, Detection, Reason};
pub use error::{Error, ErrorKind};
pub use extractor::{Analysis, Extractor, OutputFormat, ParsedPage, Scratch};
pub use input::{Decoded, Rule, decode};
pub use limits::{Cut, Cuts, Limits};
pub use options::Options;
pub use site::{SiteLevel, SiteLevelLearner, SiteTemplate, detect_site_level, page_evidence};
