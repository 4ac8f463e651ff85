//! The routes, and what is done for every request: who may ask, what is counted, what every answer has.

use super::metrics::Gauges;
use super::service::Service;
use crate::access;
use crate::problem::{Problem, ProblemKind};
use crate::serve::answers::batch::batch;
use crate::serve::answers::extract::{HeldByAnswer, extract};
use crate::serve::answers::sites;
use crate::serve::request::request_body::RequestBody;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post, put};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

/// The description of the service for programs.
const OPENAPI: &str = include_str!("../../openapi.json");

/// The description of the service for people.
const WELCOME: &str = "Dehusk removes the template around the content of web pages.

POST   /v1/extract                 a page in, its content out
POST   /v1/batch                   JSON lines of pages in, JSON lines of records out
PUT    /v1/sites/{host}            learn a site from JSON lines of pages
POST   /v1/sites/{host}/learn      learn more of a site
GET    /v1/sites/{host}            what is known of a site
GET    /v1/sites/{host}/template   its templates, drawn or as a file
POST   /v1/sites/{host}/drift      do recent pages still fit?
DELETE /v1/sites/{host}            forget a site
GET    /v1/openapi.json            all of this for programs
GET    /healthz                    whether the service takes work
GET    /metrics                    counters for Prometheus
";

type Routes = Vec<(Method, &'static str, MethodRouter<Arc<Service>>)>;

/// Every route.
fn table() -> Routes {
    vec![
        (Method::GET, "/", get(welcome)),
        (Method::GET, "/healthz", get(health)),
        (Method::GET, "/metrics", get(metrics)),
        (Method::GET, "/v1/openapi.json", get(openapi)),
        (Method::POST, "/v1/extract", post(extract)),
        (Method::POST, "/v1/batch", post(batch)),
        (Method::GET, "/v1/sites/{host}", get(sites::known)),
        (Method::PUT, "/v1/sites/{host}", put(sites::replace)),
        (Method::DELETE, "/v1/sites/{host}", delete(sites::forget)),
        (Method::POST, "/v1/sites/{host}/learn", post(sites::learn_more)),
        (Method::GET, "/v1/sites/{host}/template", get(sites::template)),
        (Method::POST, "/v1/sites/{host}/drift", post(sites::drift)),
    ]
}

/// The method and the path of every route, as the OpenAPI file has them.
pub fn routes() -> Vec<(String, &'static str)> {
    table().into_iter().map(|(method, path, _)| (method.as_str().to_ascii_lowercase(), path)).collect()
}

/// The router of the service.
pub(super) fn router(service: Arc<Service>) -> Router {
    let routes = table().into_iter().fold(Router::new(), |router, (_, path, handler)| router.route(path, handler));
    routes
        .fallback(unknown_route)
        .method_not_allowed_fallback(unknown_method)
        .layer(from_fn_with_state(service.clone(), around))
        .with_state(service)
}

async fn welcome() -> &'static str {
    WELCOME
}

async fn health(State(service): State<Arc<Service>>) -> Response {
    match service.is_stopping() {
        false => "ok\n".into_response(),
        true => Problem::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", "the service is stopping").into_response(),
    }
}

async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let gauges = Gauges { queue_length: service.pool.waiting(), held_bytes: service.held.now() };
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], service.metrics.text(gauges)).into_response()
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

async fn unknown_route() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", "there is no such route: GET / names them")
}

async fn unknown_method() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this route has other methods: see the header Allow",
    )
}

/// What is done for every request.
async fn around(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    // Not the path itself: every address that a client makes up would be a label of its own.
    let route = request.extensions().get::<MatchedPath>().map_or("other".to_string(), |path| path.as_str().to_string());
    let mut finish = Finish {
        method: shown_method(request.method()),
        route,
        status: None,
        start: Instant::now(),
        service: service.clone(),
        held: None,
    };
    service.metrics.request_begins();
    let (parts, body) = request.into_parts();
    let checked = access::check(&parts, service.settings.token.as_ref()).and_then(|()| check_transfer(&parts.headers));
    let mut response = match checked {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(problem) => {
            // Reads a part of the body, so that the client gets the answer; see `RequestBody`.
            drop(RequestBody::new(&parts.headers, body, service.settings.read_timeout));
            problem.into_response()
        }
    };
    if let Some(ProblemKind(kind)) = response.extensions_mut().remove() {
        service.metrics.error(&kind);
    }
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    finish.held = response.extensions_mut().remove();
    let status = response.status().as_u16();
    response.map(|body| finish.with_body(status, body))
}

/// Refuses bodies in any coding of the transfer but chunks: nothing here would decode them, and the page would be what they were packed into.
fn check_transfer(headers: &HeaderMap) -> Result<(), Problem> {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    match codings.all(|coding| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked")) {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::NOT_IMPLEMENTED,
            "unsupported_transfer",
            "bodies are sent with their length or in chunks: leave other codings out of the header Transfer-Encoding",
        )),
    }
}

/// Methods that clients invent are counted as one.
fn shown_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "get",
        Method::HEAD => "head",
        Method::POST => "post",
        Method::PUT => "put",
        Method::DELETE => "delete",
        _ => "other",
    }
}

/// Counts a request when it is over: when its answer was handed over to the last byte, or when its client has left before.
struct Finish {
    method: &'static str,
    route: String,
    /// Nothing until the answer is complete.
    status: Option<u16>,
    start: Instant,
    service: Arc<Service>,
    held: Option<HeldByAnswer>,
}

impl Finish {
    /// A body that counts its request at its end.
    fn with_body(mut self, status: u16, body: Body) -> Body {
        if body.is_end_stream() {
            self.status = Some(status);
        }
        Body::new(WholeBody { body, status, finish: self })
    }
}

impl Drop for Finish {
    fn drop(&mut self) {
        drop(self.held.take());
        self.service.metrics.request_ends(self.method, &self.route, self.status, self.start.elapsed());
    }
}

/// The body of an answer, which knows whether it was taken to its end.
struct WholeBody {
    body: Body,
    status: u16,
    finish: Finish,
}

impl HttpBody for WholeBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || (frame.as_ref().is_some_and(Result::is_ok) && self.body.is_end_stream()) {
            self.finish.status = Some(self.status);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::settings::Settings;
    use tower::ServiceExt as _;

    #[tokio::test]
    async fn health_says_whether_the_service_is_stopping() {
        let service = Arc::new(Service::new(Settings::default()).unwrap());
        let status = async || {
            let request = Request::get("/healthz").header("host", "localhost").body(Body::empty()).unwrap();
            router(service.clone()).oneshot(request).await.unwrap().status()
        };
        assert_eq!(status().await, StatusCode::OK);
        service.stop();
        assert_eq!(status().await, StatusCode::SERVICE_UNAVAILABLE);
    }
}
