//! The server of the inspector: answers this machine only, at an address with a random token.
//!
//! Pages cannot be trusted. Their HTML is shown in a sandboxed frame, the policy of the document forbids whatever could run or load
//! something, and answers go only to requests that know the token and name this server as their host, so that another page in the same
//! browser cannot ask (DNS rebinding).

use super::corrections::{Correction, CorrectionsFile, NotCorrected, PageName, extract_corrected, line};
use super::crawl_index::{CrawlIndex, IndexSettings, NoPage, Phase};
use super::page_store::StoredPage;
use super::page_view::{ViewedPage, page_view, segments_view, with_detector};
use super::row_query::{HostQuery, PageQuery};
use super::site_methods::SiteMethods;
use super::web_files::{self, SHELL};
use crate::access::Token;
use crate::methods::METHODS;
use crate::problem::Problem;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path as UrlPath, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use dehusk::{Extraction, Extractor, Focus, OutputFormat, Page, Scratch, SiteTemplates};
use dehusk_io::crawl::Crawl;
use dehusk_io::{Error, ReadOptions};
use dehusk_papers::segment::SegmentMethod;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Views of pages that are made at the same time: each takes some seconds and some hundred megabytes on the largest pages.
const VIEWS_AT_ONCE: usize = 2;
/// The maximum size of the body of a request: corrections are a list of nodes.
const MAX_BODY: usize = 4 << 20;

/// How long a request waits for a page that has not been read yet, and how often at most.
const WAIT: Duration = Duration::from_millis(20);
const MAX_WAITS: usize = 500;

/// What is inspected, and how.
pub struct InspectSettings {
    /// Pages, folders and containers of pages.
    pub inputs: Vec<PathBuf>,
    /// Whether they are one page, which is then shown at once.
    pub is_single: bool,
    /// How they are read.
    pub read: ReadOptions,
    /// The crawl job that the figures are of; its inputs and output are not used.
    pub crawl: Crawl,
    /// Extracts single pages, with the options of the job.
    pub extractor: Extractor,
    /// The address of the page, if there is only one.
    pub url: Option<String>,
    /// The templates of its site.
    pub site: Option<SiteTemplates>,
    /// Where corrections are saved.
    pub corrections: PathBuf,
    /// Number of threads that read the crawl; 0 is one for each processor.
    pub threads: usize,
    /// The port to listen on; 0 is any free one.
    pub port: u16,
}

/// An inspector that listens.
pub struct Inspector {
    listener: std::net::TcpListener,
    address: SocketAddr,
    token: Token,
    state: Arc<Inspected>,
}

/// What all requests share.
struct Inspected {
    index: Arc<CrawlIndex>,
    extractor: Extractor,
    url: Option<String>,
    site: Option<Arc<SiteTemplates>>,
    /// Whether there is just one page, which then is shown at once.
    is_single: bool,
    corrections: CorrectionsFile,
    methods: SiteMethods,
    views: Semaphore,
    token: Token,
    hosts: [String; 3],
}

impl Inspector {
    /// Opens the inputs and listens on the loopback address.
    ///
    /// # Errors
    /// If an input does not exist, or the port is taken.
    pub fn open(settings: InspectSettings) -> Result<Inspector, Error> {
        let InspectSettings { inputs, is_single, read, crawl, extractor, url, site, corrections, threads, port } =
            settings;
        let index = Arc::new(CrawlIndex::open(IndexSettings { inputs, read, crawl, threads })?);
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
            Error::other(format!("port {port} of this machine: {error}; choose another with --port"))
        })?;
        // Tokio takes over only sockets that do not block.
        listener.set_nonblocking(true).map_err(Error::other)?;
        let address = listener.local_addr().map_err(Error::other)?;
        let token = Token::random().map_err(Error::other)?;
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{}", address.port()));
        let state = Inspected {
            methods: SiteMethods::default(),
            index,
            extractor,
            url,
            site: site.map(Arc::new),
            is_single,
            corrections: CorrectionsFile::new(corrections),
            views: Semaphore::new(VIEWS_AT_ONCE),
            token: token.clone(),
            hosts,
        };
        Ok(Inspector { listener, address, token, state: Arc::new(state) })
    }

    /// The address to open in a browser.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.address, self.token.secret())
    }

    /// Answers until the process is interrupted.
    ///
    /// # Errors
    /// If threads cannot be started, or the listener fails.
    pub fn run(self) -> io::Result<()> {
        // Two threads are enough, since long work is done on others.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        self.state.index.start();
        let index = self.state.index.clone();
        let result = runtime.block_on(async {
            let listener = TcpListener::from_std(self.listener)?;
            tokio::select! {
                result = async { axum::serve(listener, router(self.state)).await } => result,
                _ = interrupted() => Ok(()),
            }
        });
        index.stop();
        // A view that is still being made is not waited for.
        runtime.shutdown_background();
        result
    }
}

