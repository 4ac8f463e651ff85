//! The result for one page.

use crate::errors::Problem;
use crate::page_input::PageInput;
use crate::templates::SiteRef;
use dehusk::records::render_records_json;
use dehusk::render::ExplainOptions;
use dehusk::{OutputFormat, Scratch};
use dehusk_io::crawl::PageCleaner;
use dehusk_options::Values;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// What was found on a page, without the page.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) text: String,
    pub(crate) title: Option<String>,
    pub(crate) confidence: Option<f64>,
    pub(crate) page_type: Option<String>,
    pub(crate) encoding: Option<String>,
    pub(crate) dropped_share: f64,
    pub(crate) flags: Vec<String>,
    /// Name, value and source.
    pub(crate) metadata: Option<Vec<(String, String, String)>>,
    pub(crate) template: Option<u32>,
    pub(crate) template_fit: Option<f64>,
}

impl Found {
    pub(crate) fn of(extraction: &dehusk::Extraction<'_>, format: OutputFormat) -> Found {
        let metadata = extraction.metadata().map(|metadata| {
            let fields = metadata.fields().into_iter();
            fields
                .filter_map(|(name, field)| Some((name, field?)))
                .map(|(name, field)| (name.to_string(), field.value.clone(), field.source.name().to_string()))
                .collect()
        });
        let fit = extraction.template_fit();
        Found {
            text: extraction.render(format),
            title: extraction.title(),
            confidence: extraction.confidence().map(rounded),
            page_type: extraction.page_type().map(|kind| kind.name().to_string()),
            encoding: Some(extraction.encoding().name.to_string()),
            dropped_share: (extraction.dropped_share() * 1000.0).round() / 1000.0,
            flags: extraction.flags().into_iter().map(|flag| flag.name().to_string()).collect(),
            metadata,
            template: fit.and_then(|fit| fit.template),
            template_fit: fit.map(|fit| rounded(fit.fit)),
        }
    }
}

/// A number between 0 and 1 to three digits, as in the rows of the program.
fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1000.0).round() / 1000.0
}

/// The page of an extraction, to look at it again.
pub(crate) struct Source {
    pub(crate) settings: Arc<Settings>,
    pub(crate) page: PageInput,
    pub(crate) site: Option<SiteRef>,
}

/// The content of a page, and what is known about the page.
#[pyclass(frozen, module = "dehusk._native")]
pub(crate) struct Extraction {
    pub(crate) found: Found,
    pub(crate) url: Option<String>,
    pub(crate) format: OutputFormat,
    pub(crate) problem: Option<Problem>,
    /// Only where a single page was extracted: the results of many would keep all pages in memory.
    pub(crate) source: Option<Source>,
}

impl Extraction {
    fn source(&self) -> Result<&Source, Problem> {
        self.source.as_ref().ok_or_else(|| {
            let why = match &self.problem {
                Some(_) => "the page could not be read",
                None => "the results of many pages do not keep the pages: call dehusk.extract for this one",
            };
            Problem::new("page_not_kept", why)
        })
    }
}

#[pymethods]
impl Extraction {
    #[getter]
    fn text(&self) -> &str {
        &self.found.text
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.format.name()
    }

    #[getter]
    fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    #[getter]
    fn title(&self) -> Option<&str> {
        self.found.title.as_deref()
    }

    #[getter]
    fn confidence(&self) -> Option<f64> {
        self.found.confidence
    }

    #[getter]
    fn page_type(&self) -> Option<&str> {
        self.found.page_type.as_deref()
    }

    #[getter]
    fn encoding(&self) -> Option<&str> {
        self.found.encoding.as_deref()
    }

    #[getter]
    fn dropped_share(&self) -> f64 {
        self.found.dropped_share
    }

    #[getter]
    fn flags(&self) -> Vec<String> {
        self.found.flags.clone()
    }

    #[getter]
    fn template(&self) -> Option<u32> {
        self.found.template
    }

