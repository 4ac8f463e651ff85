//! `POST /v1/extract`: one page in, its record or its content out.

use crate::problem::Problem;
use crate::serve::request::held_bytes::Held;
use crate::serve::request::media::{Sent, Wanted, sent, wanted};
use crate::serve::request::options::{Prepared, RequestOptions};
use crate::serve::request::query::query;
use crate::serve::request::request_body::RequestBody;
use crate::serve::service::{RequestPage, Service, open_line};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use dehusk::{OutputFormat, Scratch};
use dehusk_io::ReadOptions;
use dehusk_io::crawl::PageRef;
use dehusk_options::definitions::options_of;
use dehusk_options::{Command, Given, Surface};
use serde_json::Value;
use std::sync::Arc;

/// What a browser may do with HTML that this service answers: show it.
pub(crate) const CONTENT_POLICY: &str = "default-src 'none'; sandbox";

/// The bytes of an answer, kept with it until it is sent. Shared, because extensions of answers must be `Clone`.
#[derive(Clone)]
pub(crate) struct HeldByAnswer(#[expect(dead_code, reason = "held, not read")] pub(crate) Arc<Held>);

pub(crate) async fn extract(State(service): State<Arc<Service>>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let mut body = RequestBody::new(&parts.headers, body, service.settings.read_timeout);
    let wanted = wanted(&parts.headers)?;
    let sent = sent(&parts.headers)?;
    let mut options = RequestOptions::of_query(query(&parts.uri)?);
    let url = options.take("url")?;
    let with_site = options.take_flag("site")?;
    // Options that cannot be used are refused before the page is sent.
    let prepared = service.options.prepare(&with_format(options.clone(), wanted)?)?;
    service.check_load()?;
    let max_bytes = match &sent {
        Sent::Page(_) => service.settings.limits.bytes,
        Sent::Json => service.settings.max_line_bytes(),
    };
    let read = body.read(max_bytes, &service.held).await;
    service.metrics.body(body.received());
    let (bytes, held) = read?;
    let job = Job { service: service.clone(), sent, url, with_site, options, prepared, wanted };
    let answer = service.run(service.try_place()?, move |scratch| job.run(bytes, scratch)).await??;
    let mut response = answer.into_response();
    response.extensions_mut().insert(HeldByAnswer(Arc::new(held)));
    Ok(response)
}

/// The options with the format that Accept asks for.
fn with_format(mut options: RequestOptions, wanted: Wanted) -> Result<RequestOptions, Problem> {
    let Wanted::Content(format) = wanted else { return Ok(options) };
    let name = format.name();
    match options.format() {
        None => options.push("format", name),
        Some(Given::Text(given)) if given == name => {}
        Some(_) => {
            let message = format!(
                "the header Accept asks for {name}, the option format for something else: leave one of them out"
            );
            return Err(Problem::bad_options(message));
        }
    }
    Ok(options)
}

/// The work on one page.
struct Job {
    service: Arc<Service>,
    sent: Sent,
    url: Option<String>,
    with_site: bool,
    options: RequestOptions,
    prepared: Arc<Prepared>,
    wanted: Wanted,
}

impl Job {
    fn run(self, bytes: Vec<u8>, scratch: &mut Scratch) -> Result<Answer, Problem> {
        match &self.sent {
            Sent::Page(content_type) => {
                let page = PageRef::new(self.url.as_deref().unwrap_or_default(), &bytes);
                let page = page.with_content_type(content_type.as_deref());
                self.answer(&self.prepared, RequestPage { bytes: page, with_site: self.with_site }, scratch)
            }
            Sent::Json => self.run_json(bytes, scratch),
        }
    }

    /// An object with `html`, `url`, `id` and `options`.
    fn run_json(self, bytes: Vec<u8>, scratch: &mut Scratch) -> Result<Answer, Problem> {
        let read = json_keys(self.service.options.read_options());
        let record =
            open_line(1, bytes, &read).map_err(|fault| Problem::of_kind(fault.kind.name(), fault.message()))?;
        let mut carried = record.carried.iter();
        let given = match carried.next() {
            Some((_, value)) => read_options(&value.json())?,
            None => Value::Null,
        };
        if let Some((name, _)) = carried.find(|(_, value)| !value.is_null()) {
            let message = format!("the option {name} belongs in the object \"options\"");
            return Err(Problem::bad_options(message));
        }
        if self.url.is_some() && !record.url.is_empty() {
            return Err(Problem::bad_options(
                "url is given both in the query and in the object: leave one of them out",
            ));
        }
        let url = self.url.as_deref().unwrap_or(&record.url);
        let mut options = RequestOptions::of_json(&given)?;
        let mut with_site = self.with_site;
        let prepared = if given.is_null() {
            self.prepared.clone()
        } else {
            with_site &= options.take_flag("site")?;
            // Two places for the same thing would need a rule which one counts.
            if !self.options.is_empty() && !options.is_empty() {
                let message = "options are given both in the query and in the object: leave one of them out";
                return Err(Problem::bad_options(message));
            }
            let options = if options.is_empty() { self.options.clone() } else { options };
            self.service.options.prepare(&with_format(options, self.wanted)?)?
        };
        let page = PageRef::new(url, &record.html).with_content_type(record.content_type.as_deref());
        let page = RequestPage { bytes: page.with_id(record.id.as_ref()), with_site };
        self.answer(&prepared, page, scratch)
    }

    fn answer(&self, prepared: &Prepared, page: RequestPage<'_>, scratch: &mut Scratch) -> Result<Answer, Problem> {
        match self.wanted {
            Wanted::Record => Ok(Answer::Record(self.service.record(prepared, &page, scratch)?)),
            Wanted::Content(format) => {
                Ok(Answer::Content(format, self.service.content(prepared, &page, format, scratch)?))
            }
        }
    }
}

/// The most bytes of the object with the options of a page. Their values are checked one by one later; this bounds what is built for that.
const MAX_OPTION_BYTES: usize = 64 << 10;

/// The options of a page as JSON.
fn read_options(text: &str) -> Result<Value, Problem> {
    if text.len() > MAX_OPTION_BYTES {
        return Err(Problem::bad_options(format!("the object \"options\" has more than {MAX_OPTION_BYTES} bytes")));
    }
    serde_json::from_str(text)
        .map_err(|error| Problem::bad_options(format!("the object \"options\" cannot be read: {error}")))
}

/// Reads the options of an object, and finds those that are in the wrong place.
fn json_keys(read: ReadOptions) -> ReadOptions {
    let names = options_of(Command::Extract, Surface::Service)
        .map(|definition| definition.name)
        .chain(["site"])
        .map(String::from);
    read.with_carry(std::iter::once("options".to_string()).chain(names).collect())
}

/// What a page gave.
enum Answer {
    Record(Vec<u8>),
    Content(OutputFormat, String),
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let (kind, body) = match self {
            Answer::Record(json) => ("application/json", Body::from(json)),
            Answer::Content(format, text) => {
                let kind = match format {
                    OutputFormat::Markdown => "text/markdown; charset=utf-8",
                    OutputFormat::Html => "text/html; charset=utf-8",
                    _ => "text/plain; charset=utf-8",
                };
                (kind, Body::from(text))
            }
        };
        let mut response = body.into_response();
        let mut set = |name: HeaderName, value: &'static str| {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        };
        set(header::CONTENT_TYPE, kind);
        if kind.starts_with("text/html") {
            set(header::CONTENT_SECURITY_POLICY, CONTENT_POLICY);
        }
        response
    }
}
