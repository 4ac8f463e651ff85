//! What all requests share, and how a page is worked on.

use super::metrics::Metrics;
use super::pool::{Place, Pool};
use super::settings::Settings;
use super::site_store::SiteStore;
use crate::problem::Problem;
use crate::serve::request::held_bytes::HeldBytes;
use crate::serve::request::lines::Lines;
use crate::serve::request::options::{OptionCache, Prepared};
use crate::serve::request::request_body::RequestBody;
use dehusk::{OutputFormat, Page, Scratch, SiteTemplates};
use dehusk_io::crawl::PageRef;
use dehusk_io::{InputPage, Location, PagesAtWork, Position, RawPage, ReadOptions};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

/// What all requests share.
pub(super) struct Service {
    pub(super) settings: Settings,
    pub(super) options: OptionCache,
    pub(super) pool: Pool,
    pub(super) held: HeldBytes,
    pub(super) sites: SiteStore,
    pub(super) metrics: Metrics,
    pub(super) at_work: PagesAtWork,
    is_stopping: AtomicBool,
}

/// Work that was handed over.
pub(super) struct Running<T> {
    answer: oneshot::Receiver<T>,
    deadline: Instant,
    timeout: Duration,
}

impl<T> Running<T> {
    /// Waits for its end, as long as a request may take. Work that has not begun by then is not done at all.
    pub(super) async fn answer(self) -> Result<T, Problem> {
        match timeout_at(self.deadline, self.answer).await {
            Ok(answer) => answer.map_err(|_| Problem::internal()),
            Err(_) => {
                let message = format!("this took longer than {} s", self.timeout.as_secs_f32());
                Err(Problem::of_kind("timeout", message))
            }
        }
    }

    /// Waits for its end, however long it takes.
    pub(super) async fn whole_answer(self) -> Result<T, Problem> {
        self.answer.await.map_err(|_| Problem::internal())
    }
}

/// A page as a request holds it.
pub(super) struct RequestPage<'a> {
    pub(super) bytes: PageRef<'a>,
    /// Whether the templates of its site are used.
    pub(super) with_site: bool,
}

impl Service {
    pub(super) fn new(settings: Settings) -> Result<Service, dehusk_io::Error> {
        Ok(Service {
            options: OptionCache::new(settings.limits),
            pool: Pool::start(settings.worker_threads(), settings.queue).map_err(dehusk_io::Error::other)?,
            held: HeldBytes::new(settings.held_bytes),
            sites: SiteStore::open(settings.templates.as_deref())?,
            metrics: Metrics::new(),
            at_work: PagesAtWork::default(),
            is_stopping: AtomicBool::new(false),
            settings,
        })
    }

    /// Says that the service takes no more work.
    pub(super) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Refuses a request at once if there is no place for it, before its body is read. The place itself is taken after that, so that
    /// clients that send slowly do not occupy one.
    pub(super) fn check_load(&self) -> Result<(), Problem> {
        if self.pool.is_full() { Err(Problem::overloaded(FULL)) } else { Ok(()) }
    }

    /// A place for work, if one is free.
    pub(super) fn try_place(&self) -> Result<Place, Problem> {
        self.pool.try_place().ok_or_else(|| Problem::overloaded(FULL))
    }

    /// A place for work; waits for one.
    pub(super) async fn place(&self) -> Result<Place, Problem> {
        self.pool.place().await.ok_or_else(Problem::internal)
    }

    /// Hands work to a worker.
    pub(super) fn begin<T: Send + 'static>(
        &self,
        place: Place,
        work: impl FnOnce(&mut Scratch) -> T + Send + 'static,
    ) -> Running<T> {
        // From the hand-over on, so that the time of waiting for a worker counts, too.
        let timeout = self.settings.timeout;
        Running { answer: self.pool.run(place, work), deadline: Instant::now() + timeout, timeout }
    }

    /// Does work on a worker, as long as a request may take.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        place: Place,
        work: impl FnOnce(&mut Scratch) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.begin(place, work).answer().await
    }

    /// The lines of a body.
    pub(super) fn lines(&self, body: RequestBody) -> Lines {
        Lines::new(body, self.held.clone(), self.settings.max_line_bytes(), self.settings.timeout)
    }

    /// The templates that help with a page.
    fn templates(&self, prepared: &Prepared, page: &RequestPage<'_>) -> Result<Option<Arc<SiteTemplates>>, Problem> {
        let site = prepared.cleaner.site(page.bytes.url);
        // A page without an address belongs to no site.
        let known = match page.with_site && prepared.uses_site() && !site.is_empty() {
            true => self.sites.templates(&site)?,
            false => None,
        };
        if known.is_none() && prepared.needs_site() {
            let message = "this detector compares pages: give the url of the page, and learn its site first with PUT /v1/sites/{host}";
            return Err(Problem::bad_options(message));
        }
        if let (Some(known), Some(method)) = (&known, &prepared.method) {
            known.check_method(method)?;
        }
        Ok(known)
    }

    /// Counts a page that work begins on.
    fn begin_page(&self, page: &RequestPage<'_>) {
        self.metrics.page();
        if let Some(hook) = &self.settings.before_page {
            hook.call(page.bytes.url);
        }
    }

    /// The record of a page as a line of JSON.
    pub(super) fn record(
        &self,
        prepared: &Prepared,
        page: &RequestPage<'_>,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>, Problem> {
        self.begin_page(page);
        let templates = self.templates(prepared, page)?;
        let _at_work = self.at_work.begin(page.bytes.html.len());
        let record = prepared.cleaner.row(page.bytes, templates.as_deref(), scratch);
        match record.error {
            None => Ok(record.json),
            Some(kind) => {
                let fields: Value = serde_json::from_slice(&record.json).unwrap_or_default();
                Err(Problem::of_kind(&kind, fields["error_message"].as_str().unwrap_or_default()))
            }
        }
    }

    /// The content of a page alone, as `dehusk extract` prints it.
    pub(super) fn content(
        &self,
        prepared: &Prepared,
        page: &RequestPage<'_>,
        format: OutputFormat,
        scratch: &mut Scratch,
    ) -> Result<String, Problem> {
        self.begin_page(page);
        let templates = self.templates(prepared, page)?;
        let PageRef { url, html, content_type, .. } = page.bytes;
        let _at_work = self.at_work.begin(html.len());
        let input = Page::new(html).with_content_type(content_type).with_url(url).with_site(templates.as_deref());
        let rendered = prepared.extractor.extract(input, scratch).map(|found| found.render_file(format));
        // Otherwise one large page would leave large buffers with the worker for good.
        scratch.free_if_large(html.len());
        let mut content = rendered?;
        if !content.ends_with('\n') {
            content.push('\n');
        }
        Ok(content)
    }
}

const FULL: &str = "all workers are busy and the queue is full";

/// A page in a line of JSON.
pub(super) fn open_line(number: u64, line: Vec<u8>, options: &ReadOptions) -> Result<InputPage, dehusk_io::Fault> {
    let location = Location::new(Path::new("request").into(), Position::Line(number));
    RawPage::json_line(location, line).open(options)
}
