//! The parts of the crawl job, for engines that distribute the work: samples of sites, templates, records.

use crate::arrow_pages::{ArrowPages, PageColumns, PageRow, PageRows, Texts, column, table};
use crate::errors::Problem;
use crate::options::values;
use crate::templates::Templates;
use crate::workers::Workers;
use arrow_array::builder::{BinaryBuilder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use dehusk::Scratch;
use dehusk_io::crawl::{PageCleaner, SampleTable, SiteSample};
use dehusk_options::Command;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::{PyArray, PyRecordBatch, PyTable};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The parts of the crawl job, with the options of the program's `clean`.
#[pyclass(frozen, module = "dehusk._native")]
pub(crate) struct Cleaner {
    cleaner: Arc<PageCleaner>,
    workers: Workers,
}

#[pymethods]
impl Cleaner {
    #[new]
    #[pyo3(signature = (options, threads=1))]
    fn new(options: &Bound<'_, PyDict>, threads: usize) -> PyResult<Cleaner> {
        let job = values(Command::Clean, options)?.crawl(Vec::new(), Path::new("")).map_err(Problem::from)?;
        Ok(Cleaner { cleaner: Arc::new(PageCleaner::new(job)), workers: Workers::new(threads) })
    }

    /// The site of each address; null if there is no address.
    fn hosts(&self, urls: ArrowPages) -> PyResult<PyArray> {
        let mut hosts = StringBuilder::new();
        for batch in urls.batches()?.1 {
            let batch = batch?;
            let urls = Texts::of(batch.column(0), "url")?;
            for row in 0..batch.num_rows() {
                hosts.append_option(urls.text(row).map(|url| self.cleaner.site(url)));
            }
        }
        Ok(PyArray::from_array_ref(Arc::new(hosts.finish())))
    }

    /// A table of samples that hands them over when it holds so many bytes.
    fn sampler(&self, max_bytes: usize) -> Sampler {
        let state = (SampleTable::new(max_bytes), Scratch::default());
        Sampler { cleaner: self.cleaner.clone(), state: Mutex::new(state) }
    }

    /// Merges samples of the same sites, which come one after the other; makes templates of them, or leaves them samples.
    fn merger(&self, templates: bool) -> Merger {
        Merger { cleaner: self.cleaner.clone(), templates, current: Mutex::default() }
    }

    /// The records of pages.
    #[pyo3(signature = (pages, columns, templates=None))]
    fn clean(
        &self,
        py: Python<'_>,
        pages: ArrowPages,
        columns: PageColumns,
        templates: Option<&Templates>,
    ) -> PyResult<PyTable> {
        table(py, pages, &columns, &self.workers, |rows| {
            rows.clean(&self.cleaner, &self.workers, |url| match templates {
                Some(templates) => templates.find(&self.cleaner.site(url)),
                None => Ok(None),
            })
        })
    }
}

/// Rows of sites: name, bytes, number of pages.
struct SiteRows {
    value: &'static str,
    hosts: StringBuilder,
    values: BinaryBuilder,
    pages: Int64Builder,
}

impl SiteRows {
    fn new(value: &'static str) -> SiteRows {
        SiteRows { value, hosts: StringBuilder::new(), values: BinaryBuilder::new(), pages: Int64Builder::new() }
    }

    fn push(&mut self, host: &str, value: &[u8], pages: i64) {
        self.hosts.append_value(host);
        self.values.append_value(value);
        self.pages.append_value(pages);
    }

    fn finish(mut self) -> Result<PyRecordBatch, Problem> {
        let fields = [("host", DataType::Utf8), (self.value, DataType::Binary), ("pages", DataType::Int64)];
        let fields: Vec<Field> = fields.into_iter().map(|(name, kind)| Field::new(name, kind, true)).collect();
        let batch = RecordBatch::try_new(
            Arc::new(Schema::new(fields)),
            vec![Arc::new(self.hosts.finish()), Arc::new(self.values.finish()), Arc::new(self.pages.finish())],
        );
        batch.map(PyRecordBatch::new).map_err(|error| Problem::new("internal", error.to_string()))
    }
}

/// Collects samples of sites from pages.
#[pyclass(frozen, module = "dehusk._native")]
pub(crate) struct Sampler {
    cleaner: Arc<PageCleaner>,
    state: Mutex<(SampleTable, Scratch)>,
}

impl Sampler {
    fn rows(table: &mut SampleTable) -> Result<PyRecordBatch, Problem> {
        let mut rows = SiteRows::new("sample");
        for (host, pages, sample) in table.take() {
            rows.push(&host, &sample.to_bytes(), pages as i64);
        }
        rows.finish()
    }
}

#[pymethods]
impl Sampler {
    /// Adds pages. Returns the samples so far whenever they fill the memory; the next ones start from nothing.
    fn add(&self, py: Python<'_>, pages: ArrowPages, columns: PageColumns) -> PyResult<Vec<PyRecordBatch>> {
        let mut out = Vec::new();
        for batch in pages.batches()?.1 {
            let rows = PageRows::new(batch?, &columns)?;
            let full = py.detach(|| {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                let (table, scratch) = &mut *state;
                let mut full = Vec::new();
                for row in 0..rows.len() {
                    // Cleaning reports pages that cannot be read.
                    let PageRow::Page(page) = rows.row(row) else { continue };
                    if let Some(evidence) = self.cleaner.evidence(page, table, scratch) {
                        table.add(evidence);
                    }
                    if table.is_full() {
                        full.push(Sampler::rows(table)?);
                    }
                }
                Ok::<_, Problem>(full)
            })?;
            out.extend(full);
            py.check_signals()?;
        }
        Ok(out)
    }

    /// The samples that are left.
    fn finish(&self) -> PyResult<PyRecordBatch> {
        Ok(Sampler::rows(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).0)?)
    }
}

