//! The templates of sites, in a template store.

use crate::methods::METHODS;
use crate::problem::Problem;
use axum::http::StatusCode;
use dehusk::SiteTemplates;
use dehusk_io::Error;
use dehusk_io::crawl::{PageCleaner, SiteSample, TemplateStore};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use tempfile::TempDir;
use url::Url;

/// The store that the service reads and learns into.
pub(super) struct SiteStore {
    path: PathBuf,
    /// Where the store is if it is not to be kept.
    _folder: Option<TempDir>,
    store: RwLock<Arc<TemplateStore>>,
    /// Held by the one request that changes the store.
    pub(super) writing: Arc<tokio::sync::Mutex<()>>,
}

impl SiteStore {
    /// Opens a store, or creates it. One without a name is deleted at the end.
    pub(super) fn open(path: Option<&Path>) -> Result<SiteStore, Error> {
        let folder = match path {
            Some(_) => None,
            None => Some(tempfile::tempdir().map_err(Error::other)?),
        };
        let path = match (path, &folder) {
            (Some(path), _) => path.to_path_buf(),
            (None, Some(folder)) => folder.path().join("templates.store"),
            (None, None) => PathBuf::new(),
        };
        let store = RwLock::new(Arc::new(TemplateStore::open_or_create(&path, METHODS.site_methods())?));
        Ok(SiteStore { path, _folder: folder, store, writing: Arc::default() })
    }

    /// The templates of a site, if it is known.
    pub(super) fn templates(&self, site: &str) -> Result<Option<Arc<SiteTemplates>>, Problem> {
        // The lock is not held while the file is read, so that the store can be replaced meanwhile.
        let store = self.store.read().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(store.template(site)?)
    }

    /// The templates of a site that must be known.
    pub(super) fn known(&self, site: &str) -> Result<Arc<SiteTemplates>, Problem> {
        let unknown =
            || Problem::new(StatusCode::NOT_FOUND, "unknown_site", format!("no templates of {site} are known"));
        self.templates(site)?.ok_or_else(unknown)
    }

    /// Learns a site from a sample, alone or with the pages known. Returns whether there were enough of them.
    pub(super) fn learn(
        &self,
        cleaner: &PageCleaner,
        site: &str,
        sample: SiteSample,
        with_known: bool,
    ) -> Result<bool, Problem> {
        let learned = cleaner.learn_into(&self.path, site, sample, with_known)?;
        if learned {
            self.reopen()?;
        }
        Ok(learned)
    }

    /// Forgets a site. Returns whether it was known.
    pub(super) fn remove(&self, site: &str) -> Result<bool, Problem> {
        let removed = TemplateStore::remove_site(&self.path, site)?;
        if removed {
            self.reopen()?;
        }
        Ok(removed)
    }

    fn reopen(&self) -> Result<(), Problem> {
        // Learning replaces the file; the store that is open still reads the old one.
        let store = Arc::new(TemplateStore::open(&self.path, METHODS.site_methods())?);
        *self.store.write().unwrap_or_else(PoisonError::into_inner) = store;
        Ok(())
    }
}

/// The name of a site as pages of it have it: the host of an address in lower case.
pub(super) fn site_name(host: &str) -> Result<String, Problem> {
    let is_host = |url: &Url| {
        url.username().is_empty()
            && url.password().is_none()
            && url.port().is_none()
            && url.path() == "/"
            && url.query().is_none()
    };
    // These would end the host and start another part of the address.
    let url = match host.contains(['/', '\\', '?', '#', '@']) {
        true => None,
        false => Url::parse(&format!("http://{host}/")).ok().filter(is_host),
    };
    let name = url.as_ref().and_then(Url::host_str).map(|name| name.trim_end_matches('.').to_ascii_lowercase());
    let refused = || Problem::bad_request(format!("{host:?} is not the name of a host, such as www.a.example"));
    name.filter(|name| !name.is_empty()).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_named_by_hosts() {
        let name = |host| site_name(host).map_err(|problem| problem.status.as_u16());
        assert_eq!(name("Blog.A.example."), Ok("blog.a.example".to_string()));
        assert_eq!(name("bücher.example"), Ok("xn--bcher-kva.example".to_string()));
        assert_eq!(name("127.0.0.1"), Ok("127.0.0.1".to_string()));
        assert_eq!(name("[::1]"), Ok("[::1]".to_string()));
        for wrong in ["", ".", "a b", "a/b", "../x", "a:90", "u@a", "a?b", "a\\b", "%00", "\0", "."] {
            assert_eq!(name(wrong), Err(400), "{wrong:?}");
        }
    }
}
