//! Templates of many sites in one file, kept from crawl to crawl.
//!
//! With each template the store keeps the sample of pages it was learned from, so that learning from further pages of the
//! site gives the same template as learning from all at once. Changes are made completely or not at all.
//!
//! The file is a redb database, which finds no damage by itself while it is read, and may panic on it. So a directory holds
//! checksums of all that is kept of each site, and a checksum of the directory is kept, too. The directory is read whole
//! when the store is opened and decides what the store has; what is read later must agree with it. Nothing but learning
//! opens the file for writing.

use super::evidence::PageEvidence;
use super::sample::{SiteSamples, merge_samples};
use crate::error::{Error, ErrorKind};
use crate::hash::{StreamHash, hash64};
use crate::quiet_panic::catch_quietly;
use dehusk::methods::site::{DriftCounter, Verdict};
use dehusk::{Method, SiteLearner, SiteTemplates};
use redb::{Builder, Database, ReadOnlyDatabase, ReadableDatabase, ReadableTable, TableDefinition};
use rustc_hash::FxHashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Template files by site.
const TEMPLATES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("templates-2");
/// Fingerprints of sampled pages by site, priority and page.
const PAGES: TableDefinition<'_, (&str, u64, u64), &[u8]> = TableDefinition::new("pages-2");
/// Sources of the pages that are kept, by the same key, compressed.
const SOURCES: TableDefinition<'_, (&str, u64, u64), &[u8]> = TableDefinition::new("sources-2");
/// Checksums by site, see [`Sums`].
const DIRECTORY: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("directory-2");
/// The checksum of the directory under the key [`WHOLE`].
const CHECKS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("checks-2");
const WHOLE: &str = "directory";

/// The maximum number of sites learned at once: each needs the memory of all pages kept of it.
const MAX_SITES_AT_ONCE: usize = 4;

/// Memory for the cache of the database.
const CACHE_BYTES: usize = 32 << 20;
/// The maximum number of entries of the templates held in memory.
const MAX_CACHED_ENTRIES: usize = 2_000_000;

/// A file of templates, opened to be read.
pub struct TemplateStore {
    path: PathBuf,
    /// `None` only while it is dropped.
    database: Option<ReadOnlyDatabase>,
    directory: Directory,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    templates: FxHashMap<String, Arc<SiteTemplates>>,
    entries: usize,
}

impl TemplateStore {
    /// Opens an existing store. The file is not changed, and any number of processes can read it.
    pub fn open(path: &Path) -> Result<TemplateStore, Error> {
        if !path.is_file() {
            return Err(Error::new(ErrorKind::CannotRead, "no such template store").at(path));
        }
        let (database, directory) = guarded(path, || {
            let database = builder().open_read_only(path)?;
            let view = database.begin_read()?;
            let directory = Directory::read(&view.open_table(DIRECTORY)?, &view.open_table(CHECKS)?)?;
            drop(view);
            Ok((database, directory))
        })?;
        Ok(TemplateStore { path: path.to_path_buf(), database: Some(database), directory, cache: Mutex::default() })
    }

    /// The template of a site, if there is one.
    pub fn template(&self, group: &str) -> Result<Option<Arc<SiteTemplates>>, Error> {
        let sums = self.directory.of(group);
        if sums.iter().all(|(_, sums)| sums.template == 0) {
            return Ok(None);
        }
        let lock = || self.cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(template) = lock().templates.get(group) {
            return Ok(Some(template.clone()));
        }
        let template = guarded(&self.path, || {
            let Some(database) = &self.database else { return Ok(None) };
            let table = database.begin_read()?.open_table(TEMPLATES)?;
            let bytes = table.get(group)?;
            let bytes = bytes.as_ref().map(|bytes| bytes.value());
            template_of(group, bytes, sums)
        })?;
        let Some(template) = template else { return Ok(None) };
        let mut cache = lock();
        // What a template holds apart from counts takes about as much memory as this many counts.
        cache.entries += 16 + template.counts().len() + 4_000 * template.templates().len();
        if cache.entries > MAX_CACHED_ENTRIES {
            // Crawls are ordered by host, more or less, so starting over costs little.
            *cache = Cache::default();
        }
        cache.templates.insert(group.to_string(), template.clone());
        Ok(Some(template))
    }

    /// How many sites have a template.
    pub fn site_count(&self) -> u64 {
        self.directory.sites.iter().filter(|(_, sums)| sums.template != 0).count() as u64
    }

    /// What is in the store, as a number that changes with it.
    pub(super) fn identity(&self) -> String {
        format!("{:016x}", self.directory.checksum)
    }

