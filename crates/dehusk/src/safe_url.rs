//! Decides which URLs are safe in output that others will display.
//!
//! Input: the decoded value of an attribute. Output: the cleaned URL, absolute if a base is given, or `None`.

use std::borrow::Cow;
use url::Url;

/// The purpose of a URL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UrlUse {
    /// Followed by the reader.
    Link,
    /// Loaded with the page.
    Load,
}

/// Maximum number of bytes that a base may add to a URL. Longer ones are no addresses of pages, and a page with many links would grow
/// by the product of both.
const MAX_ADDED: usize = 512;

/// The URL if it is harmless, made absolute if a base is given. A URL that cannot be joined with the base, or that would become much
/// longer, is kept as it is.
pub(crate) fn safe_url<'a>(value: &'a str, purpose: UrlUse, base: Option<&Url>) -> Option<Cow<'a, str>> {
    let url = harmless_url(value, purpose)?;
    // A base whose path is longer than that is not even joined.
    let base = base.filter(|base| base.path().len() + base.query().map_or(0, str::len) <= 4 * MAX_ADDED);
    match base.and_then(|base| base.join(&url).ok()).filter(|joined| joined.as_str().len() <= 3 * url.len() + MAX_ADDED)
    {
        Some(absolute) => harmless_url(absolute.as_str(), purpose).map(|url| Cow::Owned(url.into_owned())),
        None => Some(url),
    }
}

/// The URL if it is relative, a fragment, or has the scheme http, https or (for links) mailto.
///
/// Before reading the scheme, browsers remove control characters around a URL and tabs and line ends inside it, and so does
/// this function. Other invisible characters in the scheme are ignored too, regardless of what a browser would do.
fn harmless_url(value: &str, purpose: UrlUse) -> Option<Cow<'_, str>> {
    let trimmed = value.trim_matches(is_invisible);
    let url = if trimmed.contains(char::is_control) {
        Cow::Owned(trimmed.chars().filter(|c| !c.is_control()).collect::<String>())
    } else {
        Cow::Borrowed(trimmed)
    };
    if url.is_empty() {
        return None;
    }
    let scheme_end = url.find([':', '/', '?', '#']).filter(|at| url[*at..].starts_with(':'));
    let Some(end) = scheme_end else { return Some(url) };
    let scheme: String = url[..end].chars().filter(|c| !is_invisible(*c)).collect();
    let allowed = match purpose {
        UrlUse::Link => ["http", "https", "mailto"].as_slice(),
        UrlUse::Load => ["http", "https"].as_slice(),
    };
    allowed.iter().any(|name| scheme.eq_ignore_ascii_case(name)).then_some(url)
}

fn is_invisible(c: char) -> bool {
    c.is_control() || c.is_whitespace() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_what_is_harmless() {
        for url in ["http://a/b", "HTTPS://a", "/a:b", "a/b:c", "?x=javascript:", "#a:b", "//host/x", "page.html"] {
            assert_eq!(safe_url(url, UrlUse::Load, None).as_deref(), Some(url));
        }
        assert_eq!(safe_url(" mailto:a@b ", UrlUse::Link, None).as_deref(), Some("mailto:a@b"));
        assert_eq!(safe_url("http://a/\n\tb", UrlUse::Link, None).as_deref(), Some("http://a/b"));
    }

    #[test]
    fn refuses_what_runs() {
        for url in [
            "javascript:alert(1)",
            "JaVaScRiPt:x",
            " \u{1}javascript:x",
            "java\nscript:x",
            "java\tscript\r:x",
            "\u{feff}javascript:x",
            "javascript\u{200b}:x",
            "data:text/html,x",
            "vbscript:x",
            "blob:x",
            "",
            "   ",
        ] {
            assert_eq!(safe_url(url, UrlUse::Link, None), None, "{url:?}");
        }
        assert_eq!(safe_url("mailto:a@b", UrlUse::Load, None), None);
    }

    #[test]
    fn urls_are_made_absolute_by_a_base() {
        let base = Url::parse("https://a.example/b/c?d").ok();
        for (url, wanted) in [
            ("e", "https://a.example/b/e"),
            ("/e", "https://a.example/e"),
            ("//f.example/e", "https://f.example/e"),
            ("#g", "https://a.example/b/c?d#g"),
            ("http://h.example", "http://h.example/"),
            ("mailto:a@b", "mailto:a@b"),
            ("http://[", "http://["),
        ] {
            assert_eq!(safe_url(url, UrlUse::Link, base.as_ref()).as_deref(), Some(wanted));
        }
        assert_eq!(safe_url("javascript:alert(1)", UrlUse::Link, base.as_ref()), None);
    }
}