async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn router(state: Arc<Inspected>) -> Router {
    let at = |path: &str| format!("/{{token}}{path}");
    Router::new()
        .route(&at("/"), get(shell))
        .route(&at(""), get(with_slash))
        .route(&at("/web/{name}"), get(web_file))
        .route(&at("/api/start"), get(start))
        .route(&at("/api/progress"), get(progress))
        .route(&at("/api/pages"), get(pages))
        .route(&at("/api/hosts"), get(hosts))
        .route(&at("/api/site"), get(site))
        .route(&at("/api/template"), get(template))
        .route(&at("/api/page/{number}"), get(page))
        .route(&at("/api/page/{number}/segments"), get(segments))
        .route(&at("/api/page/{number}/corrected"), post(corrected))
        .route(&at("/api/page/{number}/corrections"), post(save_corrections))
        .fallback(|| async { Problem::not_found("there is nothing at this address") })
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn_with_state(state.clone(), guard))
        .with_state(state)
}

/// Refuses whoever does not know the token or names another host, and adds the headers of all answers.
async fn guard(State(state): State<Arc<Inspected>>, request: Request, next: Next) -> Response {
    let is_open = request.uri().query().is_some_and(|query| query.split('&').any(|pair| pair == "network=1"));
    let checked = check(&state, request.headers(), request.uri());
    let policy = match &checked {
        Ok(host) => policy(host, state.token.secret(), is_open),
        Err(_) => "default-src 'none'".to_string(),
    };
    let mut response = match checked {
        Ok(_) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in HEADERS {
        headers.insert(header::HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

/// What the inspector, and so the frame with the page, may do: nothing but what is here. Only its own files are named, not all of this server,
/// so that the style sheet of a page cannot ask it for anything. Styles of pages are inline. If the user asked for the network, pictures,
/// style sheets and fonts are loaded from anywhere.
fn policy(host: &str, token: &str, is_open: bool) -> String {
    let own = format!("http://{host}/{token}/web/");
    let (anywhere, styles) = if is_open { ("*", "*") } else { ("", own.as_str()) };
    format!(
        "default-src 'none'; script-src {own}; style-src {styles} 'unsafe-inline'; img-src {anywhere} data:; font-src {anywhere} data:; \
         connect-src http://{host}/{token}/api/; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

const HEADERS: [(&str, &str); 7] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-dns-prefetch-control", "off"),
];

/// The name under which this server is asked.
fn check<'a>(state: &'a Inspected, headers: &HeaderMap, uri: &Uri) -> Result<&'a str, Problem> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let Some(own) = state.hosts.iter().find(|own| own.eq_ignore_ascii_case(host)) else {
        let message = "this server answers only under the address it printed";
        return Err(Problem::new(StatusCode::FORBIDDEN, "bad_host", message));
    };
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        if origin.strip_prefix("http://") != Some(own) {
            return Err(Problem::new(StatusCode::FORBIDDEN, "bad_origin", "this server answers only its own pages"));
        }
    }
    let token = uri.path().split('/').nth(1).unwrap_or_default();
    match state.token.is(token) {
        true => Ok(own),
        false => {
            Err(Problem::new(StatusCode::FORBIDDEN, "bad_token", "open the address that `dehusk inspect` printed"))
        }
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Problem {
        Problem::bad_request(rejection.body_text())
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Problem {
        Problem::new(rejection.status(), "bad_request", rejection.body_text())
    }
}

impl From<NotCorrected> for Problem {
    fn from(error: NotCorrected) -> Problem {
        match error {
            NotCorrected::Page(error) => error.into(),
            NotCorrected::Correction(message) => Problem::bad_request(message),
        }
    }
}

impl From<NoPage> for Problem {
    fn from(missing: NoPage) -> Problem {
        match missing {
            NoPage::Unknown => Problem::not_found(missing.to_string()),
            NoPage::Unreadable(message) => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unreadable", message),
        }
    }
}

type Answer = Result<Json<Value>, Problem>;

async fn shell() -> Response {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], SHELL).into_response()
}

async fn with_slash(State(state): State<Arc<Inspected>>) -> Response {
    // The shell names its files relative to its own address.
    axum::response::Redirect::permanent(&format!("/{}/", state.token.secret())).into_response()
}

async fn web_file(UrlPath((_, name)): UrlPath<(String, String)>) -> Response {
    match web_files::web_file(&name) {
        Some((text, kind)) => ([(header::CONTENT_TYPE, kind)], text).into_response(),
        None => Problem::not_found("there is no such file").into_response(),
    }
}

async fn start(State(state): State<Arc<Inspected>>) -> Json<Value> {
    Json(json!({
        "pages_expected": if state.is_single { json!(1) } else { Value::Null },
        "corrections": state.corrections.path().display().to_string(),
        "version": env!("CARGO_PKG_VERSION"),
    }))
}

async fn progress(State(state): State<Arc<Inspected>>) -> Answer {
    serde_json::to_value(state.index.progress()).map(Json).map_err(|error| Problem::bad_request(error.to_string()))
}

async fn pages(State(state): State<Arc<Inspected>>, query: Result<Query<PageQuery>, QueryRejection>) -> Answer {
    let Query(query) = query?;
    blocking(move || Ok(state.index.pages(&query))).await
}

async fn hosts(State(state): State<Arc<Inspected>>, query: Result<Query<HostQuery>, QueryRejection>) -> Answer {
    let Query(query) = query?;
    blocking(move || Ok(state.index.hosts(&query))).await
}

#[derive(Deserialize)]
struct SiteName {
    name: String,
}

async fn site(State(state): State<Arc<Inspected>>, query: Result<Query<SiteName>, QueryRejection>) -> Answer {
    let Query(SiteName { name }) = query?;
    blocking(move || state.index.site(&name).ok_or_else(|| Problem::not_found(format!("there is no site {name}"))))
        .await
}

async fn template(
    State(state): State<Arc<Inspected>>,
    query: Result<Query<SiteName>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(SiteName { name }) = query?;
    let drawing = tokio::task::spawn_blocking(move || state.index.template_drawing(&name)).await;
    let drawing = drawing.map_err(failed)?.ok_or_else(|| Problem::not_found("nothing is known of this site yet"))?;
    Ok(([(header::CONTENT_TYPE, "text/html; charset=utf-8")], drawing).into_response())
}

#[derive(Deserialize)]
struct PageOptions {
    /// Whether pictures and style sheets may be loaded.
    #[serde(default)]
    network: Option<u8>,
    /// Whether the site is learned with every method, to compare them.
    #[serde(default)]
    methods: Option<u8>,
}

async fn page(
    State(state): State<Arc<Inspected>>,
    UrlPath((_, number)): UrlPath<(String, usize)>,
    query: Result<Query<PageOptions>, QueryRejection>,
) -> Answer {
    let Query(PageOptions { network, methods }) = query?;
    state.clone().view(move || state.page(number, network == Some(1), methods == Some(1))).await
}

#[derive(Deserialize)]
struct SegmentOptions {
    method: String,
}

async fn segments(
    State(state): State<Arc<Inspected>>,
    UrlPath((_, number)): UrlPath<(String, usize)>,
    query: Result<Query<SegmentOptions>, QueryRejection>,
) -> Answer {
    let Query(SegmentOptions { method }) = query?;
    let method = method.parse::<SegmentMethod>().map_err(|error| Problem::bad_request(error.to_string()))?;
    state
        .clone()
        .view(move || {
            let stored = state.index.page(number)?;
            Ok(segments_view(&state.extractor, state.page_of(&stored), method)?)
        })
        .await
}

/// Corrections of a page, and the settings under which they were made.
#[derive(Deserialize)]
struct Corrected {
    detector: String,
    focus: f32,
    corrections: Vec<Correction>,
}

async fn corrected(
    State(state): State<Arc<Inspected>>,
    UrlPath((_, number)): UrlPath<(String, usize)>,
    body: Result<Json<Corrected>, JsonRejection>,
) -> Answer {
    let Json(asked) = body?;
    state.clone().view(move || state.corrected(number, &asked)).await
}

async fn save_corrections(
    State(state): State<Arc<Inspected>>,
    UrlPath((_, number)): UrlPath<(String, usize)>,
    body: Result<Json<Corrected>, JsonRejection>,
) -> Answer {
    let Json(asked) = body?;
    state.clone().view(move || state.save(number, &asked)).await
}

/// The answer of work that takes a while.
async fn blocking(work: impl FnOnce() -> Result<Value, Problem> + Send + 'static) -> Answer {
    // On other threads, so that long work does not hold up the requests of others.
    tokio::task::spawn_blocking(work).await.map_err(failed)?.map(Json)
}

fn failed(_: tokio::task::JoinError) -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the inspector failed on this; please report it")
}

