//! `/v1/sites/{host}`: what is known of a site, learning it, and whether it has changed.

use crate::problem::Problem;
use crate::serve::answers::extract::CONTENT_POLICY;
use crate::serve::request::lines::Lines;
use crate::serve::request::media::{check_lines, wants_bytes};
use crate::serve::request::options::RequestOptions;
use crate::serve::request::query::query;
use crate::serve::request::request_body::RequestBody;
use crate::serve::service::{Service, open_line};
use crate::serve::site_store::site_name;
use axum::Json;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dehusk::site::{Drift, DriftCounter, render_templates};
use dehusk::{Page, Scratch, SiteTemplates};
use dehusk_io::InputPage;
use dehusk_io::crawl::{PageRef, SampleTable};
use dehusk_io::{MAX_SHOWN, shortened};
use serde_json::{Value, json};
use std::sync::Arc;

/// The host in the path.
pub(crate) struct Host(String);

impl<S: Send + Sync> FromRequestParts<S> for Host {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Host, Problem> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(host)) => Ok(Host(host)),
            Err(_) => Err(Problem::bad_request("the name of the host in the path is not UTF-8")),
        }
    }
}

/// `GET`: what is known of a site.
pub(crate) async fn known(
    State(service): State<Arc<Service>>,
    Host(host): Host,
    request: Request,
) -> Result<Json<Value>, Problem> {
    no_options(&request)?;
    let site = site_name(&host)?;
    let own = service.clone();
    service.run(service.try_place()?, move |_| Ok(Json(described(&*own.sites.known(&site)?)))).await?
}

/// `GET …/template`: the templates, drawn or as a file.
pub(crate) async fn template(
    State(service): State<Arc<Service>>,
    Host(host): Host,
    request: Request,
) -> Result<Response, Problem> {
    let mut options = RequestOptions::of_query(query(request.uri())?);
    let as_bytes = match options.take("format")?.as_deref() {
        None => wants_bytes(request.headers()),
        Some("husk") => true,
        Some("html") => false,
        Some(_) => return Err(Problem::bad_options("the format of templates is html or husk")),
    };
    check_empty(&options)?;
    let site = site_name(&host)?;
    let own = service.clone();
    let work = move |_: &mut Scratch| {
        let templates = own.sites.known(&site)?;
        Ok(match as_bytes {
            true => ([(header::CONTENT_TYPE, "application/octet-stream")], templates.to_bytes()).into_response(),
            false => drawing(&templates),
        })
    };
    service.run(service.try_place()?, work).await?
}

/// The drawing has its style in itself; otherwise it may do as little as any page.
fn drawing(templates: &SiteTemplates) -> Response {
    let policy = format!("{CONTENT_POLICY}; style-src 'unsafe-inline'");
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8".to_string()), (header::CONTENT_SECURITY_POLICY, policy)];
    (headers, render_templates(templates)).into_response()
}

/// `DELETE`: forgets a site.
pub(crate) async fn forget(
    State(service): State<Arc<Service>>,
    Host(host): Host,
    request: Request,
) -> Result<StatusCode, Problem> {
    no_options(&request)?;
    let site = site_name(&host)?;
    let writing = service.sites.writing.clone().lock_owned().await;
    let own = service.clone();
    let work = move |_: &mut Scratch| {
        let _writing = writing;
        // A site of which only pages are known has no templates, but is forgotten all the same.
        match own.sites.remove(&site)? {
            true => Ok(StatusCode::NO_CONTENT),
            false => Err(own.sites.known(&site).err().unwrap_or_else(Problem::internal)),
        }
    };
    // Not limited in time, as with learning: the site is removed even if nobody waits for the answer.
    service.begin(service.try_place()?, work).whole_answer().await?
}

/// `PUT`: learns a site from pages alone.
pub(crate) async fn replace(
    State(service): State<Arc<Service>>,
    Host(host): Host,
    request: Request,
) -> Result<Json<Value>, Problem> {
    learn(service, &host, request, false).await
}

/// `POST …/learn`: learns a site from pages and from those known.
pub(crate) async fn learn_more(
    State(service): State<Arc<Service>>,
    Host(host): Host,
    request: Request,
) -> Result<Json<Value>, Problem> {
    learn(service, &host, request, true).await
}

