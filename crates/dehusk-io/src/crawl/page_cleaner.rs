//! The work of a crawl job on single pages, for callers that read pages, distribute the work and write rows themselves.

use super::job::Crawl;
use super::page_ref::PageRef;
use super::run::clean_guarded;
use crate::containers::{OutputSchema, record_batch};
use crate::crawl::learn::evidence::PageEvidence;
use crate::crawl::learn::learn_settings::LearnSettings;
use crate::crawl::learn::site_sample::{SampleTable, SiteSample};
use crate::crawl::learn::template_store::StoreWriter;
use crate::crawl::rows::output_row::RowBuilder;
use crate::crawl::rows::row_columns::{InputColumns, RowColumns};
use crate::error::Error;
use arrow_array::RecordBatch;
use dehusk::{Scratch, SiteTemplates};
use std::path::Path;

/// The row of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputRow {
    /// The row as a line of JSON.
    pub json: Vec<u8>,
    /// The kind of the error, as in the row, if the page could not be cleaned.
    pub error: Option<String>,
}

/// Does to single pages what a job does to a crawl: the same pages, options and templates give the same rows. Carried columns stay with the
/// caller.
pub struct PageCleaner {
    crawl: Crawl,
    columns: RowColumns,
    schema: OutputSchema,
}

impl PageCleaner {
    /// A cleaner with the options of a job, whose inputs and output are not used.
    #[must_use]
    pub fn new(crawl: Crawl) -> PageCleaner {
        let columns = RowColumns::new(&crawl.formats, crawl.extractor.options().metadata(), InputColumns::default());
        let schema = columns.schema();
        PageCleaner { crawl, columns, schema }
    }

    /// The site of an address.
    #[must_use]
    pub fn site(&self, url: &str) -> String {
        self.crawl.site_by.site_key(url)
    }

    /// What a page says about its site. Nothing if it cannot be read: cleaning reports that. The table says whether its source is needed.
    #[must_use]
    pub fn evidence(&self, page: PageRef<'_>, table: &SampleTable, scratch: &mut Scratch) -> Option<PageEvidence> {
        self.crawl.page_evidence(&page, scratch, |site, priority| table.wants_source(site, priority))
    }

    /// The template file of a site, learned from its sample. Nothing if that is a single page.
    #[must_use]
    pub fn learn(&self, site: &str, sample: &SiteSample) -> Option<Vec<u8>> {
        self.learn_settings().learn_sample(site, sample.pages())
    }

    /// Learns a site from a sample into an existing template store, from this sample alone or together with the pages that the store has of the site.
    /// Returns whether there are enough pages for a template; if not, the store stays as it is.
    ///
    /// # Errors
    /// If the store cannot be used, or there is no store: a new one would not have the other sites.
    pub fn learn_into(&self, store: &Path, site: &str, sample: SiteSample, with_known: bool) -> Result<bool, Error> {
        StoreWriter::open_existing(store)?.learn_site(site, sample.into_pages(), with_known, &self.learn_settings())
    }

    fn learn_settings(&self) -> LearnSettings<'_> {
        let Crawl { method, known_methods, seed, day, .. } = &self.crawl;
        LearnSettings { method, known_methods, seed: *seed, day, threads: 1 }
    }

    /// The row of a page as a line of JSON.
    #[must_use]
    pub fn clean(&self, page: PageRef<'_>, template: Option<&SiteTemplates>, scratch: &mut Scratch) -> Vec<u8> {
        self.row(page, template, scratch).json
    }

    /// The row of a page, and whether it could be cleaned.
    #[must_use]
    pub fn row(&self, page: PageRef<'_>, template: Option<&SiteTemplates>, scratch: &mut Scratch) -> OutputRow {
        let row = clean_guarded(&self.row_builder(), &page, self.site(page.url), template, scratch);
        OutputRow { json: row.json, error: row.tally.error }
    }

    /// The row of a page that could not be read.
    #[must_use]
    pub fn fail(&self, page: PageRef<'_>, kind: &str, message: &str) -> Vec<u8> {
        self.row_builder().unread(&page, self.site(page.url), kind, message).json
    }

    /// Rows as columns, with the names and types of Parquet output.
    ///
    /// # Errors
    /// If a line was not made by this cleaner.
    pub fn batch(&self, lines: &[Vec<u8>]) -> Result<RecordBatch, Error> {
        record_batch(lines, &self.schema)
    }

    fn row_builder(&self) -> RowBuilder<'_> {
        RowBuilder {
            extractor: &self.crawl.extractor,
            segmenter: None,
            records: None,
            columns: &self.columns,
            formats: &self.crawl.formats,
            front_matter: false,
            samples: false,
        }
    }
}
