//! Templates of many sites.

use crate::errors::Problem;
use dehusk::SiteTemplates;
use dehusk_io::crawl::TemplateStore;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The templates of a site, shared by threads.
pub(crate) type SiteRef = Arc<SiteTemplates>;

/// No more templates are held parsed; crawls are ordered by host, more or less, so that starting over costs little.
const MAX_PARSED: usize = 1000;

/// The templates of many sites: those of a store, or template files by host.
#[pyclass(frozen, module = "dehusk")]
pub(crate) struct Templates {
    from: From,
}

enum From {
    Store(Box<TemplateStore>),
    Files { files: HashMap<String, PyBackedBytes>, parsed: Mutex<HashMap<String, SiteRef>> },
}

impl Templates {
    pub(crate) fn find(&self, host: &str) -> Result<Option<SiteRef>, Problem> {
        match &self.from {
            From::Store(store) => Ok(store.template(host)?),
            From::Files { files, parsed } => {
                let Some(file) = files.get(host) else { return Ok(None) };
                let lock = || parsed.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(site) = lock().get(host) {
                    return Ok(Some(site.clone()));
                }
                let site = SiteTemplates::from_bytes(file, dehusk_papers::methods().site_methods())
                    .map_err(|error| Problem::new(error.kind().name(), format!("the template of {host}: {error}")))?;
                let site = Arc::new(site);
                let mut parsed = lock();
                if parsed.len() >= MAX_PARSED {
                    parsed.clear();
                }
                parsed.insert(host.to_string(), site.clone());
                Ok(Some(site))
            }
        }
    }
}

#[pymethods]
impl Templates {
    /// Template files by host.
    #[new]
    fn new(files: HashMap<String, PyBackedBytes>) -> Templates {
        Templates { from: From::Files { files, parsed: Mutex::default() } }
    }

    /// Opens a template store that `clean` has written.
    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Templates> {
        Ok(Templates {
            from: From::Store(Box::new(
                TemplateStore::open(&path, dehusk_papers::methods().site_methods()).map_err(Problem::from)?,
            )),
        })
    }

    fn __repr__(&self) -> String {
        match &self.from {
            From::Store(store) => format!("<dehusk.Templates of {} sites, from a store>", store.site_count()),
            From::Files { files, .. } => format!("<dehusk.Templates of {} sites>", files.len()),
        }
    }

    fn __len__(&self) -> usize {
        match &self.from {
            From::Store(store) => store.site_count() as usize,
            From::Files { files, .. } => files.len(),
        }
    }

    fn __contains__(&self, host: &str) -> PyResult<bool> {
        Ok(self.find(host)?.is_some())
    }
}
