//! From scores to what is kept: the evidence of the site, the threshold of the page, the comments of readers.

pub(crate) mod focus_threshold;
pub(crate) mod pool_scores;
pub(crate) mod reader_comments;
pub(crate) mod site_evidence;
pub(crate) mod thresholds;