    /// All template files one after the other, in the order of their sites.
    pub fn export(&self) -> Result<Vec<u8>, Error> {
        guarded(&self.path, || {
            let Some(database) = &self.database else { return Ok(Vec::new()) };
            let table = database.begin_read()?.open_table(TEMPLATES)?;
            let (mut out, mut sites) = (Vec::new(), 0);
            for entry in table.iter()? {
                let (group, bytes) = entry?;
                template_of(group.value(), Some(bytes.value()), self.directory.of(group.value()))?;
                out.extend_from_slice(bytes.value());
                sites += 1;
            }
            if sites != self.site_count() { Err(Broken::damaged("templates are missing")) } else { Ok(out) }
        })
    }
}

impl Drop for TemplateStore {
    fn drop(&mut self) {
        let database = self.database.take();
        let _ = catch_quietly(|| drop(database));
    }
}

/// A template as it was read, if it agrees with the directory.
fn template_of(group: &str, bytes: Option<&[u8]>, sums: &[(u64, Sums)]) -> Result<Option<Arc<SiteTemplates>>, Broken> {
    let sum = bytes.map_or(0, |bytes| template_sum(group, bytes));
    if sum == 0 || !sums.iter().any(|(_, sums)| sums.template == sum) {
        return Err(Broken::damaged(format!("the template of {group} is not the one that was stored")));
    }
    let template = SiteTemplates::from_bytes(bytes.unwrap_or_default());
    Ok(Some(Arc::new(template.map_err(|error| Broken::damaged(format!("the template of {group}: {error}")))?)))
}

/// A template store opened to learn.
pub(super) struct StoreWriter {
    path: PathBuf,
    /// `None` only while it is dropped.
    database: Option<Database>,
    directory: Directory,
    keep_pages: bool,
}

impl StoreWriter {
    /// Opens or creates a store. With `keep_pages` it can continue learning later.
    pub(super) fn open(path: &Path, keep_pages: bool) -> Result<StoreWriter, Error> {
        if !path.exists() {
            create(path)?;
        }
        let (database, directory) = guarded(path, || {
            let database = builder().open(path)?;
            let view = database.begin_read()?;
            let directory = Directory::read(&view.open_table(DIRECTORY)?, &view.open_table(CHECKS)?)?;
            drop(view);
            Ok((database, directory))
        })?;
        Ok(StoreWriter { path: path.to_path_buf(), database: Some(database), directory, keep_pages })
    }

    /// Learns from the samples of a crawl, completely or not at all, and closes the file.
    pub(super) fn learn(mut self, mut samples: SiteSamples, how: &LearnSettings<'_>) -> Result<(), Error> {
        let Some(database) = self.database.take() else { return Ok(()) };
        guarded(&self.path, || {
            let change = database.begin_write()?;
            {
                let mut templates = change.open_table(TEMPLATES)?;
                let mut directory = change.open_table(DIRECTORY)?;
                let mut known = KnownPages { pages: change.open_table(PAGES)?, sources: change.open_table(SOURCES)? };
                // Several sites at once; they are written in order.
                let at_once = how.threads.min(MAX_SITES_AT_ONCE);
                loop {
                    let mut batch = Vec::with_capacity(at_once);
                    while batch.len() < at_once {
                        let Some((group, sample)) = samples.next_site().map_err(Broken::Other)? else { break };
                        let mut sums = Sums::default();
                        let mut sample = sample;
                        if self.keep_pages {
                            let bytes = templates.get(&*group)?;
                            let bytes = bytes.as_ref().map(|bytes| bytes.value());
                            let old = self.directory.of(&group);
                            let template = match old.iter().all(|(_, sums)| sums.template == 0) && bytes.is_none() {
                                true => None,
                                false => template_of(&group, bytes, old)?,
                            };
                            let stored = bytes.map_or(0, |bytes| template_sum(&group, bytes));
                            (sample, sums.pages) = known.join(&group, sample, template.as_deref(), old)?;
                            sums.template = stored;
                        }
                        // A single page shares nothing with others.
                        if sample.len() >= 2 {
                            batch.push((group, sample, sums));
                        } else if sums.pages != 0 {
                            directory.insert(&*group, sums.to_bytes().as_slice())?;
                        }
                    }
                    if batch.is_empty() {
                        break;
                    }
                    for (file, (group, _, sums)) in how.learn(&batch).map_err(Broken::Other)?.iter().zip(&batch) {
                        templates.insert(&**group, &**file)?;
                        let sums = Sums { template: template_sum(group, file), ..*sums };
                        directory.insert(&**group, sums.to_bytes().as_slice())?;
                    }
                }
                write_check(&change, &directory)?;
            }
            change.commit()?;
            // A file has room for the last two commits. Both hold the same from here on, so that damage cannot bring back
            // what was before.
            database.begin_write()?.commit()?;
            drop(database);
            Ok(())
        })
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        let database = self.database.take();
        let _ = catch_quietly(|| drop(database));
    }
}