    #[getter]
    fn template_fit(&self) -> Option<f64> {
        self.found.template_fit
    }

    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.found
            .metadata
            .as_ref()
            .map(|fields| dict(py, fields.iter().map(|(name, value, _)| (&**name, &**value))))
            .transpose()
    }

    #[getter]
    fn metadata_sources<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.found
            .metadata
            .as_ref()
            .map(|fields| dict(py, fields.iter().map(|(name, _, source)| (&**name, &**source))))
            .transpose()
    }

    #[getter]
    fn error(&self) -> Option<PyErr> {
        self.problem.clone().map(PyErr::from)
    }

    /// The page's record as JSON, with every block.
    fn record(&self, py: Python<'_>) -> PyResult<String> {
        self.render(py, "json")
    }

    /// The page's records as JSON: those that are content, or all.
    fn records(&self, py: Python<'_>, all: bool) -> PyResult<String> {
        let source = self.source()?;
        let render = |extraction: &dehusk::Extraction<'_>| match all {
            true => render_records_json(extraction.document(), &extraction.records()),
            false => extraction.render(OutputFormat::Records),
        };
        Ok(py.detach(|| source.settings.again(source, render))?)
    }

    fn render(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format = format_named(format)?;
        let source = self.source()?;
        Ok(py.detach(|| source.settings.again(source, |extraction| extraction.render(format)))?)
    }

    fn strip(&self, py: Python<'_>) -> PyResult<String> {
        let source = self.source()?;
        Ok(py.detach(|| source.settings.again(source, |extraction| extraction.strip()))?)
    }

    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        let source = self.source()?;
        Ok(py.detach(|| source.settings.explain(source))?)
    }

    fn __str__(&self) -> &str {
        &self.found.text
    }

    /// What a copy in another process is made of. It does not have the page.
    fn state(&self) -> State {
        let found = &self.found;
        let problem = self.problem.as_ref().map(|problem| (problem.kind.to_string(), problem.message.clone()));
        (
            (found.text.clone(), self.format.name().to_string(), self.url.clone(), found.title.clone()),
            (found.confidence, found.page_type.clone(), found.encoding.clone(), found.dropped_share),
            (found.flags.clone(), found.metadata.clone(), found.template, found.template_fit),
            problem,
        )
    }

    #[staticmethod]
    fn from_state(state: State) -> PyResult<Extraction> {
        let ((text, format, url, title), (confidence, page_type, encoding, dropped_share), rest, problem) = state;
        let (flags, metadata, template, template_fit) = rest;
        let found = Found {
            text,
            title,
            confidence,
            page_type,
            encoding,
            dropped_share,
            flags,
            metadata,
            template,
            template_fit,
        };
        let problem = problem.map(|(kind, message)| Problem::new(kind, message));
        Ok(Extraction { found, url, format: format_named(&format)?, problem, source: None })
    }
}

/// All of an extraction but its page.
type State = (
    (String, String, Option<String>, Option<String>),
    (Option<f64>, Option<String>, Option<String>, f64),
    (Vec<String>, Option<Vec<(String, String, String)>>, Option<u32>, Option<f64>),
    Option<(String, String)>,
);

fn format_named(name: &str) -> Result<OutputFormat, Problem> {
    let message = || format!("the format is text, markdown, html, json or records, not {name:?}");
    name.parse().map_err(|_| Problem::new("bad_options", message()))
}

fn dict<'py, 'a>(py: Python<'py>, fields: impl Iterator<Item = (&'a str, &'a str)>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in fields {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

/// How pages are extracted.
pub(crate) struct Settings {
    pub(crate) values: Values,
    pub(crate) extractor: dehusk::Extractor,
    pub(crate) format: OutputFormat,
    pub(crate) cleaner: PageCleaner,
}

impl Settings {
    /// Extracts a page.
    pub(crate) fn extract(
        &self,
        page: &PageInput,
        site: Option<&SiteRef>,
        scratch: &mut Scratch,
    ) -> Result<Found, Problem> {
        let page = page.page().with_site(site.map(|site| &**site));
        Ok(Found::of(&self.extractor.extract(page, scratch)?, self.format))
    }

    /// Extracts a page again to take something else from it.
    pub(crate) fn again<T>(
        &self,
        source: &Source,
        take: impl FnOnce(&dehusk::Extraction<'_>) -> T,
    ) -> Result<T, Problem> {
        let page = source.page.page().with_site(source.site.as_deref());
        Ok(take(&self.extractor.extract(page, &mut Scratch::default())?))
    }

    pub(crate) fn explain(&self, source: &Source) -> Result<String, Problem> {
        let page = source.page.page().with_site(source.site.as_deref());
        let extractor = self.values.extractor_with(|options| options.with_details(true))?;
        Ok(extractor.extract(page, &mut Scratch::default())?.explain(ExplainOptions::default().with_width(120)))
    }
}
