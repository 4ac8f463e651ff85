//! The url of a page file, by its path: crawlers save pages as `host/path`.

use std::path::Path;

/// The url of a page file: `http://host/path` if its first folder is named like a host, the path itself otherwise.
pub(crate) fn path_url(path: &Path) -> String {
    let text = path_text(path);
    let lower = text.to_ascii_lowercase();
    let stem = match [".gz", ".zst"].iter().find(|suffix| lower.ends_with(*suffix)) {
        Some(suffix) => &text[..text.len() - suffix.len()],
        None => &text,
    };
    match stem.split_once('/') {
        Some((host, _)) if looks_like_host(host) => format!("http://{stem}"),
        _ => stem.to_string(),
    }
}

fn looks_like_host(name: &str) -> bool {
    let inner_dot = name.trim_matches('.').contains('.');
    inner_dot
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '_'))
}

/// Whether a name is that of a host below a known public suffix, such as `www.example.org`, or one for examples and tests,
/// and not merely a name with a dot.
pub(crate) fn is_known_host(name: &str) -> bool {
    // Reserved names are not in the list of public suffixes.
    let reserved = ["example", "test", "localhost", "invalid"];
    looks_like_host(name)
        && (psl::domain(name.as_bytes()).is_some_and(|domain| domain.suffix().is_known())
            || name.rsplit('.').next().is_some_and(|last| reserved.contains(&last)))
}

/// A path as text with forward slashes on every system. What is not Unicode is replaced.
fn path_text(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    let absolute = path.is_absolute() && parts.first().is_some_and(|first| first == "/");
    if absolute { format!("/{}", parts[1..].join("/")) } else { parts.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_text() {
        assert_eq!(path_text(Path::new("/a/b.html")), "/a/b.html");
        assert_eq!(path_text(Path::new("a/b.html")), "a/b.html");
    }

    #[test]
    fn a_first_folder_with_a_dot_is_the_host() {
        let url = |path: &str| path_url(Path::new(path));
        assert_eq!(url("www.example.org/a/b.html"), "http://www.example.org/a/b.html");
        assert_eq!(url("example.org:8080/b.html.gz"), "http://example.org:8080/b.html");
        assert_eq!(url("news/b.HTML.ZST"), "news/b.HTML");
        assert_eq!(url("page.html"), "page.html");
        assert!(is_known_host("www.example.org") && is_known_host("shop.example"));
        assert!(!is_known_host("crawl.2024-01") && !is_known_host("data") && !is_known_host("v1.2"));
        assert_eq!(url("./page.html"), "./page.html");
    }
}
