//! Templates of many sites in one file, kept from crawl to crawl.
//!
//! Beside each template the store keeps the sample of pages it was learned from, so that further pages of the site
//! lead to the same template as if all had come at once. Changes are made whole or not at all.

use super::CrawlError;
use super::sample::{Evidence, Groups, merge_samples};
use dehusk::{SiteLevelLearner, SiteTemplate};
use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Template files by site.
const TEMPLATES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("templates-1");
/// Fingerprints of sampled pages by site, priority and page.
const PAGES: TableDefinition<'_, (&str, u64, u64), &[u8]> = TableDefinition::new("pages-1");

/// Memory for the store's own cache, and for the templates held at once.
const CACHE_BYTES: usize = 32 << 20;
const HELD_ENTRIES: usize = 2_000_000;

/// A file of templates.
pub struct TemplateStore {
    path: PathBuf,
    database: Database,
    keep_pages: bool,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    templates: FxHashMap<String, Option<Arc<SiteTemplate>>>,
    entries: usize,
}

/// What learning did to a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Learned {
    /// Sites with a template.
    pub sites: u64,
    /// Sites with a single page, of which nothing can be learned.
    pub single: u64,
}

impl TemplateStore {
    /// Opens or makes a store. With `keep_pages` it can go on learning later.
    pub(super) fn open(path: &Path, keep_pages: bool) -> Result<TemplateStore, CrawlError> {
        let fail = |error: redb::Error| CrawlError::store(path, error);
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE_BYTES);
        let database = builder.create(path).map_err(|error| fail(error.into()))?;
        let store = TemplateStore { path: path.to_path_buf(), database, keep_pages, held: Mutex::default() };
        // Make the tables, so that reading finds them.
        let change = store.database.begin_write().map_err(|error| fail(error.into()))?;
        change.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
        change.open_table(PAGES).map_err(|error| fail(error.into()))?;
        change.commit().map_err(|error| fail(error.into()))?;
        Ok(store)
    }

    /// Opens a store that is there.
    pub fn open_existing(path: &Path) -> Result<TemplateStore, CrawlError> {
        if !path.is_file() {
            let error = std::io::Error::new(std::io::ErrorKind::NotFound, "no such template store");
            return Err(CrawlError::write(path, error));
        }
        TemplateStore::open(path, true)
    }

    /// Learns from the samples of a crawl, all or nothing.
    pub(super) fn learn(&self, mut groups: Groups, day: &str) -> Result<Learned, CrawlError> {
        let fail = |error: redb::Error| CrawlError::store(&self.path, error);
        let change = self.database.begin_write().map_err(|error| fail(error.into()))?;
        let mut learned = Learned::default();
        {
            let mut templates = change.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
            let mut pages = change.open_table(PAGES).map_err(|error| fail(error.into()))?;
            while let Some((group, sample)) = groups.next_site()? {
                let sample = match self.keep_pages {
                    true => self.merge_with_known(&mut pages, &group, sample)?,
                    false => sample,
                };
                if sample.len() < 2 {
                    learned.single += 1;
                    continue;
                }
                learned.sites += 1;
                let mut learner = SiteLevelLearner::new();
                sample.iter().for_each(|page| learner.observe(&page.fingerprints));
                let template = learner.finish().with_site(group.as_str()).with_learned(day);
                templates.insert(&*group, &*template.to_bytes()).map_err(|error| fail(error.into()))?;
            }
        }
        change.commit().map_err(|error| fail(error.into()))?;
        *self.held.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Held::default();
        Ok(learned)
    }

    /// Joins a sample with what is known of the site and puts the result in its place.
    fn merge_with_known(
        &self,
        pages: &mut redb::Table<'_, (&'static str, u64, u64), &'static [u8]>,
        group: &str,
        sample: Vec<Evidence>,
    ) -> Result<Vec<Evidence>, CrawlError> {
        let fail = |error: redb::Error| CrawlError::store(&self.path, error);
        let range = (group, 0, 0)..=(group, u64::MAX, u64::MAX);
        let mut known = Vec::new();
        for entry in pages.range(range).map_err(|error| fail(error.into()))? {
            let (key, value) = entry.map_err(|error| fail(error.into()))?;
            let (_, priority, identity) = key.value();
            let fingerprints =
                value.value().chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
            known.push(Evidence { group: group.to_string(), priority, identity, fingerprints: fingerprints.collect() });
        }
        let merged = merge_samples(known.clone(), sample);
        for page in &known {
            pages.remove((group, page.priority, page.identity)).map_err(|error| fail(error.into()))?;
        }
        for page in &merged {
            let bytes: Vec<u8> = page.fingerprints.iter().flat_map(|fingerprint| fingerprint.to_le_bytes()).collect();
            pages.insert((group, page.priority, page.identity), &*bytes).map_err(|error| fail(error.into()))?;
        }
        Ok(merged)
    }

    /// The template of a site, if one is known.
    pub fn template(&self, group: &str) -> Result<Option<Arc<SiteTemplate>>, CrawlError> {
        let lock = || self.held.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(template) = lock().templates.get(group) {
            return Ok(template.clone());
        }
        let fail = |error: redb::Error| CrawlError::store(&self.path, error);
        let view = self.database.begin_read().map_err(|error| fail(error.into()))?;
        let table = view.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
        let template = match table.get(group).map_err(|error| fail(error.into()))? {
            None => None,
            Some(bytes) => Some(Arc::new(
                SiteTemplate::from_bytes(bytes.value())
                    .map_err(|error| CrawlError::template(&self.path, group, &error))?,
            )),
        };
        let mut held = lock();
        held.entries += 1 + template.as_ref().map_or(0, |template| template.len());
        if held.entries > HELD_ENTRIES {
            // Crawls come host by host, more or less; starting over costs little.
            *held = Held::default();
        }
        held.templates.insert(group.to_string(), template.clone());
        Ok(template)
    }

    /// How many sites have a template.
    pub fn len(&self) -> Result<u64, CrawlError> {
        let fail = |error: redb::Error| CrawlError::store(&self.path, error);
        let view = self.database.begin_read().map_err(|error| fail(error.into()))?;
        let table = view.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
        table.len().map_err(|error| fail(error.into()))
    }

    /// Whether no site has a template.
    pub fn is_empty(&self) -> Result<bool, CrawlError> {
        Ok(self.len()? == 0)
    }

    /// All templates, one template file after the other in order of their sites.
    pub fn export(&self) -> Result<Vec<u8>, CrawlError> {
        let fail = |error: redb::Error| CrawlError::store(&self.path, error);
        let view = self.database.begin_read().map_err(|error| fail(error.into()))?;
        let table = view.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
        let mut out = Vec::new();
        for entry in table.iter().map_err(|error| fail(error.into()))? {
            out.extend_from_slice(entry.map_err(|error| fail(error.into()))?.1.value());
        }
        Ok(out)
    }
}
