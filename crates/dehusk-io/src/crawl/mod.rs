//! The crawl job: a crawl in, clean rows out.
//!
//! The first pass reads the crawl and learns each site from a sample of its pages; the second reads it again and writes a
//! row for each page, in the order of the input. Memory is limited by the budget of the sample, by the pages in flight
//! and by the largest page, whatever the size of the crawl and the number of its sites. A killed run can be resumed.

mod counts;
mod job;
mod learn;
mod page_cleaner;
mod page_ref;
mod progress;
mod record_format;
mod rows;
mod run;
mod run_state;
mod site_by;

pub use counts::report::{report_html, report_json};
pub use counts::tally::{DroppedSample, RankedPage, SiteTally, Tally};
pub use job::{Crawl, SegmentOutput, TemplateMode};
pub use learn::evidence::PageEvidence;
pub use learn::sample::{Sampler, SiteSamples};
pub use learn::site_sample::{SampleTable, SiteSample};
pub use learn::template_store::TemplateStore;
pub use page_cleaner::{OutputRow, PageCleaner};
pub use page_ref::PageRef;
pub use progress::{PageOutcome, Progress, TrackedSource};
pub use record_format::{RecordFormat, RecordOutput};
pub use site_by::SiteBy;
