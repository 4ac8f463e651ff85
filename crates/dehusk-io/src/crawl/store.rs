//! Templates of many sites in one file, kept from crawl to crawl.
//!
//! Beside each template the store keeps the sample of pages it was learned from, so that further pages of the site
//! lead to the same template as if all had come at once. Changes are made whole or not at all.

use super::CrawlError;
use super::sample::{Evidence, Groups, merge_samples};
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

/// Sites that are learned at once at most: each takes the memory of all pages kept of it, read again.
const LEARNED_AT_ONCE: usize = 4;

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
    templates: FxHashMap<String, Option<Arc<SiteTemplates>>>,
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
        change.open_table(SOURCES).map_err(|error| fail(error.into()))?;
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
    pub(super) fn learn(&self, mut groups: Groups, how: &Learning<'_>) -> Result<Learned, CrawlError> {
        let fail = |error: redb::Error| CrawlError::store(&self.path, error);
        let change = self.database.begin_write().map_err(|error| fail(error.into()))?;
        let mut learned = Learned::default();
        {
            let mut templates = change.open_table(TEMPLATES).map_err(|error| fail(error.into()))?;
            let mut known = KnownPages {
                pages: change.open_table(PAGES).map_err(|error| fail(error.into()))?,
                sources: change.open_table(SOURCES).map_err(|error| fail(error.into()))?,
                path: &self.path,
            };
            // Some sites at once; they are written in order.
            let at_once = how.threads.min(LEARNED_AT_ONCE);
            loop {
                let mut batch = Vec::with_capacity(at_once);
                while batch.len() < at_once {
                    let Some((group, sample)) = groups.next_site()? else { break };
                    let sample = match self.keep_pages {
                        true => known.join(&group, sample, self.template(&group)?.as_deref())?,
                        false => sample,
                    };
                    if sample.len() < 2 {
                        learned.single += 1;
                        continue;
                    }
                    batch.push((group, sample));
                }
                if batch.is_empty() {
                    break;
                }
                learned.sites += batch.len() as u64;
                for (group, file) in how.learn(&batch)? {
                    templates.insert(group, &*file).map_err(|error| fail(error.into()))?;
                }
            }
        }
        change.commit().map_err(|error| fail(error.into()))?;
        *self.held.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Held::default();
        Ok(learned)
    }

    /// The template of a site, if one is known.
    pub fn template(&self, group: &str) -> Result<Option<Arc<SiteTemplates>>, CrawlError> {
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
                SiteTemplates::from_bytes(bytes.value())
                    .map_err(|error| CrawlError::template(&self.path, group, &error))?,
            )),
        };
        let mut held = lock();
        // What templates of kinds hold beside counts weighs about as much as this many counts each.
        let weight = |template: &Arc<SiteTemplates>| template.counts().len() + 4_000 * template.templates().len();
        held.entries += 1 + template.as_ref().map_or(0, weight);
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

/// How sites are learned.
pub(super) struct Learning<'a> {
    pub(super) method: Method,
    pub(super) seed: u64,
    pub(super) day: &'a str,
    pub(super) threads: usize,
}

impl Learning<'_> {
    /// The template files of some sites, each learned on a thread of its own.
    fn learn<'b>(&self, sites: &'b [(String, Vec<Evidence>)]) -> Result<Vec<(&'b str, Vec<u8>)>, CrawlError> {
        if sites.len() == 1 || self.method == Method::SiteLevel {
            return Ok(sites.iter().map(|(group, sample)| (&**group, self.learn_site(group, sample))).collect());
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = sites
                .iter()
                .map(|(group, sample)| (&**group, scope.spawn(move || self.learn_site(group, sample))))
                .collect();
            let broken = |group: &str| CrawlError::new(format!("{group}: learning this site failed; please report it"));
            threads.into_iter().map(|(group, thread)| Ok((group, thread.join().map_err(|_| broken(group))?))).collect()
        })
    }

    fn learn_site(&self, group: &str, sample: &[Evidence]) -> Vec<u8> {
        let mut learner = SiteLearner::new(self.method);
        for page in sample {
            learner.observe_parts(page.priority, &page.fingerprints, page.read_source());
        }
        learner.finish(self.seed).with_site(group).with_learned(self.day).to_bytes()
    }
}

type PageTable<'a> = redb::Table<'a, (&'static str, u64, u64), &'static [u8]>;

/// The pages a store keeps to go on learning with.
struct KnownPages<'a> {
    pages: PageTable<'a>,
    sources: PageTable<'a>,
    path: &'a Path,
}

impl KnownPages<'_> {
    /// Joins a sample with what is known of the site and puts the result in its place. Pages of a template that
    /// stopped fitting are forgotten, so that learning retires it.
    fn join(
        &mut self,
        group: &str,
        sample: Vec<Evidence>,
        template: Option<&SiteTemplates>,
    ) -> Result<Vec<Evidence>, CrawlError> {
        let fail = |error: redb::Error| CrawlError::store(self.path, error);
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
            known.push(Evidence { group: group.to_string(), priority, identity, fingerprints, source });
        }
        let before: Vec<(u64, u64)> = known.iter().map(|page| (page.priority, page.identity)).collect();
        if let Some(template) = template {
            forget_stopped(&mut known, &sample, template);
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

/// Forgets known pages of templates that no page of a new sample has, though some should.
fn forget_stopped(known: &mut Vec<Evidence>, sample: &[Evidence], template: &SiteTemplates) {
    if template.templates().is_empty() {
        return;
    }
    let fit = |page: &Evidence| page.read_source().and_then(|source| template.fit_source(&source));
    let mut counter = DriftCounter::default();
    sample.iter().filter_map(fit).for_each(|fit| counter.observe(fit));
    let drift = counter.finish(template);
    let stopped =
        |number: u32| drift.templates.get(number as usize).is_some_and(|template| template.verdict == Verdict::Stopped);
    if drift.templates.iter().any(|template| template.verdict == Verdict::Stopped) {
        known.retain(|page| !fit(page).and_then(|fit| fit.template).is_some_and(stopped));
    }
}
