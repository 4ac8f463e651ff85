//! The pages of the inputs, known by number, with what `dehusk clean` finds on them.
//!
//! A thread in the background does what the crawl job does, and the table grows while it works: first every page is cleaned by itself, then
//! each site is learned from a sample of its pages, then pages are cleaned again with the templates of their sites. Sources are not kept in
//! memory; see `page_store.rs`.

use super::page_store::{PageStore, Place, StoredPage, pack};
use super::page_table::{PageFigures, PageTable};
use super::row_query::{self, HostQuery, PageQuery};
use super::site_view::{self, SiteState};
use crate::methods::METHODS;
use dehusk::site::render_templates;
use dehusk::{OutputFormat, Scratch, SiteTemplates};
use dehusk_io::crawl::{
    Crawl, PageCleaner, PageRef, SampleTable, SiteSample, TemplateMode, TemplateStore, TrackedSource,
};
use dehusk_io::{Error, Fault, Inputs, PagesAtWork, RawPage, ReadOptions, RunOptions, run_ordered};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Bytes of the pages that are read ahead.
const BYTES_IN_FLIGHT: usize = 16 << 20;
/// Bytes of the samples of sites in memory, on all threads; the rest is in the temporary file.
const SAMPLE_BYTES: usize = 16 << 20;
/// The maximum number of sites learned at once: each needs the memory of all pages kept of it.
const MAX_SITES_AT_ONCE: usize = 4;
/// The maximum number of entries of templates in memory: pages are cleaned site by site, so few templates are in use.
const MAX_CACHED_ENTRIES: usize = 500_000;

/// What is inspected, and how.
pub(crate) struct IndexSettings {
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) read: ReadOptions,
    /// The options of the crawl job; its inputs and its output are not used.
    pub(crate) crawl: Crawl,
    /// 0 is one for each processor.
    pub(crate) threads: usize,
}

/// The pages of the inputs.
pub(crate) struct CrawlIndex {
    inputs: Inputs,
    read: ReadOptions,
    cleaner: PageCleaner,
    origin: TemplateOrigin,
    threads: usize,
    store: PageStore,
    table: RwLock<PageTable>,
    cache: Mutex<TemplateCache>,
    at_work: PagesAtWork,
    progress: Mutex<Progress>,
    bytes_read: AtomicU64,
    is_stopped: AtomicBool,
}

/// Where templates come from.
enum TemplateOrigin {
    None,
    /// Learned from these pages.
    Crawl,
    /// Learned from others, by an earlier run.
    Store(TemplateStore),
}

/// What the job in the background is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    /// Pages are read, and cleaned by themselves.
    #[default]
    Reading,
    /// Sites are learned.
    Learning,
    /// Pages are cleaned again, with the templates of their sites.
    Cleaning,
    Done,
    /// The job could not go on; what it found until then is there.
    Failed,
}

/// How far the job has got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Progress {
    pub(crate) phase: Phase,
    /// Pages in the table, and how many of them have an error.
    pub(crate) pages: usize,
    pub(crate) failed: usize,
    /// Records that do not hold a page.
    pub(crate) skipped: usize,
    pub(crate) sites: usize,
    /// Bytes of the inputs; the total is not known if there is a folder among them.
    pub(crate) bytes_read: u64,
    pub(crate) bytes_total: Option<u64>,
    /// Of the sites to learn or the pages to clean again, how many are done.
    pub(crate) done: usize,
    pub(crate) to_do: usize,
    /// Why the job failed.
    pub(crate) error: Option<String>,
}

/// Why there is no page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoPage {
    /// There is none of this number.
    Unknown,
    /// The input has it, but it cannot be read.
    Unreadable(String),
}

impl fmt::Display for NoPage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPage::Unknown => out.write_str("there is no page of this number"),
            NoPage::Unreadable(message) => out.write_str(message),
        }
    }
}

