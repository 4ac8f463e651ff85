//! What a request sends and what it wants to get: the headers Content-Type, Content-Encoding and Accept.

use crate::problem::Problem;
use axum::http::{HeaderMap, StatusCode, header};
use dehusk::OutputFormat;

/// What the body of a request is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sent {
    /// A page, with the value of Content-Type if that can say something about its encoding.
    Page(Option<String>),
    /// An object with a page.
    Json,
}

/// What the client wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// A record.
    Record,
    /// The content alone.
    Content(OutputFormat),
}

/// The media types an answer can have, the most useful first.
const OFFERED: [(&str, &str, Wanted); 4] = [
    ("application", "json", Wanted::Record),
    ("text", "plain", Wanted::Content(OutputFormat::Text)),
    ("text", "markdown", Wanted::Content(OutputFormat::Markdown)),
    ("text", "html", Wanted::Content(OutputFormat::Html)),
];

/// What the body is, by Content-Type.
pub(crate) fn sent(headers: &HeaderMap) -> Result<Sent, Problem> {
    check_encoding(headers)?;
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Ok(Sent::Page(None)) };
    let value = value.to_str().unwrap_or_default();
    match essence(value).as_str() {
        "text/html" | "application/xhtml+xml" => Ok(Sent::Page(Some(value.to_string()))),
        "application/octet-stream" => Ok(Sent::Page(None)),
        "application/json" => Ok(Sent::Json),
        _ => Err(unsupported(
            "the body is a page (text/html, application/xhtml+xml or application/octet-stream) or application/json: set the header \
             Content-Type",
        )),
    }
}

/// Refuses a body that is not lines of JSON.
pub(crate) fn check_lines(headers: &HeaderMap) -> Result<(), Problem> {
    check_encoding(headers)?;
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    match essence(value.to_str().unwrap_or_default()).as_str() {
        "application/x-ndjson" | "application/jsonl" | "application/json" | "application/octet-stream" => Ok(()),
        _ => Err(unsupported("the body is lines of JSON: set the header Content-Type to application/x-ndjson")),
    }
}

fn check_encoding(headers: &HeaderMap) -> Result<(), Problem> {
    let encoding = headers.get(header::CONTENT_ENCODING);
    match encoding.is_none_or(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        true => Ok(()),
        false => Err(unsupported("bodies are not decompressed here: send them without Content-Encoding")),
    }
}

fn unsupported(message: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_type", message)
}

/// A media type without its parameters.
fn essence(value: &str) -> String {
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// What the client wants, by Accept: a record unless it prefers something else.
pub(crate) fn wanted(headers: &HeaderMap) -> Result<Wanted, Problem> {
    let ranges = accepted(headers);
    let quality = |kind: &str, sub: &str| {
        // The most specific range that matches decides.
        let matching = ranges.iter().filter_map(|range| Some((range.specificity(kind, sub)?, range.quality)));
        matching.max_by_key(|(specificity, _)| *specificity).map_or(0, |(_, quality)| quality)
    };
    let mut best: Option<(u32, usize, Wanted)> = None;
    for (kind, sub, wanted) in OFFERED {
        let quality = quality(kind, sub);
        // Among equals, the one that is named first.
        let place = ranges.iter().position(|range| range.specificity(kind, sub) == Some(2)).unwrap_or(usize::MAX);
        if quality > 0 && best.is_none_or(|(other, at, _)| (quality, at) > (other, place)) {
            best = Some((quality, place, wanted));
        }
    }
    best.map(|(_, _, wanted)| wanted).ok_or_else(|| {
        not_acceptable("answers are application/json, text/plain, text/markdown or text/html: see the header Accept")
    })
}

/// Whether the client prefers the bytes of a template file to a page that draws it.
pub(crate) fn wants_bytes(headers: &HeaderMap) -> bool {
    let ranges = accepted(headers);
    let names =
        |kind: &str, sub: &str| ranges.iter().any(|range| range.quality > 0 && range.specificity(kind, sub) == Some(2));
    names("application", "octet-stream") && !names("text", "html")
}

pub(crate) fn not_acceptable(message: &str) -> Problem {
    Problem::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message)
}

