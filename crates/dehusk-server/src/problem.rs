//! Why a request is not answered as asked: a status for programs, a kind for code, a message for people.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use dehusk_io::{MAX_MESSAGE, shortened};
use serde_json::json;
use std::borrow::Cow;

/// The answer to a request that failed: `{"error": kind, "message": …}`.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) kind: Cow<'static, str>,
    pub(crate) message: String,
}

/// The kind of the problem that an answer reports, kept with the answer so that it can be counted.
#[derive(Clone, Debug)]
pub(crate) struct ProblemKind(pub(crate) Cow<'static, str>);

/// Seconds after which a client that was refused for load should try again.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

impl Problem {
    pub(crate) fn new(status: StatusCode, kind: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Problem {
        Problem { status, kind: kind.into(), message: shortened(&message.into(), MAX_MESSAGE).into_owned() }
    }

    pub(crate) fn bad_options(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad_options", message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub(crate) fn overloaded(what: &str) -> Problem {
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "overloaded", format!("{what}: try again later"))
    }

    pub(crate) fn internal() -> Problem {
        let message = "the service failed on this request; please report it";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// What is wrong with a page, a line or a store, with the kinds that records use.
    pub(crate) fn of_kind(kind: &str, message: impl Into<String>) -> Problem {
        Problem::new(status_of(kind), kind.to_string(), message)
    }
}

/// The status of an answer whose problem is of a kind that records use.
fn status_of(kind: &str) -> StatusCode {
    match kind {
        "too_large" => StatusCode::PAYLOAD_TOO_LARGE,
        "not_text" | "incompatible" => StatusCode::UNPROCESSABLE_ENTITY,
        "bad_json" | "missing_column" | "bad_options" => StatusCode::BAD_REQUEST,
        "in_use" => StatusCode::CONFLICT,
        "timeout" => StatusCode::SERVICE_UNAVAILABLE,
        "no_space" => StatusCode::INSUFFICIENT_STORAGE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<dehusk_io::Error> for Problem {
    fn from(error: dehusk_io::Error) -> Problem {
        Problem::of_kind(error.kind().name(), error.to_string())
    }
}

impl From<dehusk::Error> for Problem {
    fn from(error: dehusk::Error) -> Problem {
        Problem::of_kind(error.kind().name(), error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Problem { status, kind, message } = self;
        let mut response = (status, Json(json!({ "error": kind, "message": message }))).into_response();
        // Only these pass by themselves; any other request would fail again.
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE | StatusCode::CONFLICT) {
            response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(ProblemKind(kind));
        response
    }
}