/// Creates an empty store, whole or not at all.
fn create(path: &Path) -> Result<(), Error> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".new");
    let new = path.with_file_name(name);
    let failed = |error| Error::write(path, error);
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let made = guarded(path, || {
        let database = builder().create(&new)?;
        let change = database.begin_write()?;
        change.open_table(TEMPLATES)?;
        change.open_table(PAGES)?;
        change.open_table(SOURCES)?;
        write_check(&change, &change.open_table(DIRECTORY)?)?;
        change.commit()?;
        drop(database);
        Ok(())
    });
    let made = made.and_then(|()| fs::rename(&new, path).map_err(failed));
    if made.is_err() {
        let _ = fs::remove_file(&new);
    }
    made
}

fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE_BYTES);
    builder
}

/// The checksums of what a store keeps of a site; 0 stands for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Sums {
    template: u64,
    pages: u64,
}

impl Sums {
    fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.template) << 64 | u128::from(self.pages)).to_le_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Sums> {
        let number = u128::from_le_bytes(bytes.try_into().ok()?);
        Some(Sums { template: (number >> 64) as u64, pages: number as u64 })
    }
}

fn template_sum(group: &str, bytes: &[u8]) -> u64 {
    hash64(bytes, hash64(group.as_bytes(), 0)).max(1)
}

/// Which sites a store knows, with their checksums.
struct Directory {
    /// Sorted by the hash of the site's name: 24 bytes for each site.
    sites: Vec<(u64, Sums)>,
    checksum: u64,
}

impl Directory {
    /// Reads the directory of a store and compares it with its checksum.
    fn read(
        directory: &impl ReadableTable<&'static str, &'static [u8]>,
        checks: &impl ReadableTable<&'static str, &'static [u8]>,
    ) -> Result<Directory, Broken> {
        let (sites, checksum) = scan(directory)?;
        let expected = checks.get(WHOLE)?;
        if expected.as_ref().map(|bytes| bytes.value()) != Some(checksum.to_le_bytes().as_slice()) {
            return Err(Broken::damaged("its directory does not have its checksum"));
        }
        Ok(Directory { sites, checksum })
    }

    /// The checksums of a site. Several, if names of sites have the same hash.
    fn of(&self, group: &str) -> &[(u64, Sums)] {
        let hash = hash64(group.as_bytes(), 0);
        let start = self.sites.partition_point(|(other, _)| *other < hash);
        let end = start + self.sites[start..].partition_point(|(other, _)| *other == hash);
        &self.sites[start..end]
    }
}

