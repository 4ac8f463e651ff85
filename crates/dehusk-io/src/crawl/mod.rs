//! The crawl job: a crawl in, clean records out.
//!
//! The first pass reads the crawl and learns each site from a sample of its pages; the second reads it again and writes a
//! record for each page, in the order of the input. Memory is limited by the budget of the sample, by the records in flight
//! and by the largest page, whatever the size of the crawl and the number of its sites. A killed run can be resumed.

mod evidence;
mod host_table;
mod job;
mod learn_settings;
mod page_cleaner;
mod progress;
mod record;
mod record_columns;
mod report;
mod run;
mod run_state;
mod sample;
mod site_by;
mod site_sample;
mod tally;
mod template_store;

pub use evidence::PageEvidence;
pub use job::{Crawl, SegmentOutput, TemplateMode};
pub use page_cleaner::{PageBytes, PageCleaner, PageRecord};
pub use progress::{Progress, RecordOutcome, TrackedSource};
pub use report::{report_html, report_json};
pub use sample::{Sampler, SiteSamples};
pub use site_by::SiteBy;
pub use site_sample::{SampleTable, SiteSample};
pub use tally::{GroupTally, Tally};
pub use template_store::TemplateStore;