async fn learn(service: Arc<Service>, host: &str, request: Request, with_known: bool) -> Result<Json<Value>, Problem> {
    let (parts, body) = request.into_parts();
    let body = RequestBody::new(&parts.headers, body, service.settings.read_timeout);
    check_lines(&parts.headers)?;
    let site: Arc<str> = site_name(host)?.into();
    let options = RequestOptions::of_query(query(&parts.uri)?);
    let learning = Arc::new(service.options.prepare_learning(&options)?);
    service.check_load()?;
    // One site: no more is kept of it than its sample.
    let start = SampleTable::new(usize::MAX);
    let (own, of_site) = (learning.clone(), site.clone());
    let observe = move |table: &mut SampleTable, record: &InputPage, scratch: &mut Scratch| {
        check_site(&record.url, &own.cleaner.site(&record.url), &of_site, true)?;
        let page = PageRef::new(&record.url, &record.html).with_content_type(record.content_type.as_deref());
        match own.cleaner.evidence(page, table, scratch) {
            Some(evidence) => table.add(evidence),
            // `evidence` does not say what is wrong with a page.
            None => return Err(own.read_error(&record.html, record.content_type.as_deref(), scratch)),
        }
        Ok(())
    };
    let (mut table, tally) = fold_lines(&service, service.lines(body), start, observe).await?;
    tally.check_any()?;
    // Before a place is taken, so that requests that wait for each other do not occupy workers.
    let writing = service.sites.writing.clone().lock_owned().await;
    let own = service.clone();
    let work = move |_: &mut Scratch| {
        let _writing = writing;
        let sample = table.take().next().map(|(_, _, sample)| sample).unwrap_or_default();
        let learned = own.sites.learn(&learning.cleaner, &site, sample, with_known)?;
        if !learned {
            let message =
                "a template needs at least two pages of a site: give more of them at once; nothing was learned";
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "too_few_pages", message));
        }
        let mut answer = described(&*own.sites.known(&site)?);
        tally.add_to(&mut answer);
        Ok(Json(answer))
    };
    // What is learned is stored, so nobody should be told that it took too long.
    service.begin(service.place().await?, work).whole_answer().await?
}

/// `POST …/drift`: whether recent pages still fit.
pub(crate) async fn drift(
    State(service): State<Arc<Service>>,
    Host(host): Host,
    request: Request,
) -> Result<Json<Value>, Problem> {
    let (parts, body) = request.into_parts();
    let body = RequestBody::new(&parts.headers, body, service.settings.read_timeout);
    check_lines(&parts.headers)?;
    let site = site_name(&host)?;
    let options = RequestOptions::of_query(query(&parts.uri)?);
    let reading = service.options.prepare_reading(&options)?;
    service.check_load()?;
    let (own, name) = (service.clone(), site.clone());
    let templates = service.run(service.try_place()?, move |_| own.sites.known(&name)).await??;
    if templates.templates().is_empty() {
        let message = "only counts are known of this site, which say nothing about kinds of pages: learn it again with PUT /v1/sites/{host}";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "incompatible", message));
    }
    let known = templates.clone();
    let observe = move |counter: &mut DriftCounter, record: &InputPage, scratch: &mut Scratch| {
        check_site(&record.url, &reading.cleaner.site(&record.url), &site, false)?;
        let page = Page::new(&record.html).with_content_type(record.content_type.as_deref());
        let parsed = reading.extractor.parse(page, scratch)?;
        if let Some(fit) = known.fit(parsed.document, parsed.stats()) {
            counter.observe(fit);
        }
        Ok(())
    };
    let (counter, tally) = fold_lines(&service, service.lines(body), DriftCounter::default(), observe).await?;
    tally.check_any()?;
    let mut answer = verdict(&templates, &counter.finish(&templates));
    tally.add_to(&mut answer);
    Ok(Json(answer))
}

/// Refuses a page of another site. Unless it must be known which page it is, it need not have an address.
fn check_site(url: &str, of_page: &str, site: &str, needs_url: bool) -> Result<(), Problem> {
    if url.is_empty() && needs_url {
        return Err(Problem::of_kind("missing_column", "the page has no url, which says that it is of this site"));
    }
    if !url.is_empty() && of_page != site {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "other_site", format!("the page is one of {of_page:?}")));
    }
    Ok(())
}

/// The maximum number of unusable pages that an answer names.
const MAX_NAMED: usize = 100;

/// What became of the lines of a request.
#[derive(Default)]
struct LineTally {
    used: u64,
    failed: u64,
    named: Vec<Value>,
}

impl LineTally {
    fn fail(&mut self, number: u64, url: Option<&str>, kind: &str, message: &str) {
        self.failed += 1;
        if self.named.len() < MAX_NAMED {
            let (url, message) = (url.map(|url| shortened(url, MAX_SHOWN)), shortened(message, MAX_SHOWN));
            self.named.push(json!({ "line": number, "url": url, "error": kind, "message": message }));
        }
    }

