//! The host of a URL, found in its text without parsing the rest.
//!
//! Gives what the URL says, in its own letters. Site keys need more than that (lower case, international names, public suffixes);
//! `dehusk-io` makes them.

/// The host of a URL, or `None` if it is relative.
#[must_use]
pub fn host_of(url: &str) -> Option<&str> {
    let rest = match url.split_once("//") {
        Some((scheme, rest)) if scheme.is_empty() || is_scheme(scheme) => rest,
        _ => return None,
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next().unwrap_or_default();
    // The colons of an IPv6 address do not start a port.
    let end = match host.find(']') {
        Some(bracket) if host.starts_with('[') => bracket + 1,
        _ => host.find(':').unwrap_or(host.len()),
    };
    (end > 0).then_some(&host[..end])
}

/// Whether a text is a scheme and its colon: a relative URL can have an absolute one in its query.
fn is_scheme(text: &str) -> bool {
    let name = text.strip_suffix(':').unwrap_or_default();
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn hosts_are_found() {
        assert_eq!(host_of("https://u@A.example:80/x"), Some("A.example"));
        assert_eq!(host_of("//a.example?x"), Some("a.example"));
        assert_eq!(host_of("http://[::1]:8080/x"), Some("[::1]"));
        assert_eq!(
            (host_of("/a//b"), host_of("a/b"), host_of("http://"), host_of("http://:80/")),
            (None, None, None, None)
        );
        assert_eq!((host_of("/go?u=http://b.example/"), host_of("go:http://b.example/")), (None, None));
    }
}