impl Inspected {
    /// The answer of work on a whole page, of which only some are done at once.
    async fn view(self: Arc<Self>, work: impl FnOnce() -> Result<Value, Problem> + Send + 'static) -> Answer {
        let _permit = self.views.acquire().await.map_err(|_| Problem::bad_request("the inspector is ending"))?;
        blocking(work).await
    }

    fn url_of<'a>(&'a self, stored: &'a StoredPage) -> Option<&'a str> {
        // A page that is a file has its path in place of an address.
        let own = Some(stored.url.as_str()).filter(|url| url.contains("://"));
        if self.is_single { self.url.as_deref().or(own) } else { own }
    }

    fn page_of<'a>(&'a self, stored: &'a StoredPage) -> Page<'a> {
        Page::new(&stored.bytes).with_content_type(stored.content_type.as_deref()).with_url(self.url_of(stored))
    }

    fn name_of<'a>(&'a self, stored: &'a StoredPage, focus: f32) -> PageName<'a> {
        PageName { id: &stored.location, url: self.url_of(stored), focus }
    }

    fn templates_of(&self, stored: &StoredPage) -> Option<Arc<SiteTemplates>> {
        if self.is_single { self.site.clone() } else { self.index.templates(&stored.site) }
    }

    /// A page that the job may still have to come to.
    fn wait_for(&self, number: usize) -> Result<StoredPage, NoPage> {
        for _ in 0..MAX_WAITS {
            match self.index.page(number) {
                Err(NoPage::Unknown) if self.index.progress().phase == Phase::Reading => std::thread::sleep(WAIT),
                found => return found,
            }
        }
        Err(NoPage::Unknown)
    }

