//! The crawl job: a crawl in, clean rows out.
//!
//! The first pass reads the crawl and learns each site from a sample of its pages; the second reads it again and writes a
//! row for each page, in the order of the input. Memory is limited by the budget of the sample, by the pages in flight
//! and by the largest page, whatever the size of the crawl and the number of its sites. A killed run can be resumed.

mod evidence;
mod host_table;
mod job;
mod learn_settings;
mod output_row;
mod page_cleaner;
mod page_ref;
mod progress;
mod record_format;
mod record_rows;
mod report;
mod row_columns;
mod run;
mod run_state;
mod sample;
mod site_by;
mod site_sample;
mod tally;
mod template_store;

pub use evidence::PageEvidence;
pub use job::{Crawl, SegmentOutput, TemplateMode};
pub use page_cleaner::{OutputRow, PageCleaner};
pub use page_ref::PageRef;
pub use progress::{PageOutcome, Progress, TrackedSource};
pub use record_format::{RecordFormat, RecordOutput};
pub use report::{report_html, report_json};
pub use sample::{Sampler, SiteSamples};
pub use site_by::SiteBy;
pub use site_sample::{SampleTable, SiteSample};
pub use tally::{DroppedSample, RankedPage, SiteTally, Tally};
pub use template_store::TemplateStore;
