//! Decodes the bytes of a page: finds its encoding and records which rule decided it.
//!
//! Follows the order of the HTML standard: byte order mark, HTTP header, `<meta>`, and only then detection from the bytes.
//! Reads no files and no network.

use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// Which rule decided the encoding of a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum EncodingRule {
    /// A byte order mark.
    ByteOrderMark,
    /// The `charset` of the HTTP header.
    Header,
    /// A `<meta>` element.
    Meta,
    /// Nothing was declared and the bytes are valid UTF-8.
    Utf8,
    /// Every other byte is zero: UTF-16 without a byte order mark.
    ZeroBytes,
    /// The statistics of the bytes.
    Detected,
}

impl EncodingRule {
    /// A short name for reports, such as `meta`.
    pub fn name(self) -> &'static str {
        match self {
            EncodingRule::ByteOrderMark => "byte_order_mark",
            EncodingRule::Header => "header",
            EncodingRule::Meta => "meta",
            EncodingRule::Utf8 => "utf8",
            EncodingRule::ZeroBytes => "zero_bytes",
            EncodingRule::Detected => "detected",
        }
    }
}

/// A decoded page.
#[derive(Clone, Debug)]
pub struct Decoded<'a> {
    /// The page as text, without a byte order mark.
    pub text: Cow<'a, str>,
    /// The name of the encoding, such as `windows-1252`.
    pub encoding: &'static str,
    /// The rule that decided it.
    pub rule: EncodingRule,
    /// Whether bytes that are invalid in that encoding were replaced.
    pub replaced: bool,
}

/// Number of bytes searched for a `<meta>`. Browsers search 1,024 bytes first and start over if one comes later.
const META_BYTES: usize = 16 * 1024;

/// Decodes a page. `content_type` is the HTTP header of that name, or just a charset label, if known.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>, limits: &Limits) -> Result<Decoded<'a>, Error> {
    limits.check_size(bytes.len())?;
    if let Some(kind) = binary_kind(bytes) {
        return Err(Error::new(ErrorKind::NotText, format!("this is {kind}, not a page")));
    }
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Ok(decode_as(&bytes[mark..], encoding, EncodingRule::ByteOrderMark));
    }
    if let Some(encoding) = content_type.and_then(header_charset) {
        return Ok(decode_as(bytes, encoding, EncodingRule::Header));
    }
    // Must come before the check for UTF-8: ASCII letters with zero bytes between them are valid UTF-8.
    if let Some(encoding) = zero_bytes(bytes) {
        return Ok(decode_as(bytes, encoding, EncodingRule::ZeroBytes));
    }
    if let Some(encoding) = meta_charset(&bytes[..bytes.len().min(META_BYTES)]) {
        return Ok(decode_as(bytes, encoding, EncodingRule::Meta));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Decoded {
            text: Cow::Borrowed(text),
            encoding: UTF_8.name(),
            rule: EncodingRule::Utf8,
            replaced: false,
        });
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    Ok(decode_as(bytes, detector.guess(None, Utf8Detection::Allow), EncodingRule::Detected))
}

fn decode_as<'a>(bytes: &'a [u8], encoding: &'static Encoding, rule: EncodingRule) -> Decoded<'a> {
    // A byte order mark would have decided the encoding, and has been cut off then, so there is none left to handle.
    let (text, replaced) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, encoding: encoding.name(), rule, replaced }
}

/// Describes a file that is not text, by its signature or its control characters.
fn binary_kind(bytes: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 12] = [
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"GIF87a", "a GIF picture"),
        (b"GIF89a", "a GIF picture"),
        (b"RIFF", "a RIFF file (WebP, WAV, AVI)"),
        (b"%PDF-", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive or office document"),
        (b"\x1f\x8b", "gzip-compressed"),
        (b"\x28\xb5\x2f\xfd", "zstd-compressed"),
        (b"\x7fELF", "a program"),
        (b"\x00\x00\x01\x00", "an icon"),
        (b"wOF2", "a font"),
    ];
    let known = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)).map(|(_, kind)| *kind);
    known.or_else(|| {
        // Text has few control characters in every encoding used on the web; NUL bytes are left to the parser, and
        // 27 starts the escape sequences of ISO-2022-JP.
        let head = &bytes[..bytes.len().min(2048)];
        let control = head.iter().filter(|byte| matches!(byte, 1..=8 | 14..=26 | 28..=31 | 127)).count();
        (control * 10 > head.len()).then_some("binary data")
    })
}

