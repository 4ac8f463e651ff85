//! The templates of one site.

use crate::errors::Problem;
use crate::options::values;
use crate::page_input::PageInput;
use crate::templates::SiteRef;
use crate::workers::Workers;
use dehusk::site::{DriftCounter, render_templates};
use dehusk::{Extractor, Options, SiteLearner, SiteTemplates};
use dehusk_options::definitions::SEED;
use dehusk_options::{Command, today};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::sync::Arc;

/// Pages that are taken from an iterable before they are worked on.
const PAGES_AT_ONCE: usize = 128;

/// The templates of one site, and what is needed to merge them with those of other pages of the site.
#[pyclass(frozen, module = "dehusk._native")]
pub(crate) struct Site {
    site: SiteRef,
}

impl Site {
    pub(crate) fn site(&self) -> SiteRef {
        self.site.clone()
    }

    fn of(site: SiteTemplates) -> Site {
        Site { site: Arc::new(site) }
    }
}

/// A page that could not be read: its number, the kind of the problem, and the message.
type Failed = (usize, String, String);

fn parser() -> Result<Extractor, Problem> {
    Ok(Extractor::new(Options::new())?)
}

/// Reads pages of an iterable on all threads and gives what comes of each to `each`, in order. Returns the problems of pages.
fn read_pages<R: Send>(
    py: Python<'_>,
    pages: &Bound<'_, PyAny>,
    work: impl Fn(&PageInput, &mut dehusk::Scratch) -> Result<R, Problem> + Sync,
    mut each: impl FnMut(R),
) -> PyResult<Vec<(usize, Problem)>> {
    let workers = Workers::new(0);
    let mut problems = Vec::new();
    let mut iterator = pages.try_iter()?;
    let mut number = 0;
    loop {
        let taken: Vec<_> = iterator.by_ref().take(PAGES_AT_ONCE).collect::<PyResult<_>>()?;
        if taken.is_empty() {
            return Ok(problems);
        }
        let inputs: Vec<_> = taken.iter().map(|item| PageInput::of_item(item).1).collect();
        let results = py.detach(|| {
            workers.map(
                &inputs,
                |page| page.as_ref().map_or(0, |page| page.html.as_bytes().len()),
                |page, scratch| page.as_ref().map_err(Problem::clone).and_then(|page| work(page, scratch)),
            )
        });
        for result in results {
            match result.unwrap_or_else(|| Err(crate::errors::panicked())) {
                Ok(result) => each(result),
                Err(problem) => problems.push((number, problem)),
            }
            number += 1;
        }
        py.check_signals()?;
    }
}

#[pymethods]
impl Site {
    /// Learns a site from its pages. Returns it and the pages that could not be read, by number.
    #[staticmethod]
    #[pyo3(signature = (pages, options, name=""))]
    fn learn_pages(
        py: Python<'_>,
        pages: &Bound<'_, PyAny>,
        options: &Bound<'_, PyDict>,
        name: &str,
    ) -> PyResult<(Site, Vec<Failed>)> {
        let values = values(Command::Learn, options)?;
        let method = values.site_method().map_err(Problem::from)?.unwrap_or_default();
        let extractor = Extractor::new(values.reading()).map_err(Problem::from)?;
        let mut learner = SiteLearner::new(method.clone());
        let problems = read_pages(
            py,
            pages,
            |page, scratch| {
                let mut one = SiteLearner::new(method.clone());
                let parsed = extractor.parse(page.page(), scratch)?;
                // Named by what it holds, as the program does: the same pages give the same template wherever they are.
                one.observe(&String::from_utf8_lossy(page.html.as_bytes()), &parsed);
                Ok(one)
            },
            |one| learner.merge(one),
        )?;
        let seed = values.whole(&SEED);
        let site = py.detach(|| learner.finish_complete(seed)).with_site(name).with_learned(today());
        let problems =
            problems.into_iter().map(|(number, problem)| (number, problem.kind.to_string(), problem.message));
        Ok((Site::of(site), problems.collect()))
    }

    /// This site with the pages of another part of it.
    #[pyo3(signature = (other, seed=0))]
    fn merged(&self, py: Python<'_>, other: &Site, seed: u64) -> PyResult<Site> {
        let (name, day) = (self.site.site().to_string(), self.site.learned().to_string());
        let merged = py.detach(|| {
            let mut learner = SiteLearner::from_templates((*self.site).clone())?;
            learner.merge(SiteLearner::from_templates((*other.site).clone())?);
            Ok::<_, dehusk::Error>(learner.finish_complete(seed))
        });
        Ok(Site::of(merged.map_err(Problem::from)?.with_site(name).with_learned(day)))
    }

    #[staticmethod]
    fn from_bytes(template: PyBackedBytes) -> PyResult<Site> {
        Ok(Site::of(
            SiteTemplates::from_bytes(&template, dehusk_papers::methods().site_methods()).map_err(Problem::from)?,
        ))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.site.to_bytes()))
    }

    #[getter]
    fn name(&self) -> &str {
        self.site.site()
    }

    #[getter]
    fn learned(&self) -> &str {
        self.site.learned()
    }

    #[getter]
    fn pages(&self) -> u32 {
        self.site.pages()
    }

    #[getter]
    fn method(&self) -> &'static str {
        self.site.method().name()
    }

    /// How many pages each kind of page was learned from.
    #[getter]
    fn kinds(&self) -> Vec<u32> {
        self.site.templates().iter().map(|kind| kind.pages()).collect()
    }

    /// The templates drawn as an HTML page.
    fn to_html(&self, py: Python<'_>) -> String {
        py.detach(|| render_templates(&self.site))
    }

    /// Whether recent pages still fit.
    fn drift_of<'py>(&self, py: Python<'py>, pages: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        if self.site.templates().is_empty() {
            let message = "this template holds counts only, which say nothing about kinds of pages: learn the site from more pages";
            return Err(Problem::new("bad_template", message).into());
        }
        let extractor = parser()?;
        let site = &self.site;
        let mut counter = DriftCounter::default();
        let problems = read_pages(
            py,
            pages,
            |page, scratch| {
                let parsed = extractor.parse(page.page(), scratch)?;
                let fit = site.fit(parsed.document, parsed.stats());
                fit.ok_or_else(|| Problem::new("bad_template", "no template to compare with"))
            },
            |fit| counter.observe(fit),
        )?;
        let drift = counter.finish(site);
        let found = PyDict::new(py);
        found.set_item("pages", drift.pages)?;
        found.set_item("unfit", drift.unfit)?;
        found.set_item("has_drifted", drift.has_drifted())?;
        found.set_item("findings", drift.findings())?;
        let kinds = PyList::empty(py);
        for template in &drift.templates {
            let kind = PyDict::new(py);
            kind.set_item("learned_pages", template.learned_pages)?;
            kind.set_item("usual_fit", template.usual_fit)?;
            kind.set_item("pages", template.pages)?;
            kind.set_item("fit", template.fit)?;
            kind.set_item("verdict", template.verdict.name())?;
            kinds.append(kind)?;
        }
        found.set_item("kinds", kinds)?;
        let failed: Vec<_> =
            problems.into_iter().map(|(number, problem)| (number, problem.kind.to_string(), problem.message)).collect();
        found.set_item("failed", failed)?;
        Ok(found)
    }
}
