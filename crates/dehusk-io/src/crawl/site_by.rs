//! Which pages belong to one site: those of one host, one domain, or one folder of a host.

use crate::error::{Error, ErrorKind};
use crate::hash::hash64;
use std::net::IpAddr;
use std::str::FromStr;
use url::Url;

/// The maximum length of the name of a site in bytes. Hosts have at most 253; what is longer is cut and ends in a hash, so that
/// the names of many sites cannot fill the memory.
const MAX_NAME: usize = 512;

/// What makes pages one site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum SiteBy {
    /// The host: `blog.a.example`.
    #[default]
    Host,
    /// The registered domain, by the public suffix list: `a.example`.
    Domain,
    /// The host and the first folder: `a.example/blog`.
    Path,
}

impl SiteBy {
    /// All of them, the default first.
    pub const ALL: [SiteBy; 3] = [SiteBy::Host, SiteBy::Domain, SiteBy::Path];

    /// The name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            SiteBy::Host => "host",
            SiteBy::Domain => "domain",
            SiteBy::Path => "path",
        }
    }

    /// The site key of an address. What is not an address, such as a bare path, has its first part as the key.
    pub fn site_key(self, address: &str) -> String {
        let host = host_of(address);
        bounded(match self {
            SiteBy::Host => host,
            // IP addresses are not domains, whatever the list makes of their last parts.
            SiteBy::Domain if is_ip_address(&host) => host,
            SiteBy::Domain => match psl::domain_str(&host) {
                Some(domain) => domain.to_string(),
                None => host,
            },
            SiteBy::Path => match first_folder(address) {
                Some(folder) => format!("{host}/{folder}"),
                None => host,
            },
        })
    }
}

impl FromStr for SiteBy {
    type Err = Error;

    fn from_str(name: &str) -> Result<SiteBy, Error> {
        let found = SiteBy::ALL.into_iter().find(|known| known.name() == name);
        found.ok_or_else(|| {
            Error::new(ErrorKind::InvalidOptions, format!("a site is made by host, domain or path, not {name:?}"))
        })
    }
}

fn bounded(mut name: String) -> String {
    if name.len() > MAX_NAME {
        let hash = hash64(name.as_bytes(), 0);
        let end = (0..=MAX_NAME - 20).rev().find(|end| name.is_char_boundary(*end)).unwrap_or_default();
        name.truncate(end);
        name.push_str(&format!("…{hash:016x}"));
    }
    name
}

/// The host of an address in lower case, or the first part of a path.
fn host_of(address: &str) -> String {
    match Url::parse(address).ok().as_ref().and_then(Url::host_str) {
        // `a.example.` and `a.example` are the same host.
        Some(host) => host.trim_end_matches('.').to_ascii_lowercase(),
        // A path that starts like this is one of a folder that is a site as a whole.
        None if address.starts_with("./") => String::new(),
        None => match address.trim_start_matches('/').split_once('/') {
            Some((first, _)) => first.to_string(),
            None => String::new(),
        },
    }
}

fn is_ip_address(host: &str) -> bool {
    host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
}

fn first_folder(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let mut parts = url.path_segments()?;
    let first = parts.next()?;
    // The last part is the page.
    parts.next().map(|_| first.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_site_keys() {
        let address = "https://Blog.A.co.uk:8080/news/2024/x.html?y#z";
        assert_eq!(SiteBy::Host.site_key(address), "blog.a.co.uk");
        assert_eq!(SiteBy::Domain.site_key(address), "a.co.uk");
        assert_eq!(SiteBy::Path.site_key(address), "blog.a.co.uk/news");
        assert_eq!(SiteBy::Path.site_key("https://a.example/x.html"), "a.example");
        assert_eq!(SiteBy::Host.site_key("a.example/x/y.html"), "a.example");
        assert_eq!(SiteBy::Host.site_key("page.html"), "");
        assert_eq!(SiteBy::Host.site_key("./news/page.html"), "");
        let long = |last: &str| SiteBy::Host.site_key(&format!("{}{last}/x", "ä".repeat(1000)));
        assert!(long("a").len() <= MAX_NAME && long("a") != long("b"));
        assert_eq!(SiteBy::Domain.site_key("http://127.0.0.1/x"), "127.0.0.1");
        assert_eq!(SiteBy::Domain.site_key("http://[::1]:80/x"), "[::1]");
    }
}