/// Merges samples of sites that come one after the other.
#[pyclass(frozen, module = "dehusk._native")]
pub(crate) struct Merger {
    cleaner: Arc<PageCleaner>,
    templates: bool,
    current: Mutex<Option<(String, SiteSample, i64)>>,
}

impl Merger {
    fn new_rows(&self) -> SiteRows {
        SiteRows::new(if self.templates { "template" } else { "sample" })
    }

    fn push(&self, site: Option<(String, SiteSample, i64)>, rows: &mut SiteRows) -> Result<(), Problem> {
        let Some((host, sample, pages)) = site else { return Ok(()) };
        if !self.templates {
            rows.push(&host, &sample.to_bytes(), pages);
        } else if let Some(template) = self.cleaner.learn(&host, &sample) {
            rows.push(&host, &template, pages);
        }
        Ok(())
    }

    fn merge(&self, batch: &RecordBatch, rows: &mut SiteRows) -> Result<(), Problem> {
        let cast = |name: &str, kind: &DataType| {
            arrow_cast::cast(column(batch, name)?, kind).map_err(|error| Problem::new("bad_column", error.to_string()))
        };
        let (hosts, samples) = (cast("host", &DataType::Utf8)?, cast("sample", &DataType::Binary)?);
        let pages = cast("pages", &DataType::Int64)?;
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        for row in 0..batch.num_rows() {
            if hosts.is_null(row) || samples.is_null(row) {
                return Err(Problem::new("bad_column", "a host or a sample is null"));
            }
            let host = hosts.as_string::<i32>().value(row);
            let sample = SiteSample::from_bytes(samples.as_binary::<i32>().value(row))?;
            let count = pages.as_primitive::<Int64Type>().value(row);
            match &mut *current {
                Some((name, merged, pages)) if name == host => {
                    merged.merge(sample);
                    *pages += count;
                }
                _ => {
                    let before = current.replace((host.to_string(), sample, count));
                    self.push(before, rows)?;
                }
            }
        }
        Ok(())
    }
}

#[pymethods]
impl Merger {
    /// Adds rows of `host`, `sample` and `pages`. Returns the sites that are complete.
    fn add(&self, py: Python<'_>, samples: ArrowPages) -> PyResult<PyRecordBatch> {
        let mut rows = self.new_rows();
        for batch in samples.batches()?.1 {
            let batch = batch?;
            py.detach(|| self.merge(&batch, &mut rows))?;
        }
        Ok(rows.finish()?)
    }

    /// The last site.
    fn finish(&self, py: Python<'_>) -> PyResult<PyRecordBatch> {
        let mut rows = self.new_rows();
        let last = self.current.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| self.push(last, &mut rows))?;
        Ok(rows.finish()?)
    }
}