/// The sites of a directory, sorted by hash, and the checksum of the whole.
fn scan(
    directory: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<(Vec<(u64, Sums)>, u64), Broken> {
    let (mut sites, mut whole) = (Vec::new(), StreamHash::default());
    for entry in directory.iter()? {
        let (group, sums) = entry?;
        let (group, bytes) = (group.value(), sums.value());
        whole.update(&(group.len() as u64).to_le_bytes());
        whole.update(group.as_bytes());
        whole.update(bytes);
        let sums = Sums::from_bytes(bytes).ok_or_else(|| Broken::damaged("its directory is not one"))?;
        sites.push((hash64(group.as_bytes(), 0), sums));
    }
    sites.sort_unstable();
    whole.update(&(sites.len() as u64).to_le_bytes());
    Ok((sites, whole.finish()))
}

/// Keeps the checksum of the directory.
fn write_check(
    change: &redb::WriteTransaction,
    directory: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<(), Broken> {
    let (_, checksum) = scan(directory)?;
    change.open_table(CHECKS)?.insert(WHOLE, checksum.to_le_bytes().as_slice())?;
    Ok(())
}

/// Why work on a store stopped.
enum Broken {
    Store(redb::Error),
    Damaged(String),
    /// An error that has its message already.
    Other(Error),
}

impl Broken {
    fn damaged(what: impl Into<String>) -> Broken {
        Broken::Damaged(what.into())
    }

    fn at(self, path: &Path) -> Error {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        let damaged = || Error::new(ErrorKind::TemplateStore, DAMAGED).at(path);
        match self {
            Broken::Store(redb::Error::Io(error))
                if !matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof) =>
            {
                Error::write(path, error)
            }
            Broken::Store(redb::Error::DatabaseAlreadyOpen) => {
                Error::new(ErrorKind::InUse, "another run uses this template store").at(path)
            }
            Broken::Store(redb::Error::RepairAborted) => Error::new(ErrorKind::TemplateStore, UNFINISHED).at(path),
            Broken::Store(error) => damaged().because(error),
            Broken::Damaged(what) => damaged().because(what),
            Broken::Other(error) => error,
        }
    }
}

const DAMAGED: &str = "this is not a template store of this version, or it is damaged: restore a copy of it, or delete it and learn again";
const UNFINISHED: &str = "the run that was learning into this template store did not end: resume that run, or start one that learns";

impl<E: Into<redb::Error>> From<E> for Broken {
    fn from(error: E) -> Broken {
        Broken::Store(error.into())
    }
}

/// Works on a store. A panic, as redb may do on a damaged file, is an error like any other.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, Broken>) -> Result<T, Error> {
    match catch_quietly(work) {
        Ok(outcome) => outcome.map_err(|broken| broken.at(path)),
        Err(message) => Err(Broken::Damaged(message).at(path)),
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
    fn learn(&self, sites: &[(String, Vec<PageEvidence>, Sums)]) -> Result<Vec<Vec<u8>>, Error> {
        let broken = |group: &str| {
            Error::new(ErrorKind::Internal, format!("{group}: learning this site failed; please report it"))
        };
        std::thread::scope(|scope| {
            // A method that only counts is faster than a thread is started.
            let at_once = if self.method == Method::SiteLevel { 1 } else { sites.len() };
            let mut files = Vec::with_capacity(sites.len());
            for sites in sites.chunks(at_once.max(1)) {
                let (last, others) = sites.split_last().map_or((None, sites), |(last, others)| (Some(last), others));
                let threads: Vec<_> = others
                    .iter()
                    .map(|(group, sample, _)| (group, scope.spawn(move || self.learn_site(group, sample))))
                    .collect();
                let last = last.map(|(group, sample, _)| {
                    let learned = std::panic::catch_unwind(|| self.learn_site(group, sample));
                    learned.map_err(|_| broken(group))?
                });
                for (group, thread) in threads {
                    files.push(thread.join().map_err(|_| broken(group))??);
                }
                files.extend(last.transpose()?);
            }
            Ok(files)
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
}

impl KnownPages<'_> {
    /// Merges a sample with the known pages of the site, which must have a checksum of the directory, and keeps the result.
    /// Pages of a template that stopped fitting are deleted, so that learning retires it. Returns the pages and their
    /// checksum.
    fn join(
        &mut self,
        group: &str,
        sample: Vec<PageEvidence>,
        template: Option<&SiteTemplates>,
        sums: &[(u64, Sums)],
    ) -> Result<(Vec<PageEvidence>, u64), Broken> {
        let mut known = Vec::new();
        for entry in self.pages.range((group, 0, 0)..=(group, u64::MAX, u64::MAX))? {
            let (key, value) = entry?;
            let (_, priority, identity) = key.value();
            let fingerprints =
                value.value().chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
            let source = self.sources.get((group, priority, identity))?;
            let source = source.map_or(Vec::new(), |source| source.value().to_vec());
            let fingerprints = fingerprints.collect();
            known.push(PageEvidence { group: group.to_string(), priority, identity, fingerprints, source });
        }
        let sum = pages_sum(&known);
        if !sums.iter().any(|(_, sums)| sums.pages == sum) && !(known.is_empty() && sums.is_empty()) {
            return Err(Broken::damaged(format!("the pages of {group} are not those that were stored")));
        }
        let before: Vec<(u64, u64)> = known.iter().map(|page| (page.priority, page.identity)).collect();
        if let Some(template) = template {
            remove_stopped(&mut known, &sample, template);
        }
        let merged = merge_samples(known, sample);
        for (priority, identity) in before {
            self.pages.remove((group, priority, identity))?;
            self.sources.remove((group, priority, identity))?;
        }
        for page in &merged {
            let key = (group, page.priority, page.identity);
            let bytes: Vec<u8> = page.fingerprints.iter().flat_map(|fingerprint| fingerprint.to_le_bytes()).collect();
            self.pages.insert(key, &*bytes)?;
            if !page.source.is_empty() {
                self.sources.insert(key, &*page.source)?;
            }
        }
        let sum = pages_sum(&merged);
        Ok((merged, sum))
    }
}

/// The checksum of the pages of a site, 0 if there are none.
fn pages_sum(pages: &[PageEvidence]) -> u64 {
    if pages.is_empty() {
        return 0;
    }
    let mut sum = StreamHash::default();
    for page in pages {
        let lengths = [page.fingerprints.len() as u64, page.source.len() as u64];
        let numbers = [page.priority, page.identity].into_iter().chain(lengths);
        for number in numbers.chain(page.fingerprints.iter().copied()) {
            sum.update(&number.to_le_bytes());
        }
        sum.update(&page.source);
    }
    sum.finish().max(1)
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