impl CrawlIndex {
    /// An index that is still empty. Nothing but names is read; standard input is read to its end.
    pub(crate) fn open(settings: IndexSettings) -> Result<CrawlIndex, Error> {
        let IndexSettings { inputs, read, crawl, threads } = settings;
        let origin = match crawl.templates() {
            TemplateMode::None => TemplateOrigin::None,
            TemplateMode::Learn => TemplateOrigin::Crawl,
            TemplateMode::Use(path) => TemplateOrigin::Store(TemplateStore::open(path, METHODS.site_methods())?),
            _ => return Err(Error::other("the inspector writes no template store: learn into it with `dehusk clean`")),
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(CrawlIndex {
            inputs: Inputs::new(&inputs)?,
            read,
            // The kinds of pages are what the view of a site shows.
            cleaner: PageCleaner::new(crawl.with_formats([OutputFormat::Text]).with_page_kinds(true)),
            origin,
            threads: if threads == 0 { processors } else { threads },
            store: PageStore::new().map_err(temporary_file)?,
            table: RwLock::default(),
            cache: Mutex::default(),
            at_work: PagesAtWork::default(),
            progress: Mutex::default(),
            bytes_read: AtomicU64::new(0),
            is_stopped: AtomicBool::new(false),
        })
    }

    /// Starts the job in the background.
    pub(crate) fn start(self: &Arc<Self>) {
        let index = self.clone();
        std::thread::spawn(move || index.run());
    }

    /// Ends the job soon.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Does the whole job.
    pub(crate) fn run(&self) {
        // A panic must end in a phase, or the page in the browser would wait for the job forever.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let samples = self.read_pages()?;
            if let TemplateOrigin::Crawl = self.origin {
                self.learn_sites(samples)?;
                self.clean_again()?;
            }
            Ok(())
        }));
        let mut progress = self.lock_progress();
        (progress.phase, progress.error) = match outcome {
            Ok(Ok(())) => (Phase::Done, None),
            Ok(Err(error)) => (Phase::Failed, Some(Error::to_string(&error))),
            Err(_) => (Phase::Failed, Some("the inspector failed on these pages; please report it".to_string())),
        };
    }

    /// How far the job has got.
    pub(crate) fn progress(&self) -> Progress {
        let mut progress = self.lock_progress().clone();
        let table = self.table();
        progress.pages = table.rows.len();
        progress.failed = table.rows.iter().filter(|row| row.error.is_some()).count();
        progress.sites = table.sites.len();
        progress.bytes_read = self.bytes_read.load(Ordering::Relaxed);
        progress
    }

    /// A page by its number.
    pub(crate) fn page(&self, number: usize) -> Result<StoredPage, NoPage> {
        let place = {
            let table = self.table();
            let row = table.rows.get(number).ok_or(NoPage::Unknown)?;
            match (row.place, &row.error) {
                (Some(place), _) => place,
                (None, Some(error)) => return Err(NoPage::Unreadable(error.message.to_string())),
                (None, None) => return Err(NoPage::Unknown),
            }
        };
        // The table is not locked while the page is read and inflated.
        self.store.page(place).map_err(|error| NoPage::Unreadable(error.to_string()))
    }

    /// The templates of a site, once they are known.
    pub(crate) fn templates(&self, site: &str) -> Option<Arc<SiteTemplates>> {
        match &self.origin {
            TemplateOrigin::None => None,
            // A store that is damaged stops the job, which says so.
            TemplateOrigin::Store(store) => store.template(site).ok().flatten(),
            TemplateOrigin::Crawl => {
                let (number, place) = {
                    let table = self.table();
                    let number = table.site(site)?;
                    (number, table.sites[number as usize].place?)
                };
                self.learned_templates(number, place)
            }
        }
    }

    /// The rows of pages, as JSON.
    pub(crate) fn pages(&self, query: &PageQuery) -> Value {
        row_query::pages(&self.table(), query)
    }

    /// The rows of hosts, as JSON.
    pub(crate) fn hosts(&self, query: &HostQuery) -> Value {
        row_query::hosts(&self.table(), query)
    }

    /// The view of a site, as JSON; nothing if no page is of it.
    pub(crate) fn site(&self, name: &str) -> Option<Value> {
        let templates = self.templates(name);
        let is_known = match (self.lock_progress().phase, &self.origin) {
            (_, TemplateOrigin::None | TemplateOrigin::Store(_)) | (Phase::Cleaning | Phase::Done, _) => true,
            (Phase::Reading | Phase::Learning | Phase::Failed, TemplateOrigin::Crawl) => templates.is_some(),
        };
        let state = match (&self.origin, is_known) {
            (_, false) => SiteState::Waiting,
            (TemplateOrigin::None, _) => SiteState::NotAsked,
            (TemplateOrigin::Crawl, _) => SiteState::OfCrawl,
            (TemplateOrigin::Store(_), _) => SiteState::OfStore,
        };
        let table = self.table();
        Some(site_view::site_json(&table, table.site(name)?, templates.as_deref(), state))
    }

    /// The templates of a site as a page to look at, which has no script and loads nothing.
    pub(crate) fn template_drawing(&self, site: &str) -> Option<String> {
        self.templates(site).map(|templates| render_templates(&templates))
    }

    fn table(&self) -> RwLockReadGuard<'_, PageTable> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn table_mut(&self) -> RwLockWriteGuard<'_, PageTable> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_stopped(&self) -> Result<(), Error> {
        if self.is_stopped.load(Ordering::Relaxed) { Err(Error::other("stopped")) } else { Ok(()) }
    }

    /// The first pass: every page is stored and cleaned by itself, or with the templates of a store. Returns the samples of sites.
    fn read_pages(&self) -> Samples {
        let samples = Mutex::new(Ok(BTreeMap::new()));
        let mut source = TrackedSource::new(self.inputs.open(&self.read), &self.bytes_read);
        self.lock_progress().bytes_total = dehusk_io::Source::bytes_total(&source);
        let options = RunOptions::default().with_threads(self.threads).with_max_bytes_in_flight(BYTES_IN_FLIGHT);
        let is_final = !matches!(self.origin, TemplateOrigin::Crawl);
        run_ordered(
            &mut source,
            &options,
            || Reader::new(self, &samples),
            Reader::read,
            |page| {
                self.check_stopped()?;
                match page? {
                    None => self.lock_progress().skipped += 1,
                    Some(ReadPage { site, name, figures, packed, templates }) => {
                        let place = packed.map(|packed| self.store.add(&packed)).transpose().map_err(temporary_file)?;
                        let mut table = self.table_mut();
                        table.add(&site, &name, figures, place, is_final);
                        templates.into_iter().for_each(|templates| table.set_templates(&site, &templates, None));
                    }
                }
                Ok::<(), Error>(())
            },
        )?;
        samples.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns every site of which there is more than a page.
    fn learn_sites(&self, samples: BTreeMap<String, Vec<Place>>) -> Result<(), Error> {
        let samples: Vec<(String, Vec<Place>)> = samples.into_iter().collect();
        self.begin(Phase::Learning, samples.len());
        on_threads(self.threads.min(MAX_SITES_AT_ONCE), samples.len(), |next| {
            for number in next {
                self.check_stopped()?;
                let (site, parts) = &samples[number];
                let mut sample = SiteSample::default();
                for part in parts {
                    sample.merge(SiteSample::from_bytes(&self.store.read(*part).map_err(temporary_file)?)?);
                }
                if let Some(file) = self.cleaner.learn(site, &sample) {
                    let templates = SiteTemplates::from_bytes(&file, METHODS.site_methods()).map_err(Error::other)?;
                    let place = self.store.add(&file).map_err(temporary_file)?;
                    self.table_mut().set_templates(site, &templates, Some(place));
                }
                self.lock_progress().done += 1;
            }
            Ok(())
        })
    }

    /// The second pass: pages with templates are cleaned again, site by site, so that each template is read once.
    fn clean_again(&self) -> Result<(), Error> {
        let mut order: Vec<(u32, usize)> = Vec::new();
        let mut table = self.table_mut();
        let PageTable { rows, sites, .. } = &mut *table;
        for (number, row) in rows.iter_mut().enumerate() {
            // What was found without a template stays as it is.
            row.is_final = row.place.is_none() || sites[row.site as usize].place.is_none();
            if !row.is_final {
                order.push((row.site, number));
            }
        }
        // The threads write to the table.
        drop(table);
        order.sort_unstable();
        self.begin(Phase::Cleaning, order.len());
        on_threads(self.threads, order.len(), |next| {
            let mut scratch = Scratch::default();
            for at in next {
                self.check_stopped()?;
                let (site, number) = order[at];
                let templates = {
                    let place = self.table().sites[site as usize].place;
                    place.and_then(|place| self.learned_templates(site, place))
                };
                let figures = match self.page(number) {
                    Ok(page) => {
                        let bytes = PageRef::new(&page.url, &page.bytes)
                            .with_content_type(page.content_type.as_deref())
                            .with_truncated(page.truncated);
                        self.clean(bytes, templates.as_deref(), &mut scratch)
                    }
                    Err(problem) => PageFigures::of_error("input_changed", &problem.to_string()),
                };
                self.table_mut().update(number, figures, true);
                self.lock_progress().done += 1;
            }
            Ok(())
        })
    }

    fn begin(&self, phase: Phase, to_do: usize) {
        let mut progress = self.lock_progress();
        (progress.phase, progress.done, progress.to_do) = (phase, 0, to_do);
    }

    /// The figures of a page, as they are in its row.
    fn clean(&self, page: PageRef<'_>, templates: Option<&SiteTemplates>, scratch: &mut Scratch) -> PageFigures {
        let _at_work = self.at_work.begin(page.html.len());
        PageFigures::of_line(&self.cleaner.clean(page, templates, scratch))
    }

    /// The templates of a site that was learned here.
    fn learned_templates(&self, number: u32, place: Place) -> Option<Arc<SiteTemplates>> {
        let lock = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(templates) = lock().templates.get(&number) {
            return Some(templates.clone());
        }
        // What was written by this process can be read, unless the disk fails.
        let templates =
            Arc::new(SiteTemplates::from_bytes(&self.store.read(place).ok()?, METHODS.site_methods()).ok()?);
        let mut cache = lock();
        // What a template holds apart from counts takes about as much memory as this many counts.
        let entries = 16 + templates.counts().len() + 4_000 * templates.templates().len();
        if cache.entries + entries > MAX_CACHED_ENTRIES {
            *cache = TemplateCache::default();
        }
        cache.entries += entries;
        cache.templates.insert(number, templates.clone());
        Some(templates)
    }
}