/// The encoding of a `Content-Type` header or of a bare label.
fn header_charset(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    // White space around the equals sign is allowed in `<meta content>`, and some servers send it too.
    let value = |at: usize| lower[at + 7..].trim_ascii_start().strip_prefix('=');
    let label = match lower.find("charset").and_then(value) {
        Some(value) => value.trim_ascii_start().split(';').next()?,
        // A media type has a slash; without one, this is the label itself.
        None if !lower.contains('/') => &lower,
        None => return None,
    };
    Encoding::for_label(label.trim_matches(|c: char| c.is_ascii_whitespace() || c == '"' || c == '\'').as_bytes())
}

/// Detects UTF-16 without a byte order mark: pages are mostly ASCII markup, so every other byte is zero.
fn zero_bytes(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(1024) & !1];
    if head.len() < 4 {
        return None;
    }
    let zeros = |parity: usize| head.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, pairs) = (zeros(0), zeros(1), head.len() / 2);
    // Sixty per cent rather than all: letters outside Latin-1 have no zero byte.
    if odd * 10 > pairs * 6 && even * 10 < pairs {
        Some(UTF_16LE)
    } else if even * 10 > pairs * 6 && odd * 10 < pairs {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// The encoding a `<meta>` element declares.
fn meta_charset(head: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while let Some(found) = memchr(b'<', &head[at..]) {
        at += found;
        let rest = &head[at..];
        if rest.starts_with(b"<!--") {
            // `<!-->` is a whole comment.
            at += 2 + memmem::find(&rest[2..], b"-->")? + 3;
            continue;
        }
        at += 1;
        if rest.len() > 5 && rest[1..5].eq_ignore_ascii_case(b"meta") && matches!(rest[5], b'/' | b' ' | b'\t'..=b'\r')
        {
            let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
            if let Some(encoding) = charset_of_meta(&rest[5..end]) {
                // The `<meta>` was readable as ASCII, so the page is not in UTF-16.
                return Some(match encoding {
                    utf16 if utf16 == UTF_16LE || utf16 == UTF_16BE => UTF_8,
                    // The standard replaces this label as well.
                    user_defined if user_defined.name() == "x-user-defined" => WINDOWS_1252,
                    other => other,
                });
            }
        }
    }
    None
}

fn charset_of_meta(attributes: &[u8]) -> Option<&'static Encoding> {
    let (mut charset, mut content, mut is_pragma) = (None, None, false);
    for (name, value) in meta_attributes(attributes) {
        if name.eq_ignore_ascii_case(b"charset") {
            charset = charset.or(Encoding::for_label(value));
        } else if name.eq_ignore_ascii_case(b"content") {
            content = content.or(std::str::from_utf8(value).ok().filter(|value| value.contains('=')));
        } else if name.eq_ignore_ascii_case(b"http-equiv") {
            is_pragma |= value.eq_ignore_ascii_case(b"content-type");
        }
    }
    charset.or_else(|| header_charset(content.filter(|_| is_pragma)?))
}

