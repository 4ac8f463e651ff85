//! The page inside one WARC record.
//!
//! Takes the header and the block of a `response` or `resource` record and gives the page, or the reason why it does not
//! hold one: another status, another content type, an encoding that cannot be decoded.

use crate::containers::warc::header_fields::HeaderFields;
use crate::containers::warc::http::{Body, BodyError, Head, decode_body};
use crate::fault::{Fault, FaultKind, PageIdentity};
use crate::input_page::InputPage;
use crate::input_value::InputValue;
use crate::location::Location;
use crate::read_options::ReadOptions;
use crate::shortened::shortened;

/// Parses the block of a record.
pub(crate) fn open_record(
    header: &HeaderFields,
    block: Vec<u8>,
    location: Location,
    options: &ReadOptions,
) -> Result<InputPage, Fault> {
    let known = known_of(header, &options.carry);
    let (content_type, body) = match open_block(header, block, options) {
        Ok(opened) => opened,
        Err(Refused::TooLarge) => return Err(options.page_too_large(location).of_page(known)),
        Err(Refused::Other(kind, reason)) => return Err(Fault::new(location, kind, reason).of_page(known)),
    };
    Ok(InputPage {
        url: known.url,
        id: known.id,
        html: body.bytes,
        content_type,
        carried: known.carried,
        // The later segments of a page are `continuation` records, which are not read.
        truncated: body.truncated
            || header.first("warc-truncated").is_some()
            || header.first("warc-segment-number").is_some(),
        location,
    })
}

/// What the header of a record says about its page.
pub(crate) fn known_of(header: &HeaderFields, carry: &[String]) -> PageIdentity {
    // Some writers put the address in angle brackets, as the standard's first grammar required.
    let url = header.first("warc-target-uri").unwrap_or_default();
    let url = url.strip_prefix('<').and_then(|url| url.strip_suffix('>')).unwrap_or(&url).to_string();
    let value = |name: &str| header.first(name).map(|text| InputValue::from(text.as_ref()));
    let carried = carry.iter().map(|name| (name.clone(), value(name).unwrap_or_default())).collect();
    PageIdentity { url, id: value("warc-record-id"), carried }
}

/// Why a block holds no page that can be used.
enum Refused {
    TooLarge,
    Other(FaultKind, String),
}

/// The content type and the body of the page in a block.
fn open_block(
    header: &HeaderFields,
    mut block: Vec<u8>,
    options: &ReadOptions,
) -> Result<(Option<String>, Body), Refused> {
    let http = http_head(header, &block);
    if let Some((kind, reason)) = skip_reason(header, http.as_ref()) {
        return Err(Refused::Other(kind, reason));
    }
    let (content_type, body) = match http {
        Some(head) => {
            block.drain(..head.body_start);
            let content_type = head.fields.first("content-type").map(String::from);
            match decode_body(&head.fields, block, options.max_bytes) {
                Ok(body) => (content_type, body),
                Err(BodyError::Broken(reason)) => return Err(Refused::Other(FaultKind::BadHttp, reason)),
                Err(BodyError::TooLarge) => return Err(Refused::TooLarge),
            }
        }
        None if block.len() as u64 > options.max_bytes => return Err(Refused::TooLarge),
        None => (header.first("content-type").map(String::from), Body { bytes: block, truncated: false }),
    };
    let declared = content_type.as_deref().is_some_and(|value| !value.trim().is_empty());
    let is_html = is_declared_html(content_type.as_deref().unwrap_or_default())
        || is_declared_html(&header.first("warc-identified-payload-type").unwrap_or_default())
        || !declared && starts_like_markup(&body.bytes);
    if !is_html {
        let reason = "there is no content type and the content does not start with markup";
        return Err(Refused::Other(FaultKind::NotHtml, reason.into()));
    }
    Ok((content_type, body))
}

/// The types of records that the standard has.
const TYPES: [&str; 8] =
    ["warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation"];

/// What is wrong with the type of a record, if anything. The standard allows others, which readers skip; but a type
/// that is not even a word, or an unknown one on a record that holds a page, is damage: the page was meant to be read.
pub(crate) fn type_fault(header: &HeaderFields) -> Option<(FaultKind, String)> {
    let Some(kind) = header.first("warc-type") else {
        return Some((FaultKind::DamagedArchive, "the record has no WARC-Type".into()));
    };
    if TYPES.iter().any(|known| kind.eq_ignore_ascii_case(known)) {
        return None;
    }
    let shown: String = kind.chars().take(40).flat_map(char::escape_default).collect();
    let content_type = header.first("content-type").unwrap_or_default();
    let is_word = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let holds_page = content_type.trim_start().to_ascii_lowercase().starts_with("application/http")
        || is_declared_html(&content_type)
        || is_declared_html(&header.first("warc-identified-payload-type").unwrap_or_default());
    Some(match is_word && !holds_page {
        true => (FaultKind::UnknownType, format!("records of the type {shown} are not read")),
        false => (FaultKind::DamagedArchive, format!("the record has the WARC-Type \"{shown}\", which is not one")),
    })
}

/// The head of the HTTP response that a record holds; `block` may be only the start of its block.
pub(crate) fn http_head(header: &HeaderFields, block: &[u8]) -> Option<Head> {
    if is_response(header) { Head::parse(block) } else { None }
}

/// Why a record does not hold a page, as far as its header and the head of its response show.
pub(crate) fn skip_reason(header: &HeaderFields, http: Option<&Head>) -> Option<(FaultKind, String)> {
    let content_type = match http {
        Some(head) if !(200..300).contains(&head.status) => {
            return Some((FaultKind::NotOk, format!("the server answered with status {}", head.status)));
        }
        Some(head) => head.fields.first("content-type"),
        None if is_response(header) => {
            let url = header.first("warc-target-uri").unwrap_or_default();
            // Crawlers also store other answers as responses, such as those of name servers (`dns:`).
            let scheme = url.trim_start_matches('<').get(..4);
            if scheme.is_none_or(|scheme| scheme.eq_ignore_ascii_case("http")) {
                return Some((FaultKind::BadHttp, "the response has no HTTP status line".into()));
            }
            return Some((FaultKind::NotHtml, "the record holds no HTTP response".into()));
        }
        None => header.first("content-type"),
    };
    let declared = content_type.filter(|declared| !declared.trim().is_empty())?;
    if is_declared_html(&declared)
        || is_declared_html(&header.first("warc-identified-payload-type").unwrap_or_default())
    {
        return None;
    }
    Some((FaultKind::NotHtml, format!("the content type is {}", shortened(&declared, 80))))
}

fn is_response(header: &HeaderFields) -> bool {
    header.first("warc-type").is_some_and(|kind| kind.eq_ignore_ascii_case("response"))
}

fn is_declared_html(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("text/html") || kind.eq_ignore_ascii_case("application/xhtml+xml")
}

fn starts_like_markup(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start().first() == Some(&b'<')
}
