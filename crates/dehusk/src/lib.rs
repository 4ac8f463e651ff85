//! Finds and removes the template around the content of web pages.

mod detection;
pub mod dom;
mod error;
mod input;
mod limits;
mod site;

pub use detection::{Decision, Detection, Reason};
pub use error::{Error, ErrorKind};
pub use input::{Decoded, Rule, decode};
pub use limits::{Cut, Cuts, Limits};
pub use site::{SiteLevel, SiteLevelLearner, SiteTemplate, detect_site_level};
