//! Pages of sites, by host, from which training pages are made without anybody marking them.

use crate::data::read_pages::read_pages;
use dehusk::Limits;
use dehusk::dom::decode;
use dehusk::dom::hash::mix;
use dehusk_io::crawl::SiteBy;
use dehusk_io::{Error, Fault, FaultKind, ReadOptions};
use std::collections::BTreeMap;
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64;

/// A page of a site.
#[derive(Clone, Debug)]
pub(crate) struct SitePage {
    pub(crate) url: String,
    pub(crate) html: String,
}

/// The pages of each host, in an order that depends on the addresses and the seed only. By host, not by domain: sites at one hosting service
/// have nothing in common.
pub(crate) fn pages_by_host(
    sites: &[PathBuf],
    seed: u64,
    skipped: impl FnMut(&Fault),
) -> Result<Vec<Vec<SitePage>>, Error> {
    let pages = read_pages(sites, &ReadOptions::default(), skipped, |record| {
        match decode(&record.html, record.content_type.as_deref(), &Limits::default()) {
            Ok(decoded) => Ok(SitePage { url: record.url, html: decoded.text.into_owned() }),
            Err(error) => Err(Fault::new(record.location, FaultKind::NotHtml, error.to_string())),
        }
    })?;
    let mut by_host: BTreeMap<String, Vec<SitePage>> = BTreeMap::new();
    for page in pages {
        by_host.entry(SiteBy::Host.site_key(&page.url)).or_default().push(page);
    }
    for pages in by_host.values_mut() {
        pages.sort_by_cached_key(|page| (mix(xxh3_64(page.url.as_bytes()), seed), page.url.clone()));
    }
    Ok(by_host.into_values().collect())
}
