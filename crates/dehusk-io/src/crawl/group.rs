//! Which pages belong together: those of one host, one domain, or one folder of a host.

use std::net::Ipv4Addr;
use url::Url;

/// What makes pages one site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum GroupBy {
    /// The host: `blog.a.example`.
    #[default]
    Host,
    /// The domain someone registered, by the public suffix list: `a.example`.
    Domain,
    /// The host and the first folder: `a.example/blog`.
    Path,
}

impl GroupBy {
    /// A short name, as in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            GroupBy::Host => "host",
            GroupBy::Domain => "domain",
            GroupBy::Path => "path",
        }
    }

    /// The group of an address. What is no address, such as a bare path, is grouped by its first part.
    pub fn group(self, address: &str) -> String {
        let host = host_of(address);
        match self {
            GroupBy::Host => host,
            // Nobody registered a part of a number.
            GroupBy::Domain if host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok() => host,
            GroupBy::Domain => match psl::domain_str(&host) {
                Some(domain) => domain.to_string(),
                None => host,
            },
            GroupBy::Path => match first_folder(address) {
                Some(folder) => format!("{host}/{folder}"),
                None => host,
            },
        }
    }
}

/// The host of an address in lower case, or the first part of a path.
pub(super) fn host_of(address: &str) -> String {
    match Url::parse(address).ok().as_ref().and_then(Url::host_str) {
        Some(host) => host.trim_end_matches('.').to_ascii_lowercase(),
        None => match address.trim_start_matches('/').split_once('/') {
            Some((first, _)) => first.to_string(),
            None => String::new(),
        },
    }
}

fn first_folder(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let mut parts = url.path_segments()?;
    let first = parts.next()?;
    // The last part is the page itself.
    parts.next().map(|_| first.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_grouped() {
        let address = "https://Blog.A.co.uk:8080/news/2024/x.html?y#z";
        assert_eq!(GroupBy::Host.group(address), "blog.a.co.uk");
        assert_eq!(GroupBy::Domain.group(address), "a.co.uk");
        assert_eq!(GroupBy::Path.group(address), "blog.a.co.uk/news");
        assert_eq!(GroupBy::Path.group("https://a.example/x.html"), "a.example");
        assert_eq!(GroupBy::Host.group("a.example/x/y.html"), "a.example");
        assert_eq!(GroupBy::Host.group("page.html"), "");
        assert_eq!(GroupBy::Domain.group("http://127.0.0.1/x"), "127.0.0.1");
        assert_eq!(GroupBy::Domain.group("http://[2001:db8::1]/x"), "[2001:db8::1]");
    }
}