    fn check_any(&self) -> Result<(), Problem> {
        if self.used > 0 {
            return Ok(());
        }
        let message = match self.named.first() {
            None => "there is no page in the body".to_string(),
            Some(first) => format!(
                "none of the {} pages could be used; the first: {}",
                self.failed,
                first["message"].as_str().unwrap_or_default()
            ),
        };
        Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "no_page", message))
    }

    fn add_to(self, answer: &mut Value) {
        answer["used"] = json!(self.used);
        answer["failed"] = json!(self.failed);
        answer["failed_pages"] = Value::Array(self.named);
    }
}

/// Folds the pages of a body into a value, one after the other.
async fn fold_lines<T, F>(
    service: &Arc<Service>,
    mut lines: Lines,
    mut value: T,
    observe: F,
) -> Result<(T, LineTally), Problem>
where
    T: Send + 'static,
    F: Fn(&mut T, &InputPage, &mut Scratch) -> Result<(), Problem> + Send + Sync + 'static,
{
    let (mut tally, mut counted) = (LineTally::default(), 0);
    let observe = Arc::new(observe);
    loop {
        let next = lines.next().await;
        service.metrics.body(lines.received() - counted);
        counted = lines.received();
        let Some(line) = next? else { return Ok((value, tally)) };
        let Some(bytes) = line.bytes else {
            let message = format!("the line is longer than the limit of {} bytes", service.settings.max_line_bytes());
            service.metrics.error("too_large");
            tally.fail(line.number, None, "too_large", &message);
            continue;
        };
        // The value moves to the worker and back, so that it needs no lock.
        let (own, observe, number) = (service.clone(), observe.clone(), line.number);
        let work = move |scratch: &mut Scratch| {
            own.metrics.page();
            let outcome = match open_line(number, bytes, &own.options.read_options()) {
                Err(fault) => {
                    Err((fault.page().map(|known| known.url.clone()), fault.kind.name().into(), fault.message().into()))
                }
                Ok(record) => {
                    let _at_work = own.at_work.begin(record.html.len());
                    let observed = observe(&mut value, &record, scratch);
                    observed.map_err(|Problem { kind, message, .. }| (Some(record.url), kind, message))
                }
            };
            (value, outcome)
        };
        let outcome;
        (value, outcome) = service.run(service.place().await?, work).await?;
        match outcome {
            Ok(()) => tally.used += 1,
            Err((url, kind, message)) => {
                service.metrics.error(&kind);
                tally.fail(number, url.as_deref().filter(|url| !url.is_empty()), &kind, &message);
            }
        }
    }
}

fn no_options(request: &Request) -> Result<(), Problem> {
    check_empty(&RequestOptions::of_query(query(request.uri())?))
}

fn check_empty(options: &RequestOptions) -> Result<(), Problem> {
    if options.is_empty() { Ok(()) } else { Err(Problem::bad_options("this route has no such options")) }
}

/// What is known of a site.
fn described(site: &SiteTemplates) -> Value {
    let (grouped, single) = (site.sampled_pages(), site.pages_of_no_kind());
    let templates = site.templates().iter().map(|kind| {
        json!({ "pages": kind.pages(), "usual_fit": rounded(kind.usual_fit()), "least_fit": rounded(kind.min_fit()) })
    });
    json!({
        "site": site.site(),
        "pages": site.pages(),
        "learned": site.learned(),
        "method": site.method().name(),
        "rule": site.combination().to_string(),
        "repeated_parts": site.counts().len(),
        "grouped_pages": grouped,
        "pages_of_no_template": single,
        "templates": templates.collect::<Vec<_>>(),
    })
}

/// The verdict of `dehusk drift`.
fn verdict(site: &SiteTemplates, drift: &Drift) -> Value {
    let templates = drift.templates.iter().map(|template| {
        json!({
            "learned_pages": template.learned_pages,
            "usual_fit": rounded(template.usual_fit),
            "pages": template.pages,
            "fit": rounded(template.fit),
            "verdict": template.verdict.name(),
        })
    });
    json!({
        "site": site.site(),
        "pages": drift.pages,
        "no_template_fits": drift.unfit,
        "drifted": drift.has_drifted(),
        "findings": drift.findings(),
        "templates": templates.collect::<Vec<_>>(),
    })
}

/// A number between 0 and 1 to three digits.
fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1000.0).round() / 1000.0
}
