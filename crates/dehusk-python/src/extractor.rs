//! Extracts single pages, many pages, and columns of pages.

use crate::arrow_pages::{ArrowPages, PageColumns, table};
use crate::errors::{Problem, panicked};
use crate::extraction::{Extraction, Settings, Source};
use crate::many::Many;
use crate::options::values;
use crate::page_input::PageInput;
use crate::site::Site;
use crate::templates::Templates;
use crate::workers::Workers;
use dehusk_io::crawl::{PageCleaner, SiteBy};
use dehusk_options::Command;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::Path;
use std::sync::Arc;

/// Extracts pages with fixed options, which are those of the program's `extract`.
#[pyclass(frozen, module = "dehusk._native")]
pub(crate) struct Extractor {
    settings: Arc<Settings>,
    workers: Workers,
}

#[pymethods]
impl Extractor {
    #[new]
    fn new(options: &Bound<'_, PyDict>) -> PyResult<Extractor> {
        let values = values(Command::Extract, options)?;
        let format = values.format().map_err(Problem::from)?;
        let extractor = values.extractor().map_err(Problem::from)?;
        let job = values.crawl_with(extractor.clone(), Vec::new(), Path::new("")).map_err(Problem::from)?;
        let settings = Settings { values, extractor, format, cleaner: PageCleaner::new(job) };
        Ok(Extractor { settings: Arc::new(settings), workers: Workers::new(1) })
    }

    #[pyo3(signature = (html, url=None, content_type=None, template=None))]
    fn extract(
        &self,
        py: Python<'_>,
        html: &Bound<'_, PyAny>,
        url: Option<String>,
        content_type: Option<String>,
        template: Option<&Site>,
    ) -> PyResult<Extraction> {
        let page = PageInput::new(html, url, content_type)?;
        let site = template.map(Site::site);
        let mut results = py.detach(|| {
            self.workers.map(
                std::slice::from_ref(&page),
                |page| page.html.as_bytes().len(),
                |page, scratch| self.settings.extract(page, site.as_ref(), scratch),
            )
        });
        let found = results.pop().flatten().unwrap_or_else(|| Err(panicked()))?;
        let url = page.url.clone();
        let source = Some(Source { settings: self.settings.clone(), page, site });
        Ok(Extraction { found, url, format: self.settings.format, problem: None, source })
    }

    /// The results of an iterable of pages, in its order, worked on by so many threads.
    #[pyo3(signature = (pages, threads=0, template=None, templates=None, site_by="host"))]
    fn many(
        &self,
        pages: &Bound<'_, PyAny>,
        threads: usize,
        template: Option<&Site>,
        templates: Option<Py<Templates>>,
        site_by: &str,
    ) -> PyResult<Many> {
        let site = template.map(Site::site);
        Many::new(pages, self.settings.clone(), Workers::new(threads), site, templates, site_by_name(site_by)?)
    }

    /// The records of pages in Arrow columns.
    #[pyo3(signature = (pages, columns, threads=0, template=None, templates=None, site_by="host"))]
    #[expect(clippy::too_many_arguments, reason = "Python has names for them")]
    fn table(
        &self,
        py: Python<'_>,
        pages: ArrowPages,
        columns: PageColumns,
        threads: usize,
        template: Option<&Site>,
        templates: Option<&Templates>,
        site_by: &str,
    ) -> PyResult<pyo3_arrow::PyTable> {
        let site_by = site_by_name(site_by)?;
        let workers = Workers::new(threads);
        let site = template.map(Site::site);
        table(py, pages, &columns, &workers, |pages| {
            let site_of = |url: &str| match (&site, templates) {
                (Some(site), _) => Ok(Some(site.clone())),
                (None, Some(templates)) => templates.find(&site_by.site_key(url)),
                (None, None) => Ok(None),
            };
            pages.clean(&self.settings.cleaner, &workers, site_of)
        })
    }
}

fn site_by_name(name: &str) -> Result<SiteBy, Problem> {
    name.parse().map_err(|_| Problem::new("bad_options", format!("site_by is host, domain or path, not {name:?}")))
}
