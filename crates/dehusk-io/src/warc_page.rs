//! The page inside one WARC record.
//!
//! Takes the header lines and the block of a `response` or `resource` record and gives the page, or the
//! reason why it is none: another status, another type, an encoding that cannot be undone.

use serde_json::Value;

use crate::fault::{Fault, FaultKind};
use crate::fields::{Fields, quick_field};
use crate::http::{BodyError, Head, decode_body};
use crate::options::{ReadOptions, bytes_text};
use crate::place::Place;
use crate::record::Record;

/// Opens a block.
pub(crate) fn open_block(
    header: &[u8],
    mut block: Vec<u8>,
    place: Place,
    options: &ReadOptions,
) -> Result<Record, Fault> {
    if let Some((kind, reason)) = skip_reason(header, &block) {
        return Err(Fault::new(place, kind, reason));
    }
    let fields = Fields::parse(header);
    // Some writers put the address in angle brackets, as the standard's first grammar asked.
    let url = fields.first("warc-target-uri").unwrap_or_default();
    let url = url.strip_prefix('<').and_then(|url| url.strip_suffix('>')).unwrap_or(url).to_string();
    let http = if is_response(header) { Head::parse(&block) } else { None };
    let (content_type, body) = match http {
        Some(head) => {
            block.drain(..head.body_start);
            let content_type = head.fields.first("content-type").map(String::from);
            match decode_body(&head.fields, block, options.max_bytes) {
                Ok(body) => (content_type, body),
                Err(BodyError::Broken(reason)) => return Err(Fault::new(place, FaultKind::BadHttp, reason)),
                Err(BodyError::TooLarge) => return Err(too_large(place, options)),
            }
        }
        None if block.len() as u64 > options.max_bytes => return Err(too_large(place, options)),
        None => {
            let content_type = fields.first("content-type").map(String::from);
            (content_type, crate::http::Body { bytes: block, cut: false })
        }
    };
    let declared = content_type.as_deref().is_some_and(|value| !value.trim().is_empty());
    let is_html = is_declared_html(content_type.as_deref().unwrap_or_default())
        || is_declared_html(fields.first("warc-identified-payload-type").unwrap_or_default())
        || !declared && starts_like_markup(&body.bytes);
    if !is_html {
        return Err(Fault::new(place, FaultKind::NotHtml, "no content type is given and no markup starts the content"));
    }
    let value = |text: &str| Value::String(text.into());
    Ok(Record {
        url,
        id: fields.first("warc-record-id").map(value),
        html: body.bytes,
        content_type,
        carried: options
            .carry
            .iter()
            .map(|name| (name.clone(), fields.first(name).map_or(Value::Null, value)))
            .collect(),
        truncated: body.cut
            || fields.first("warc-truncated").is_some()
            || fields.first("warc-segment-number").is_some(),
        place,
    })
}

/// Why a record is no page to work on, as far as its headers tell; `block` may be only its start.
pub(crate) fn skip_reason(header: &[u8], block: &[u8]) -> Option<(FaultKind, String)> {
    let fields = Fields::parse(header);
    let identified = fields.first("warc-identified-payload-type").unwrap_or_default();
    let content_type = if is_response(header) {
        let Some(head) = Head::parse(block) else {
            let scheme = fields.first("warc-target-uri").unwrap_or_default().trim_start_matches('<');
            if scheme.get(..4).is_none_or(|scheme| scheme.eq_ignore_ascii_case("http")) {
                return Some((FaultKind::BadHttp, "the response has no HTTP status line".into()));
            }
            return Some((FaultKind::NotHtml, "the record holds no HTTP response".into()));
        };
        if !(200..300).contains(&head.status) {
            return Some((FaultKind::NotOk, format!("the server answered with status {}", head.status)));
        }
        head.fields.first("content-type").map(String::from)
    } else {
        fields.first("content-type").map(String::from)
    };
    match content_type {
        Some(declared)
            if !declared.trim().is_empty() && !is_declared_html(&declared) && !is_declared_html(identified) =>
        {
            let short: String = declared.chars().take(80).collect();
            Some((FaultKind::NotHtml, format!("the content type is {short}")))
        }
        _ => None,
    }
}

fn is_response(header: &[u8]) -> bool {
    quick_field(header, b"warc-type").is_some_and(|kind| kind.eq_ignore_ascii_case(b"response"))
}

fn too_large(place: Place, options: &ReadOptions) -> Fault {
    let limit = bytes_text(options.max_bytes);
    Fault::new(place, FaultKind::TooLarge, format!("the page is larger than the limit of {limit}"))
}

fn is_declared_html(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("text/html") || kind.eq_ignore_ascii_case("application/xhtml+xml")
}

fn starts_like_markup(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start().first() == Some(&b'<')
}
