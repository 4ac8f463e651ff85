//! `POST /v1/batch`: lines of JSON in, lines of JSON out, in the same order and at the same time.

use crate::problem::Problem;
use crate::serve::request::held_bytes::Held;
use crate::serve::request::lines::{Line, Lines};
use crate::serve::request::media::check_lines;
use crate::serve::request::options::{Prepared, RequestOptions};
use crate::serve::request::query::query;
use crate::serve::request::request_body::RequestBody;
use crate::serve::service::{RequestPage, Running, Service, open_line};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use dehusk::Scratch;
use dehusk_io::crawl::PageRef;
use std::io;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;

/// Lines of a request that are worked on or wait to be sent, for each worker.
const LINES_AHEAD: usize = 2;

pub(crate) async fn batch(State(service): State<Arc<Service>>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let body = RequestBody::new(&parts.headers, body, service.settings.read_timeout);
    check_lines(&parts.headers)?;
    let mut options = RequestOptions::of_query(query(&parts.uri)?);
    let with_site = options.take_flag("site")?;
    let prepared = service.options.prepare(&options)?;
    service.check_load()?;
    let (sender, receiver) = mpsc::channel(LINES_AHEAD * service.settings.worker_threads());
    let lines = service.lines(body);
    let reader = Reader { service: service.clone(), prepared: prepared.clone(), with_site };
    // Read apart from the answer, so that lines are worked on while earlier records are being sent.
    tokio::spawn(reader.read(lines, sender));
    let records = ReceiverStream::new(receiver).then(move |next| record(service.clone(), prepared.clone(), next));
    // After a line that ends the answer, the connection is cut, so that nobody takes the answer for a whole one.
    let body = Body::from_stream(records.map(|record| record.map(Bytes::from)));
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

/// What comes next in the answer.
enum Next {
    /// The record of a line.
    Record {
        number: u64,
        running: Running<Vec<u8>>,
        held: Held,
    },
    /// The line is too long.
    TooLong {
        number: u64,
    },
    /// Lines cannot be read any more: the record that says so, and the end.
    Stopped(Problem),
    Cut,
}

/// Reads lines and hands them to the workers.
struct Reader {
    service: Arc<Service>,
    prepared: Arc<Prepared>,
    with_site: bool,
}

impl Reader {
    async fn read(self, mut lines: Lines, sender: mpsc::Sender<Next>) {
        let mut counted = 0;
        loop {
            let next = lines.next().await;
            self.service.metrics.body(lines.received() - counted);
            counted = lines.received();
            let next = match next {
                Ok(Some(line)) => self.begin(line).await,
                Ok(None) => return,
                Err(problem) => Err(problem),
            };
            let (next, is_last) = match next {
                Ok(next) => (next, false),
                Err(problem) => (Next::Stopped(problem), true),
            };
            // Nobody takes it if the client has left.
            if sender.send(next).await.is_err() {
                return;
            }
            if is_last {
                let _ = sender.send(Next::Cut).await;
                return;
            }
        }
    }

    async fn begin(&self, line: Line) -> Result<Next, Problem> {
        let Line { number, bytes, held } = line;
        let Some(bytes) = bytes else { return Ok(Next::TooLong { number }) };
        let place = self.service.place().await?;
        let (service, prepared, with_site) = (self.service.clone(), self.prepared.clone(), self.with_site);
        let work = move |scratch: &mut Scratch| line_record(&service, &prepared, with_site, number, bytes, scratch);
        Ok(Next::Record { number, running: self.service.begin(place, work), held })
    }
}

/// The record of a line, also if it holds no page.
fn line_record(
    service: &Service,
    prepared: &Prepared,
    with_site: bool,
    number: u64,
    line: Vec<u8>,
    scratch: &mut Scratch,
) -> Vec<u8> {
    let cleaner = &prepared.cleaner;
    match open_line(number, line, &service.options.read_options()) {
        Ok(record) => {
            let page = PageRef::new(&record.url, &record.html).with_content_type(record.content_type.as_deref());
            let page = page.with_id(record.id.as_ref());
            service.record(prepared, &RequestPage { bytes: page, with_site }, scratch).unwrap_or_else(|problem| {
                service.metrics.error(&problem.kind);
                cleaner.fail(page, &problem.kind, &problem.message)
            })
        }
        Err(fault) => {
            service.metrics.error(fault.kind.name());
            let known = fault.page();
            let page = PageRef::new(known.map_or("", |known| &known.url), b"");
            let page = page.with_id(known.and_then(|known| known.id.as_ref()));
            cleaner.fail(page, fault.kind.name(), &fault.to_string())
        }
    }
}

/// Waits for the next record.
async fn record(service: Arc<Service>, prepared: Arc<Prepared>, next: Next) -> io::Result<Vec<u8>> {
    let failed = |problem: Problem, number: Option<u64>| {
        service.metrics.error(&problem.kind);
        let message = match number {
            Some(number) => format!("request line {number}: {}", problem.message),
            None => problem.message,
        };
        prepared.cleaner.fail(PageRef::new("", b""), &problem.kind, &message)
    };
    match next {
        Next::Record { number, running, held } => {
            let answer = running.answer().await;
            drop(held);
            Ok(answer.unwrap_or_else(|problem| failed(problem, Some(number))))
        }
        Next::TooLong { number } => {
            let limit = service.settings.max_line_bytes();
            let message = format!("the line is longer than the limit of {limit} bytes");
            Ok(failed(Problem::of_kind("too_large", message), Some(number)))
        }
        Next::Stopped(problem) => Ok(failed(problem, None)),
        Next::Cut => {
            // Earlier records are written out when the next one is not ready at once; without this pause, the error could overtake them.
            tokio::task::yield_now().await;
            Err(io::Error::other("the request was not read to its end"))
        }
    }
}
