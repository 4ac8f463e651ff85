//! The results of many pages, in the order of the pages.

use crate::errors::{Problem, panicked};
use crate::extraction::{Extraction, Found, Settings};
use crate::page_input::PageInput;
use crate::templates::{SiteRef, Templates};
use crate::workers::Workers;
use dehusk_io::crawl::SiteBy;
use pyo3::prelude::*;
use pyo3::sync::MutexExt as _;
use pyo3::types::PyIterator;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Pages and bytes that are taken from the iterable for each thread before work begins: enough to keep all threads busy, and
/// little to wait for.
const PAGES_PER_THREAD: usize = 32;
const BYTES_PER_THREAD: usize = 8 << 20;

/// An iterator over the results of an iterable of pages.
#[pyclass(frozen, module = "dehusk._native")]
pub(crate) struct Many {
    settings: Arc<Settings>,
    workers: Workers,
    site: Option<SiteRef>,
    templates: Option<Py<Templates>>,
    site_by: SiteBy,
    state: Mutex<State>,
}

/// The address of a page, and the page or what is wrong with it.
type Item = (Option<String>, Result<PageInput, Problem>);

struct State {
    /// None at its end.
    pages: Option<Py<PyIterator>>,
    done: VecDeque<Extraction>,
    /// What the iterable raised, to be raised after the results of the pages before it.
    raised: Option<PyErr>,
}

impl Many {
    pub(crate) fn new(
        pages: &Bound<'_, PyAny>,
        settings: Arc<Settings>,
        workers: Workers,
        site: Option<SiteRef>,
        templates: Option<Py<Templates>>,
        site_by: SiteBy,
    ) -> PyResult<Many> {
        let pages = Some(pages.try_iter()?.unbind());
        let state = Mutex::new(State { pages, done: VecDeque::new(), raised: None });
        Ok(Many { settings, workers, site, templates, site_by, state })
    }

    /// Takes some pages from the iterable.
    fn take(&self, py: Python<'_>, state: &mut State) -> Vec<Item> {
        let mut taken = Vec::new();
        let mut bytes = 0;
        let threads = self.workers.threads();
        while taken.len() < PAGES_PER_THREAD * threads && bytes < BYTES_PER_THREAD * threads {
            let Some(pages) = &state.pages else { break };
            match pages.bind(py).clone().next() {
                Some(Ok(item)) => {
                    let page = PageInput::of_item(&item);
                    bytes += page.1.as_ref().map_or(0, |page| page.html.as_bytes().len());
                    taken.push(page);
                }
                Some(Err(error)) => {
                    (state.pages, state.raised) = (None, Some(error));
                }
                None => state.pages = None,
            }
        }
        taken
    }

    fn work(&self, taken: Vec<Item>) -> Vec<Extraction> {
        let templates = self.templates.as_ref().map(Py::get);
        let site_of = |page: &PageInput| match (&self.site, templates) {
            (Some(site), _) => Ok(Some(site.clone())),
            (None, Some(templates)) => templates.find(&self.site_by.site_key(page.url.as_deref().unwrap_or_default())),
            (None, None) => Ok(None),
        };
        let results = self.workers.map(
            &taken,
            |(_, page)| page.as_ref().map_or(0, |page| page.html.as_bytes().len()),
            |(_, page), scratch| match page {
                Ok(page) => self.settings.extract(page, site_of(page)?.as_ref(), scratch),
                Err(problem) => Err(problem.clone()),
            },
        );
        let pairs = taken.into_iter().zip(results);
        pairs
            .map(|((url, _), result)| {
                let (found, problem) = match result.unwrap_or_else(|| Err(panicked())) {
                    Ok(found) => (found, None),
                    Err(problem) => (Found::default(), Some(problem)),
                };
                Extraction { found, url, format: self.settings.format, problem, source: None }
            })
            .collect()
    }
}

#[pymethods]
impl Many {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Extraction>> {
        // Another thread may hold the lock while it works without Python's.
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        if state.done.is_empty() {
            let taken = self.take(py, &mut state);
            py.check_signals()?;
            if !taken.is_empty() {
                state.done = py.detach(|| self.work(taken)).into();
                py.check_signals()?;
            }
        }
        match state.done.pop_front() {
            Some(done) => Ok(Some(done)),
            None => state.raised.take().map_or(Ok(None), Err),
        }
    }
}