    fn page(&self, number: usize, network: bool, methods: bool) -> Result<Value, Problem> {
        let stored = self.wait_for(number)?;
        let templates = self.templates_of(&stored);
        let compared = match methods {
            true => self.methods.learn(&self.index, &self.extractor, &stored.site, number),
            false => Arc::default(),
        };
        let url = self.url_of(&stored);
        let viewed =
            ViewedPage { page: self.page_of(&stored), url, site: templates.as_deref(), methods: &compared, network };
        let mut view = page_view(&self.extractor, &viewed)?;
        // The view does not hold the source, to which saved corrections must fit.
        let source =
            dehusk::dom::decode(&stored.bytes, stored.content_type.as_deref(), &self.extractor.options().limits());
        let source = source.map(|decoded| decoded.text).unwrap_or_default();
        view["number"] = json!(number);
        view["name"] = json!(stored.location);
        view["site_name"] = json!(stored.site);
        view["methods_compared"] = json!(methods);
        view["corrections"] = json!(self.corrections.of(&self.name_of(&stored, 0.0), &source));
        Ok(view)
    }

    /// Does something with a page as it is after corrections.
    fn with_corrected<T>(
        &self,
        stored: &StoredPage,
        asked: &Corrected,
        then: impl FnOnce(&Extraction<'_>) -> T,
    ) -> Result<T, Problem> {
        // The chosen detector first: it may use a model from a file, which the list of methods does not know.
        let own = Some(self.extractor.detector()).filter(|own| own.name() == asked.detector);
        let unknown = || Problem::bad_request(format!("there is no detector {:?}", asked.detector));
        let detector = own.or(METHODS.detector(&asked.detector)).ok_or_else(unknown)?;
        let options = self.extractor.options().with_focus(Focus::new(asked.focus)?);
        let extractor = with_detector(&self.extractor, detector, options)?;
        let (templates, compared) = (self.templates_of(stored), self.methods.known(&stored.site));
        let of_method = compared.iter().find(|(own, _)| *own == detector.name()).map(|(_, site)| site);
        let page = self.page_of(stored).with_site(of_method.or(templates.as_deref()));
        let mut scratch = Scratch::default();
        Ok(then(&extract_corrected(&extractor, page, &asked.corrections, &mut scratch)?))
    }

    fn corrected(&self, number: usize, asked: &Corrected) -> Result<Value, Problem> {
        self.with_corrected(&self.index.page(number)?, asked, |extraction| {
            json!({
                "markdown": extraction.render(OutputFormat::Markdown),
                "text": extraction.render(OutputFormat::Text),
            })
        })
    }

    fn save(&self, number: usize, asked: &Corrected) -> Result<Value, Problem> {
        let stored = self.index.page(number)?;
        let name = self.name_of(&stored, asked.focus);
        let new = self.with_corrected(&stored, asked, |extraction| {
            (!asked.corrections.is_empty()).then(|| line(extraction, &name, &asked.corrections))
        })?;
        let path = self.corrections.path().display().to_string();
        match self.corrections.save(&name, new.as_deref()) {
            Ok(()) => Ok(json!({ "saved": asked.corrections.len(), "file": path })),
            Err(error) => {
                let message = format!("{path}: {error}; name another file with --corrections");
                Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "cannot_write", message))
            }
        }
    }
}
