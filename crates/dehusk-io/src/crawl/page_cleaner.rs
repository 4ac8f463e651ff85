//! The work of a crawl job on single pages, for those who read pages, distribute the work and write records themselves.

use super::evidence::PageEvidence;
use super::job::Crawl;
use super::learn_settings::LearnSettings;
use super::record::{PageRef, Recorder};
use super::record_columns::{InputColumns, RecordColumns};
use super::run::clean_guarded;
use super::site_sample::{SampleTable, SiteSample};
use super::template_store::StoreWriter;
use crate::containers::{OutputSchema, record_batch};
use crate::error::Error;
use crate::input_value::InputValue;
use arrow_array::RecordBatch;
use dehusk::{Scratch, SiteTemplates};
use std::path::Path;

/// A page as the caller holds it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PageBytes<'a> {
    /// The address of the page; empty if it has none.
    pub url: &'a str,
    /// The page in its own character encoding.
    pub html: &'a [u8],
    /// The content type with its charset, as the server states it.
    pub content_type: Option<&'a str>,
    /// Whether this is only the start of the page.
    pub truncated: bool,
    /// The id of the page, for its record.
    pub id: Option<&'a InputValue>,
}

impl<'a> PageBytes<'a> {
    /// A page of which nothing else is known.
    pub fn new(url: &'a str, html: &'a [u8]) -> PageBytes<'a> {
        PageBytes { url, html, content_type: None, truncated: false, id: None }
    }

    /// The id of the page, for its record.
    pub fn with_id(mut self, id: Option<&'a InputValue>) -> PageBytes<'a> {
        self.id = id;
        self
    }

    /// The content type with its charset, as the server states it.
    pub fn with_content_type(mut self, content_type: Option<&'a str>) -> PageBytes<'a> {
        self.content_type = content_type;
        self
    }

    /// Whether this is only the start of the page.
    pub fn with_truncated(mut self, truncated: bool) -> PageBytes<'a> {
        self.truncated = truncated;
        self
    }

    fn page(self) -> PageRef<'a> {
        let PageBytes { url, html, content_type, truncated, id } = self;
        PageRef { url, name: url.to_string(), html, content_type, id, carried: &[], truncated }
    }
}

/// A record, and whether it is one of a page that could not be cleaned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageRecord {
    /// The record as a line of JSON.
    pub json: Vec<u8>,
    /// The kind of the error, as in the record.
    pub error: Option<String>,
}

/// Does to single pages what a job does to a crawl: the same pages, options and templates give the same records. Carried columns stay with the
/// caller.
pub struct PageCleaner {
    crawl: Crawl,
    columns: RecordColumns,
    schema: OutputSchema,
}

impl PageCleaner {
    /// A cleaner with the options of a job, whose inputs and output are not used.
    pub fn new(crawl: Crawl) -> PageCleaner {
        let columns = RecordColumns::new(&crawl.formats, crawl.extractor.options().metadata(), InputColumns::default());
        let schema = columns.schema();
        PageCleaner { crawl, columns, schema }
    }

    /// The site of an address.
    pub fn group(&self, url: &str) -> String {
        self.crawl.site_by.site_key(url)
    }

    /// What a page says about its site. Nothing if it cannot be read: cleaning reports that. The table says whether its source is needed.
    pub fn evidence(&self, page: PageBytes<'_>, table: &SampleTable, scratch: &mut Scratch) -> Option<PageEvidence> {
        self.crawl.page_evidence(&page.page(), scratch, |group, priority| table.wants_source(group, priority))
    }

    /// The template file of a site, learned from its sample. Nothing if that is a single page.
    ///
    /// # Errors
    /// If the options of the method cannot be used.
    pub fn learn(&self, group: &str, sample: &SiteSample) -> Result<Option<Vec<u8>>, Error> {
        self.learn_settings().learn_sample(group, sample.pages())
    }

    /// Learns a site from a sample into an existing template store, from this sample alone or together with the pages that the store has of the site.
    /// Returns whether there are enough pages for a template; if not, the store stays as it is.
    ///
    /// # Errors
    /// If the options of the method or the store cannot be used, or there is no store: a new one would not have the other sites.
    pub fn learn_into(&self, store: &Path, group: &str, sample: SiteSample, with_known: bool) -> Result<bool, Error> {
        StoreWriter::open_existing(store)?.learn_site(group, sample.into_pages(), with_known, &self.learn_settings())
    }

    fn learn_settings(&self) -> LearnSettings<'_> {
        let Crawl { method, align_share, seed, day, .. } = &self.crawl;
        LearnSettings { method: *method, align_share: *align_share, seed: *seed, day, threads: 1 }
    }

    /// The record of a page as a line of JSON.
    pub fn clean(&self, page: PageBytes<'_>, template: Option<&SiteTemplates>, scratch: &mut Scratch) -> Vec<u8> {
        self.record(page, template, scratch).json
    }

    /// The record of a page, and whether it could be cleaned.
    pub fn record(&self, page: PageBytes<'_>, template: Option<&SiteTemplates>, scratch: &mut Scratch) -> PageRecord {
        let line = clean_guarded(&self.recorder(), &page.page(), self.group(page.url), template, scratch);
        PageRecord { json: line.json, error: line.tally.error }
    }

    /// The record of a page that could not be read.
    pub fn fail(&self, page: PageBytes<'_>, kind: &str, message: &str) -> Vec<u8> {
        self.recorder().unread(&page.page(), self.group(page.url), kind, message).json
    }

    /// Records as columns, with the names and types of Parquet output.
    ///
    /// # Errors
    /// If a line was not made by this cleaner.
    pub fn batch(&self, lines: &[Vec<u8>]) -> Result<RecordBatch, Error> {
        record_batch(lines, &self.schema)
    }

    fn recorder(&self) -> Recorder<'_> {
        Recorder {
            extractor: &self.crawl.extractor,
            segmenter: None,
            columns: &self.columns,
            formats: &self.crawl.formats,
            front_matter: false,
            samples: false,
        }
    }
}
