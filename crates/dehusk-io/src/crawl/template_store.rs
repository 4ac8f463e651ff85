//! Templates of many sites in one file, kept from crawl to crawl.
//!
//! With each template the store keeps the sample of pages it was learned from, so that learning from further pages of the
//! site gives the same template as learning from all at once. Changes are made completely or not at all.

use super::evidence::PageEvidence;
use super::sample::{SiteSamples, merge_samples};
use crate::error::{Error, ErrorKind};
use dehusk::methods::site::{DriftCounter, Verdict};
use dehusk::{Method, SiteLearner, SiteTemplates};
use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Template files by site.
const TEMPLATES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("templates-1");
/// Fingerprints of sampled pages by site, priority and page.
const PAGES: TableDefinition<'_, (&str, u64, u64), &[u8]> = TableDefinition::new("pages-1");

/// Sources of the pages that are kept, by the same key, compressed.
const SOURCES: TableDefinition<'_, (&str, u64, u64), &[u8]> = TableDefinition::new("sources-1");

/// The maximum number of sites learned at once: each needs the memory of all pages kept of it.
const MAX_SITES_AT_ONCE: usize = 4;

/// Memory for the cache of the database.
const CACHE_BYTES: usize = 32 << 20;
/// The maximum number of entries of the templates held in memory.
const MAX_CACHED_ENTRIES: usize = 2_000_000;

/// A file of templates.
pub struct TemplateStore {
    path: PathBuf,
    database: Database,
    keep_pages: bool,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    templates: FxHashMap<String, Option<Arc<SiteTemplates>>>,
    entries: usize,
}

