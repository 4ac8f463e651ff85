//! Segments of a page.

use crate::errors::Problem;
use crate::options::values;
use crate::page_input::PageInput;
use dehusk::SegmentedPage;
use dehusk_options::Command;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Splits pages with fixed options, which are those of the program's `segment`.
#[pyclass(frozen, module = "dehusk._native")]
pub(crate) struct Segmenter {
    segmenter: dehusk::PageSegmenter,
}

impl Segmenter {
    fn with_page<T: Send>(
        &self,
        html: &Bound<'_, PyAny>,
        url: Option<String>,
        take: impl FnOnce(&SegmentedPage) -> T + Send,
    ) -> PyResult<T> {
        let page = PageInput::new(html, url, None)?;
        Ok(html.py().detach(|| self.segmenter.segment(page.page()).map(|found| take(&found))).map_err(Problem::from)?)
    }
}

#[pymethods]
impl Segmenter {
    #[new]
    fn new(options: &Bound<'_, PyDict>) -> PyResult<Segmenter> {
        let values = values(Command::Segment, options)?;
        Ok(Segmenter { segmenter: values.segmenter().map_err(Problem::from)? })
    }

    /// The record of the segments as JSON, with the flags of the page.
    #[pyo3(signature = (html, url=None))]
    fn record(&self, html: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<(String, Vec<&'static str>)> {
        self.with_page(html, url, |found| {
            (found.to_json(), found.flags().into_iter().map(|flag| flag.name()).collect())
        })
    }

    /// The segments as a picture.
    #[pyo3(signature = (html, url=None))]
    fn svg(&self, html: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<String> {
        self.with_page(html, url, |found| found.to_svg())
    }
}