/// Templates that were used recently, by the number of their sites.
#[derive(Default)]
struct TemplateCache {
    templates: HashMap<u32, Arc<SiteTemplates>>,
    entries: usize,
}

/// The samples of sites in parts, as the threads have stored them, or why they could not.
type Samples = Result<BTreeMap<String, Vec<Place>>, Error>;

/// A page that was read.
struct ReadPage {
    site: String,
    /// Its address, or where it was read.
    name: String,
    figures: PageFigures,
    /// The page, if it could be read, as it is stored.
    packed: Option<Vec<u8>>,
    /// The templates of a store that its site has.
    templates: Option<Arc<SiteTemplates>>,
}

/// A thread of the first pass. It keeps a sample of what it read by itself, and hands it over when that is full, and at the end.
struct Reader<'a> {
    index: &'a CrawlIndex,
    scratch: Scratch,
    sample: SampleTable,
    samples: &'a Mutex<Samples>,
}

impl<'a> Reader<'a> {
    fn new(index: &'a CrawlIndex, samples: &'a Mutex<Samples>) -> Reader<'a> {
        let sample = SampleTable::new(SAMPLE_BYTES / index.threads);
        Reader { index, scratch: Scratch::default(), sample, samples }
    }

    /// Reads a page. Nothing if the input does not hold one.
    fn read(&mut self, raw: Result<RawPage, Fault>) -> Result<Option<ReadPage>, Error> {
        let index = self.index;
        let page = match raw.and_then(|raw| raw.open(&index.read)) {
            Ok(page) => page,
            Err(fault) if fault.kind.is_skip() => return Ok(None),
            Err(fault) => {
                let url = fault.page().map_or("", |page| &page.url);
                let site = if url.is_empty() { String::new() } else { index.cleaner.site(url) };
                let name = if url.is_empty() { fault.location.to_string() } else { url.to_string() };
                let figures = PageFigures::of_error(fault.kind.name(), &fault.to_string());
                return Ok(Some(ReadPage { site, name, figures, packed: None, templates: None }));
            }
        };
        let site = index.cleaner.site(&page.url);
        let templates = match &index.origin {
            TemplateOrigin::Store(store) => store.template(&site)?,
            TemplateOrigin::None | TemplateOrigin::Crawl => None,
        };
        let figures = index.clean(PageRef::from(&page), templates.as_deref(), &mut self.scratch);
        if let TemplateOrigin::Crawl = index.origin {
            let evidence = index.cleaner.evidence(PageRef::from(&page), &self.sample, &mut self.scratch);
            evidence.into_iter().for_each(|evidence| self.sample.add(evidence));
            if self.sample.is_full() {
                self.hand_over();
            }
        }
        let packed = Some(pack(&page, &site).map_err(temporary_file)?);
        Ok(Some(ReadPage { site, name: page.name(), figures, packed, templates }))
    }

    fn hand_over(&mut self) {
        for (site, _, sample) in self.sample.take() {
            let stored = self.index.store.add(&sample.to_bytes()).map_err(temporary_file);
            let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
            match (&mut *samples, stored) {
                (Ok(parts), Ok(place)) => parts.entry(site).or_default().push(place),
                (Ok(_), Err(error)) => *samples = Err(error),
                (Err(_), _) => {}
            }
        }
    }
}

impl Drop for Reader<'_> {
    /// Dropping its state is the only sign that a thread of `run_ordered` has done its last page.
    fn drop(&mut self) {
        self.hand_over();
    }
}

/// Works on the numbers below `count` on several threads. Each takes numbers as long as there are some; the first error ends the work.
fn on_threads(
    threads: usize,
    count: usize,
    work: impl Fn(&mut dyn Iterator<Item = usize>) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let outcome = Mutex::new(Ok(()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, count.max(1)) {
            scope.spawn(|| {
                let mut numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed))
                    .take_while(|number| *number < count);
                if let Err(error) = work(&mut numbers) {
                    // Leaves no number for the other threads, so that they end soon.
                    next.store(count, Ordering::Relaxed);
                    *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
                }
            });
        }
    });
    outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The error of the temporary file.
fn temporary_file(error: io::Error) -> Error {
    Error::other(format!("the temporary file with the pages: {error} (TMPDIR names a folder with more room)"))
}

#[cfg(test)]
#[path = "crawl_index_tests.rs"]
mod tests;