impl TemplateStore {
    /// Opens or creates a store. With `keep_pages` it can continue learning later.
    pub(super) fn open(path: &Path, keep_pages: bool) -> Result<TemplateStore, Error> {
        let fail = |error: redb::Error| store_error(path, error);
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE_BYTES);
        let database = builder.create(path).map_err(|error| fail(error.into()))?;
        let store = TemplateStore { path: path.to_path_buf(), database, keep_pages, cache: Mutex::default() };
        // Create the tables, so that reading finds them.
        let change = store.database.begin_write().map_err(|error| fail(error.into()))?;
        change.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
        change.open_table(PAGES).map_err(|error| fail(error.into()))?;
        change.open_table(SOURCES).map_err(|error| fail(error.into()))?;
        change.commit().map_err(|error| fail(error.into()))?;
        Ok(store)
    }

    /// Opens an existing store.
    pub fn open_existing(path: &Path) -> Result<TemplateStore, Error> {
        if !path.is_file() {
            return Err(Error::new(ErrorKind::CannotRead, "no such template store").at(path));
        }
        TemplateStore::open(path, true)
    }

    /// Learns from the samples of a crawl, completely or not at all.
    pub(super) fn learn(&self, mut samples: SiteSamples, how: &LearnSettings<'_>) -> Result<(), Error> {
        let fail = |error: redb::Error| store_error(&self.path, error);
        let change = self.database.begin_write().map_err(|error| fail(error.into()))?;
        {
            let mut templates = change.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
            let mut known = KnownPages {
                pages: change.open_table(PAGES).map_err(|error| fail(error.into()))?,
                sources: change.open_table(SOURCES).map_err(|error| fail(error.into()))?,
                path: &self.path,
            };
            // Several sites at once; they are written in order.
            let at_once = how.threads.min(MAX_SITES_AT_ONCE);
            loop {
                let mut batch = Vec::with_capacity(at_once);
                while batch.len() < at_once {
                    let Some((group, sample)) = samples.next_site()? else { break };
                    let sample = match self.keep_pages {
                        true => known.join(&group, sample, self.template(&group)?.as_deref())?,
                        false => sample,
                    };
                    // A single page shares nothing with others.
                    if sample.len() >= 2 {
                        batch.push((group, sample));
                    }
                }
                if batch.is_empty() {
                    break;
                }
                for (group, file) in how.learn(&batch)? {
                    templates.insert(group, &*file).map_err(|error| fail(error.into()))?;
                }
            }
        }
        change.commit().map_err(|error| fail(error.into()))?;
        *self.cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Cache::default();
        Ok(())
    }

    /// The template of a site, if there is one.
    pub fn template(&self, group: &str) -> Result<Option<Arc<SiteTemplates>>, Error> {
        let lock = || self.cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(template) = lock().templates.get(group) {
            return Ok(template.clone());
        }
        let fail = |error: redb::Error| store_error(&self.path, error);
        let view = self.database.begin_read().map_err(|error| fail(error.into()))?;
        let table = view.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
        let template = match table.get(group).map_err(|error| fail(error.into()))? {
            None => None,
            Some(bytes) => Some(Arc::new(
                SiteTemplates::from_bytes(bytes.value()).map_err(|error| template_error(&self.path, group, error))?,
            )),
        };
        let mut cache = lock();
        // What a template holds apart from counts takes about as much memory as this many counts.
        let weight = |template: &Arc<SiteTemplates>| template.counts().len() + 4_000 * template.templates().len();
        cache.entries += 1 + template.as_ref().map_or(0, weight);
        if cache.entries > MAX_CACHED_ENTRIES {
            // Crawls are ordered by host, more or less, so starting over costs little.
            *cache = Cache::default();
        }
        cache.templates.insert(group.to_string(), template.clone());
        Ok(template)
    }

    /// How many sites have a template.
    pub fn site_count(&self) -> Result<u64, Error> {
        let fail = |error: redb::Error| store_error(&self.path, error);
        let view = self.database.begin_read().map_err(|error| fail(error.into()))?;
        let table = view.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
        table.len().map_err(|error| fail(error.into()))
    }

    /// All template files one after the other, in the order of their sites.
    pub fn export(&self) -> Result<Vec<u8>, Error> {
        let fail = |error: redb::Error| store_error(&self.path, error);
        let view = self.database.begin_read().map_err(|error| fail(error.into()))?;
        let table = view.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
        let mut out = Vec::new();
        for entry in table.iter().map_err(|error| fail(error.into()))? {
            out.extend_from_slice(entry.map_err(|error| fail(error.into()))?.1.value());
        }
        Ok(out)
    }
}

/// How sites are learned.
pub(super) struct LearnSettings<'a> {
    pub(super) method: Method,
    pub(super) align_share: Option<f64>,
    pub(super) seed: u64,
    pub(super) day: &'a str,
    pub(super) threads: usize,
}

impl LearnSettings<'_> {
    /// The template files of several sites, each learned on a thread of its own.
    fn learn<'b>(&self, sites: &'b [(String, Vec<PageEvidence>)]) -> Result<Vec<(&'b str, Vec<u8>)>, Error> {
        if sites.len() == 1 || self.method == Method::SiteLevel {
            return sites.iter().map(|(group, sample)| Ok((&**group, self.learn_site(group, sample)?))).collect();
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = sites
                .iter()
                .map(|(group, sample)| (&**group, scope.spawn(move || self.learn_site(group, sample))))
                .collect();
            let broken = |group: &str| {
                Error::new(ErrorKind::Internal, format!("{group}: learning this site failed; please report it"))
            };
            threads.into_iter().map(|(group, thread)| Ok((group, thread.join().map_err(|_| broken(group))??))).collect()
        })
    }

    fn learn_site(&self, group: &str, sample: &[PageEvidence]) -> Result<Vec<u8>, Error> {
        let learner = SiteLearner::new(self.method).with_align_share(self.align_share);
        let mut learner = learner.map_err(|error| Error::new(ErrorKind::InvalidOptions, error.to_string()))?;
        for page in sample {
            learner.observe_parts(page.priority, &page.fingerprints, page.read_source());
        }
        Ok(learner.finish(self.seed).with_site(group).with_learned(self.day).to_bytes())
    }
}