fn meta_attributes(mut rest: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    fn trim(bytes: &[u8]) -> &[u8] {
        // `<meta/charset=…>` is read as if the slash were a space.
        let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != b'/').unwrap_or(bytes.len());
        &bytes[start..]
    }
    std::iter::from_fn(move || {
        rest = trim(rest);
        let first = *rest.first()?;
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'=' | b'/');
        let end = 1 + rest[1..].iter().position(ends).unwrap_or(rest.len() - 1);
        let (name, after) = rest.split_at(end);
        rest = after;
        let spaces = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if rest.get(spaces) != Some(&b'=') || first == b'=' {
            return Some((name, &[][..]));
        }
        rest = rest[spaces + 1..].trim_ascii_start();
        let (value, after) = match rest.first() {
            Some(quote @ (b'"' | b'\'')) => {
                let end = memchr(*quote, &rest[1..]).unwrap_or(rest.len() - 1);
                (&rest[1..1 + end], &rest[(end + 2).min(rest.len())..])
            }
            _ => rest.split_at(rest.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(rest.len())),
        };
        rest = after;
        Some((name, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], header: Option<&str>) -> (String, &'static str, EncodingRule) {
        let decoded = decode(bytes, header, &Limits::default()).unwrap();
        (decoded.text.into_owned(), decoded.encoding, decoded.rule)
    }

    #[test]
    fn rules_apply_in_the_order_of_the_standard() {
        let meta = b"<meta charset=iso-8859-2><p>\xe9";
        assert_eq!(decoded(meta, None), ("<meta charset=iso-8859-2><p>é".into(), "ISO-8859-2", EncodingRule::Meta));
        let header = Some("text/html; charset=\"windows-1251\"");
        assert_eq!(decoded(meta, header).0, "<meta charset=iso-8859-2><p>й");
        assert_eq!(decoded(meta, header).2, EncodingRule::Header);
        assert_eq!(decoded(b"\xef\xbb\xbf\xc3\xa9", header), ("é".into(), "UTF-8", EncodingRule::ByteOrderMark));
        assert_eq!(decoded("é".as_bytes(), None).2, EncodingRule::Utf8);
        assert_eq!(decoded(b"\xff\xfeA\0", None), ("A".into(), "UTF-16LE", EncodingRule::ByteOrderMark));
    }

    #[test]
    fn meta_forms() {
        for meta in [
            "<meta http-equiv='Content-Type' content='text/html; charset=windows-1250'>",
            "<META CONTENT=\"text/html;charset=windows-1250\" HTTP-EQUIV=content-type />",
            "<!-- <meta charset=utf-8> --><meta charset = \"windows-1250\">",
            "<meta name=x content='a=b'><meta\ncharset=windows-1250 />",
        ] {
            assert_eq!(decoded(meta.as_bytes(), None).1, "windows-1250", "{meta}");
        }
        assert_eq!(decoded(b"<meta charset=utf-16>\xc3\xa9", None).1, "UTF-8");
        assert_eq!(decoded(b"<meta charset=nonsense>x", None).2, EncodingRule::Utf8);
        assert_eq!(decoded(b"<meta charset", None).2, EncodingRule::Utf8);
        assert_eq!(decoded(b"<meta =", None).2, EncodingRule::Utf8);
    }

    #[test]
    fn undeclared_pages_are_detected() {
        let (text, encoding, rule) = decoded(b"<p>Gr\xfc\xdfe aus M\xfcnchen, sch\xf6ne Gr\xfc\xdfe", None);
        assert_eq!((encoding, rule), ("windows-1252", EncodingRule::Detected));
        assert!(text.contains("Grüße aus München"));
        let utf16: Vec<u8> = "<html><p>hello".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(&utf16, None), ("<html><p>hello".into(), "UTF-16BE", EncodingRule::ZeroBytes));
    }

    #[test]
    fn pictures_and_giants_are_refused() {
        let limits = Limits { bytes: 10, ..Limits::default() };
        assert_eq!(decode(b"01234567890", None, &limits).unwrap_err().kind(), ErrorKind::TooLarge);
        let error = decode(b"\x89PNG\r\n\x1a\n...", None, &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotText);
        assert_eq!(error.to_string(), "this is a PNG picture, not a page");
        assert!(decode(b"", None, &Limits::default()).is_ok());
    }
}
