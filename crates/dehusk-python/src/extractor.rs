//! Extracts single pages, many pages, and columns of pages.

use crate::arrow_pages::{ArrowPages, PageColumns, table};
use crate::errors::{Problem, panicked};
use crate::extraction::{Extraction, Settings, Source};
use crate::many::Many;
use crate::page_input::PageInput;
use crate::site::Site;
use crate::templates::Templates;
use crate::workers::Workers;
use dehusk_cli::embedded::{PageOptions, extract_options};
use dehusk_io::crawl::{GroupBy, PageCleaner};
use pyo3::prelude::*;
use std::ffi::OsString;
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
    fn new(options: Vec<OsString>) -> PyResult<Extractor> {
        let PageOptions { extractor, format, job, .. } = extract_options(&options).map_err(Problem::from)?;
        let settings = Settings { options, extractor, format, cleaner: PageCleaner::new(job) };
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
    #[pyo3(signature = (pages, threads=0, template=None, templates=None, group_by="host"))]
    fn many(
        &self,
        pages: &Bound<'_, PyAny>,
        threads: usize,
        template: Option<&Site>,
        templates: Option<Py<Templates>>,
        group_by: &str,
    ) -> PyResult<Many> {
        let site = template.map(Site::site);
        Many::new(pages, self.settings.clone(), Workers::new(threads), site, templates, group_named(group_by)?)
    }

    /// The records of pages in Arrow columns.
    #[pyo3(signature = (pages, columns, threads=0, template=None, templates=None, group_by="host"))]
    #[expect(clippy::too_many_arguments, reason = "Python has names for them")]
    fn table(
        &self,
        py: Python<'_>,
        pages: ArrowPages,
        columns: PageColumns,
        threads: usize,
        template: Option<&Site>,
        templates: Option<&Templates>,
        group_by: &str,
    ) -> PyResult<pyo3_arrow::PyTable> {
        let group_by = group_named(group_by)?;
        let workers = Workers::new(threads);
        let site = template.map(Site::site);
        table(py, pages, &columns, &workers, |pages| {
            let site_of = |url: &str| match (&site, templates) {
                (Some(site), _) => Ok(Some(site.clone())),
                (None, Some(templates)) => templates.find(&group_by.group(url)),
                (None, None) => Ok(None),
            };
            pages.clean(&self.settings.cleaner, &workers, site_of)
        })
    }
}

fn group_named(name: &str) -> Result<GroupBy, Problem> {
    let known = [GroupBy::Host, GroupBy::Domain, GroupBy::Path].into_iter().find(|group| group.name() == name);
    known.ok_or_else(|| Problem::new("bad_options", format!("group_by is host, domain or path, not {name:?}")))
}