type PageTable<'a> = redb::Table<'a, (&'static str, u64, u64), &'static [u8]>;

/// The pages that a store keeps to continue learning.
struct KnownPages<'a> {
    pages: PageTable<'a>,
    sources: PageTable<'a>,
    path: &'a Path,
}

impl KnownPages<'_> {
    /// Merges a sample with the known pages of the site and keeps the result. Pages of a template that stopped fitting are
    /// deleted, so that learning retires it.
    fn join(
        &mut self,
        group: &str,
        sample: Vec<PageEvidence>,
        template: Option<&SiteTemplates>,
    ) -> Result<Vec<PageEvidence>, Error> {
        let fail = |error: redb::Error| store_error(self.path, error);
        let range = || (group, 0, 0)..=(group, u64::MAX, u64::MAX);
        let mut known = Vec::new();
        for entry in self.pages.range(range()).map_err(|error| fail(error.into()))? {
            let (key, value) = entry.map_err(|error| fail(error.into()))?;
            let (_, priority, identity) = key.value();
            let fingerprints =
                value.value().chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
            let source = self.sources.get((group, priority, identity)).map_err(|error| fail(error.into()))?;
            let source = source.map_or(Vec::new(), |source| source.value().to_vec());
            let fingerprints = fingerprints.collect();
            known.push(PageEvidence { group: group.to_string(), priority, identity, fingerprints, source });
        }
        let before: Vec<(u64, u64)> = known.iter().map(|page| (page.priority, page.identity)).collect();
        if let Some(template) = template {
            remove_stopped(&mut known, &sample, template);
        }
        let merged = merge_samples(known, sample);
        for (priority, identity) in before {
            self.pages.remove((group, priority, identity)).map_err(|error| fail(error.into()))?;
            self.sources.remove((group, priority, identity)).map_err(|error| fail(error.into()))?;
        }
        for page in &merged {
            let key = (group, page.priority, page.identity);
            let bytes: Vec<u8> = page.fingerprints.iter().flat_map(|fingerprint| fingerprint.to_le_bytes()).collect();
            self.pages.insert(key, &*bytes).map_err(|error| fail(error.into()))?;
            if !page.source.is_empty() {
                self.sources.insert(key, &*page.source).map_err(|error| fail(error.into()))?;
            }
        }
        Ok(merged)
    }
}

/// Removes known pages of templates that no page of a new sample has, though some should.
fn remove_stopped(known: &mut Vec<PageEvidence>, sample: &[PageEvidence], template: &SiteTemplates) {
    if template.templates().is_empty() {
        return;
    }
    let fit = |page: &PageEvidence| page.read_source().and_then(|source| template.fit_source(&source));
    let mut counter = DriftCounter::default();
    sample.iter().filter_map(fit).for_each(|fit| counter.observe(fit));
    let drift = counter.finish(template);
    let stopped =
        |number: u32| drift.templates.get(number as usize).is_some_and(|template| template.verdict == Verdict::Stopped);
    if drift.templates.iter().any(|template| template.verdict == Verdict::Stopped) {
        known.retain(|page| !fit(page).and_then(|fit| fit.template).is_some_and(stopped));
    }
}

fn store_error(path: &Path, error: redb::Error) -> Error {
    match error {
        redb::Error::Io(error) => Error::write(path, error),
        redb::Error::DatabaseAlreadyOpen => {
            Error::new(ErrorKind::InUse, "another run uses this template store").at(path).because(error)
        }
        error => Error::new(ErrorKind::TemplateStore, "the template store cannot be used").at(path).because(error),
    }
}

fn template_error(path: &Path, group: &str, error: dehusk::Error) -> Error {
    Error::new(ErrorKind::TemplateStore, format!("the template of {group}")).at(path).because(error)
}
