//! The pages of files and folders, as batches.

use crate::errors::Problem;
use crate::options::values;
use arrow_array::RecordBatch;
use arrow_array::builder::{BinaryBuilder, BooleanBuilder, StringBuilder};
use arrow_schema::{DataType, Field, Schema};
use dehusk_io::{Fault, InputPage, Inputs, ReadOptions, Source, warc_from_reader};
use dehusk_options::Command;
use dehusk_options::definitions::CARRY;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatch;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A batch ends at this many rows or bytes.
const ROWS: usize = 512;
const BYTES: usize = 16 << 20;

/// An iterator over the pages of files and folders.
#[pyclass(frozen, module = "dehusk._native")]
pub(crate) struct Pages {
    /// Held, for standard input is copied to a file that goes with it.
    _inputs: Option<Inputs>,
    source: Mutex<Box<dyn Source>>,
    read: ReadOptions,
    carry: Vec<String>,
}

#[pymethods]
impl Pages {
    /// The pages of files and folders, with the options of the program's `clean`.
    #[new]
    fn new(paths: Vec<PathBuf>, options: &Bound<'_, PyDict>) -> PyResult<Pages> {
        let (read, carry) = read_options(options)?;
        let inputs = Inputs::new(&paths).map_err(Problem::from)?;
        let source = Mutex::new(inputs.open(&read));
        Ok(Pages { _inputs: Some(inputs), source, read, carry })
    }

    /// The pages of a WARC file that Python has opened.
    #[staticmethod]
    fn of_warc(file: Py<PyAny>, name: PathBuf, options: &Bound<'_, PyDict>) -> PyResult<Pages> {
        let (read, carry) = read_options(options)?;
        let source = warc_from_reader(io::BufReader::with_capacity(1 << 20, PythonFile(file)), &name, &read)
            .map_err(|error| Problem::new("cannot_read", format!("{}: {error}", name.display())))?;
        Ok(Pages { _inputs: None, source: Mutex::new(source), read, carry })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyRecordBatch>> {
        let batch = py.detach(|| self.next_batch());
        py.check_signals()?;
        Ok(batch?.map(PyRecordBatch::new))
    }
}

/// How pages are read, and the columns that are carried over.
fn read_options(options: &Bound<'_, PyDict>) -> Result<(ReadOptions, Vec<String>), Problem> {
    let values = values(Command::Clean, options)?;
    Ok((values.read_options(), values.texts(&CARRY)))
}

impl Pages {
    fn next_batch(&self) -> Result<Option<RecordBatch>, Problem> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows = Rows::new(&self.carry);
        while rows.count < ROWS && rows.bytes < BYTES {
            let Some(raw) = source.next() else { break };
            match raw.and_then(|raw| raw.open(&self.read)) {
                Ok(record) => rows.push(&record),
                Err(fault) if fault.kind.is_skip() => {}
                Err(fault) => rows.push_fault(&fault),
            }
        }
        if rows.count == 0 { Ok(None) } else { rows.finish(&self.carry).map(Some) }
    }
}

/// The columns of a batch.
struct Rows {
    count: usize,
    bytes: usize,
    url: StringBuilder,
    html: BinaryBuilder,
    content_type: StringBuilder,
    truncated: BooleanBuilder,
    error: StringBuilder,
    error_message: StringBuilder,
    carried: Vec<StringBuilder>,
}

impl Rows {
    fn new(carry: &[String]) -> Rows {
        Rows {
            count: 0,
            bytes: 0,
            url: StringBuilder::new(),
            html: BinaryBuilder::new(),
            content_type: StringBuilder::new(),
            truncated: BooleanBuilder::new(),
            error: StringBuilder::new(),
            error_message: StringBuilder::new(),
            carried: carry.iter().map(|_| StringBuilder::new()).collect(),
        }
    }

    fn push(&mut self, record: &InputPage) {
        self.count += 1;
        self.bytes += record.html.len();
        self.url.append_value(&record.url);
        self.html.append_value(&record.html);
        self.content_type.append_option(record.content_type.as_deref());
        self.truncated.append_value(record.truncated);
        self.error.append_null();
        self.error_message.append_null();
        for (number, column) in self.carried.iter_mut().enumerate() {
            // Texts as they are, and the JSON of anything else.
            let value = record.carried.get(number).map(|(_, value)| value).filter(|value| !value.is_null());
            column.append_option(value.map(|value| value.as_text().unwrap_or_else(|| value.to_string())));
        }
    }

    fn push_fault(&mut self, fault: &Fault) {
        self.count += 1;
        self.url.append_option(fault.page().map(|known| known.url.as_str()));
        self.html.append_null();
        self.content_type.append_null();
        self.truncated.append_value(false);
        self.error.append_value(fault.kind.name());
        self.error_message.append_value(fault.to_string());
        self.carried.iter_mut().for_each(StringBuilder::append_null);
    }

    fn finish(mut self, carry: &[String]) -> Result<RecordBatch, Problem> {
        let text = |name: &str| Field::new(name, DataType::Utf8, true);
        let mut fields = vec![
            text("url"),
            Field::new("html", DataType::Binary, true),
            text("content_type"),
            Field::new("truncated", DataType::Boolean, true),
            text("error"),
            text("error_message"),
        ];
        fields.extend(carry.iter().map(|name| text(name)));
        let mut columns: Vec<arrow_array::ArrayRef> = vec![
            Arc::new(self.url.finish()),
            Arc::new(self.html.finish()),
            Arc::new(self.content_type.finish()),
            Arc::new(self.truncated.finish()),
            Arc::new(self.error.finish()),
            Arc::new(self.error_message.finish()),
        ];
        columns.extend(self.carried.iter_mut().map(|column| Arc::new(column.finish()) as _));
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
            .map_err(|error| Problem::new("internal", error.to_string()))
    }
}

/// A binary file that Python has opened.
struct PythonFile(Py<PyAny>);

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let bytes: PyBackedBytes = self.0.call_method1(py, "read", (buffer.len(),))?.extract(py)?;
            let count = bytes.len().min(buffer.len());
            buffer[..count].copy_from_slice(&bytes[..count]);
            Ok(count)
        })
        .map_err(|error: PyErr| io::Error::other(error.to_string()))
    }
}

impl Seek for PythonFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (offset, whence) = match to {
            SeekFrom::Start(offset) => (offset as i64, 0),
            SeekFrom::Current(offset) => (offset, 1),
            SeekFrom::End(offset) => (offset, 2),
        };
        Python::attach(|py| self.0.call_method1(py, "seek", (offset, whence))?.extract(py))
            .map_err(|error: PyErr| io::Error::other(error.to_string()))
    }
}