/// One part of Accept.
struct Range {
    kind: String,
    sub: String,
    /// In thousandths.
    quality: u32,
}

impl Range {
    /// How closely it matches a type: 0 for any, 2 for this one.
    fn specificity(&self, kind: &str, sub: &str) -> Option<u8> {
        match (&*self.kind, &*self.sub) {
            ("*", "*") => Some(0),
            (own, "*") if own == kind => Some(1),
            (own, own_sub) if own == kind && own_sub == sub => Some(2),
            _ => None,
        }
    }
}

fn accepted(headers: &HeaderMap) -> Vec<Range> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut ranges: Vec<Range> = values.flat_map(|value| value.split(',')).filter_map(range).collect();
    if ranges.is_empty() {
        // A request without Accept takes anything.
        ranges.push(Range { kind: "*".into(), sub: "*".into(), quality: 1000 });
    }
    ranges
}

fn range(part: &str) -> Option<Range> {
    let mut parts = part.split(';').map(str::trim);
    let (kind, sub) = parts.next()?.split_once('/')?;
    let quality = parts.find_map(|parameter| parameter.strip_prefix("q=").or(parameter.strip_prefix("Q=")));
    let quality =
        quality.map_or(1.0, |quality| quality.parse::<f32>().ok().filter(|q| (0.0..=1.0).contains(q)).unwrap_or(0.0));
    Some(Range {
        kind: kind.to_ascii_lowercase(),
        sub: sub.to_ascii_lowercase(),
        quality: (quality * 1000.0).round() as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        [(name, value.parse().unwrap())].into_iter().collect()
    }

    #[test]
    fn the_best_type_is_chosen() {
        use OutputFormat::{Html, Markdown, Text};
        let wanted = |accept: &str| wanted(&headers(header::ACCEPT, accept)).map_err(|problem| problem.status.as_u16());
        for (accept, expected) in [
            ("*/*", Ok(Wanted::Record)),
            ("", Ok(Wanted::Record)),
            ("application/json, text/html", Ok(Wanted::Record)),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Ok(Wanted::Content(Html))),
            ("Text/Markdown", Ok(Wanted::Content(Markdown))),
            ("text/*", Ok(Wanted::Content(Text))),
            ("text/html, text/plain", Ok(Wanted::Content(Html))),
            ("text/html;q=0.5, text/plain;q=0.6", Ok(Wanted::Content(Text))),
            ("text/html;q=0, */*;q=0.1", Ok(Wanted::Record)),
            ("application/json;q=0, text/*;q=0.1", Ok(Wanted::Content(Text))),
            ("image/png", Err(406)),
            ("text/html;q=0", Err(406)),
            ("text/html;q=x", Err(406)),
        ] {
            assert_eq!(wanted(accept), expected, "{accept:?}");
        }
        assert_eq!(super::wanted(&HeaderMap::new()).ok(), Some(Wanted::Record));
        assert!(wants_bytes(&headers(header::ACCEPT, "application/octet-stream")));
        assert!(!wants_bytes(&headers(header::ACCEPT, "text/html, application/octet-stream;q=0.1")));
        assert!(!wants_bytes(&headers(header::ACCEPT, "*/*")));
    }

    #[test]
    fn bodies_are_pages_or_json() {
        let sent = |value: &str| sent(&headers(header::CONTENT_TYPE, value)).map_err(|problem| problem.status.as_u16());
        assert_eq!(sent("text/html; charset=latin1"), Ok(Sent::Page(Some("text/html; charset=latin1".into()))));
        assert_eq!(sent("application/octet-stream"), Ok(Sent::Page(None)));
        assert_eq!(sent("Application/JSON; charset=utf-8"), Ok(Sent::Json));
        for other in
            ["application/x-www-form-urlencoded", "image/png", "text/plain", "multipart/form-data; boundary=x", ""]
        {
            assert_eq!(sent(other), Err(415), "{other}");
        }
        assert!(check_lines(&headers(header::CONTENT_TYPE, "application/x-ndjson")).is_ok());
        assert!(check_lines(&headers(header::CONTENT_TYPE, "text/html")).is_err());
        assert!(check_lines(&headers(header::CONTENT_ENCODING, "gzip")).is_err());
    }
}
