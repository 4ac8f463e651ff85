//! Pages in Arrow columns, and records as Arrow columns.

use crate::errors::Problem;
use crate::page_input::TEXT;
use crate::templates::SiteRef;
use crate::workers::Workers;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use dehusk_io::crawl::{PageCleaner, PageRef};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use pyo3_arrow::input::AnyArray;
use std::sync::Arc;

/// Rows that a thread works on before Python is asked whether the user wants to stop.
const ROWS_PER_THREAD: usize = 64;

/// Anything that gives Arrow columns: a table, a batch, or a column of pages.
pub(crate) struct ArrowPages(AnyArray);

impl<'a, 'py> FromPyObject<'a, 'py> for ArrowPages {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(ArrowPages(value.extract()?))
    }
}

impl ArrowPages {
    /// Its batches, and their schema. A column by itself is named `html`.
    pub(crate) fn batches(self) -> PyResult<(SchemaRef, impl Iterator<Item = PyResult<RecordBatch>>)> {
        let reader = self.0.into_reader()?;
        let field = reader.field();
        let schema = match field.data_type() {
            DataType::Struct(fields) => Arc::new(Schema::new(fields.clone())),
            other => Arc::new(Schema::new(vec![Field::new("html", other.clone(), true)])),
        };
        let to_batch = {
            let schema = schema.clone();
            move |array: ArrayRef| match array.as_any().downcast_ref::<StructArray>() {
                Some(columns) => RecordBatch::try_new(schema.clone(), columns.columns().to_vec()),
                None => RecordBatch::try_new(schema.clone(), vec![array]),
            }
        };
        let batches = reader.map(move |array| {
            let batch = array.and_then(&to_batch);
            batch.map_err(|error| Problem::new("bad_column", error.to_string()).into())
        });
        Ok((schema, batches))
    }
}

/// The names of the columns of pages.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PageColumns {
    html: String,
    url: String,
    content_type: String,
    id: String,
    carry: Vec<String>,
    /// Whether a column `url` must be there.
    needs_url: bool,
}

/// A column of texts or bytes.
pub(crate) struct Texts {
    array: ArrayRef,
    is_text: bool,
}

impl Texts {
    fn new(batch: &RecordBatch, name: &str) -> Result<Option<Texts>, Problem> {
        batch.column_by_name(name).map(|array| Texts::of(array, name)).transpose()
    }

    /// Texts are taken as bytes, which costs nothing: what others call text can be anything, and Arrow does not check it.
    pub(crate) fn of(array: &ArrayRef, name: &str) -> Result<Texts, Problem> {
        let bytes_of = |kind: &DataType| match kind {
            DataType::Utf8 | DataType::Null => Some((DataType::Binary, true)),
            DataType::LargeUtf8 => Some((DataType::LargeBinary, true)),
            DataType::Utf8View => Some((DataType::BinaryView, true)),
            DataType::Binary | DataType::FixedSizeBinary(_) => Some((DataType::Binary, false)),
            DataType::LargeBinary | DataType::BinaryView => Some((kind.clone(), false)),
            _ => None,
        };
        let fails = |error: arrow_schema::ArrowError| Problem::new("bad_column", error.to_string());
        let mut array = array.clone();
        if let DataType::Dictionary(_, values) = array.data_type() {
            array = arrow_cast::cast(&array, &values.clone()).map_err(fails)?;
        }
        let (wanted, is_text) = bytes_of(array.data_type()).ok_or_else(|| wrong_type(name, array.data_type()))?;
        if *array.data_type() != wanted {
            array = arrow_cast::cast(&array, &wanted).map_err(fails)?;
        }
        Ok(Texts { array, is_text })
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        if self.array.is_null(row) {
            return None;
        }
        Some(match self.array.data_type() {
            DataType::Binary => self.array.as_binary::<i32>().value(row),
            DataType::LargeBinary => self.array.as_binary::<i64>().value(row),
            _ => self.array.as_binary_view().value(row),
        })
    }

    pub(crate) fn text(&self, row: usize) -> Option<&str> {
        self.get(row).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }
}

fn wrong_type(name: &str, found: &DataType) -> Problem {
    Problem::new("bad_column", format!("the column {name:?} is of the type {found}; text or binary is needed"))
}

/// The rows of a batch as pages.
pub(crate) struct PageRows {
    batch: RecordBatch,
    html: Texts,
    url: Option<Texts>,
    content_type: Option<Texts>,
    truncated: Option<BooleanArray>,
    error: Option<Texts>,
    error_message: Option<Texts>,
}

/// A row: a page, or what is wrong with it.
pub(crate) enum PageRow<'a> {
    Page(PageRef<'a>),
    Failed { url: &'a str, kind: &'a str, message: &'a str },
}

impl PageRows {
    pub(crate) fn new(batch: RecordBatch, columns: &PageColumns) -> Result<PageRows, Problem> {
        let missing = |name: &str| {
            let schema = batch.schema();
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            Problem::new("missing_column", format!("there is no column {name:?}; the columns are {}", names.join(", ")))
        };
        let html = Texts::new(&batch, &columns.html)?.ok_or_else(|| missing(&columns.html))?;
        let url = Texts::new(&batch, &columns.url)?;
        if url.is_none() && columns.needs_url {
            return Err(missing(&columns.url));
        }
        if let Some(name) = columns.carry.iter().find(|name| batch.column_by_name(name).is_none()) {
            return Err(missing(name));
        }
        // What `read_pages` says of records that could not be read.
        let (error, error_message) = match batch.column_by_name("error_message") {
            Some(_) => (Texts::new(&batch, "error")?, Texts::new(&batch, "error_message")?),
            None => (None, None),
        };
        let truncated = batch.column_by_name("truncated").and_then(|array| array.as_boolean_opt()).cloned();
        let content_type = Texts::new(&batch, &columns.content_type)?;
        Ok(PageRows { html, url, content_type, truncated, error, error_message, batch })
    }

    pub(crate) fn row(&self, row: usize) -> PageRow<'_> {
        let text = |column| Option::as_ref(column).and_then(|column: &Texts| column.text(row));
        let url = text(&self.url).unwrap_or_default();
        if let Some(kind) = text(&self.error) {
            return PageRow::Failed { url, kind, message: text(&self.error_message).unwrap_or_default() };
        }
        let Some(html) = self.html.get(row) else {
            return PageRow::Failed { url, kind: "no_page", message: "the page is null" };
        };
        let content_type = match self.html.is_text {
            true => Some(TEXT),
            false => text(&self.content_type),
        };
        let truncated = self.truncated.as_ref().is_some_and(|column| column.is_valid(row) && column.value(row));
        PageRow::Page(PageRef::new(url, html).with_content_type(content_type).with_truncated(truncated))
    }

    pub(crate) fn len(&self) -> usize {
        self.batch.num_rows()
    }

    /// The record of each row.
    pub(crate) fn clean(
        &self,
        cleaner: &PageCleaner,
        workers: &Workers,
        site_of: impl Fn(&str) -> Result<Option<SiteRef>, Problem> + Sync,
    ) -> Result<RecordBatch, Problem> {
        let rows: Vec<PageRow<'_>> = (0..self.len()).map(|row| self.row(row)).collect();
        let size = |row: &PageRow<'_>| match row {
            PageRow::Page(page) => page.html.len(),
            PageRow::Failed { .. } => 0,
        };
        let lines = workers.map(&rows, size, |row, scratch| match row {
            PageRow::Page(page) => Ok(cleaner.clean(*page, site_of(page.url)?.as_deref(), scratch)),
            PageRow::Failed { url, kind, message } => Ok(cleaner.fail(PageRef::new(url, b""), kind, message)),
        });
        let lines = lines
            .into_iter()
            .map(|line| line.unwrap_or_else(|| Err(crate::errors::panicked())))
            .collect::<Result<Vec<_>, Problem>>()?;
        Ok(cleaner.batch(&lines)?)
    }
}

/// The record of each page of a table, with the columns to carry over.
pub(crate) fn table(
    py: Python<'_>,
    pages: ArrowPages,
    columns: &PageColumns,
    workers: &Workers,
    clean: impl Fn(&PageRows) -> Result<RecordBatch, Problem> + Sync,
) -> PyResult<PyTable> {
    let (schema, batches) = pages.batches()?;
    let mut done: Vec<RecordBatch> = Vec::new();
    let empty = std::iter::once(Ok(RecordBatch::new_empty(schema)));
    // The first batch is empty, and gives the schema of the output if no other does.
    for batch in empty.chain(batches) {
        let batch = batch?;
        for start in (0..batch.num_rows().max(1)).step_by(ROWS_PER_THREAD * workers.threads()) {
            let part = batch.slice(start, (batch.num_rows() - start).min(ROWS_PER_THREAD * workers.threads()));
            let rows = PageRows::new(part, columns)?;
            let records = py.detach(|| clean(&rows))?;
            done.push(with_carried(records, &rows.batch, columns)?);
            py.check_signals()?;
        }
    }
    let schema = done[0].schema();
    PyTable::try_new(done.split_off(1), schema)
}

/// Records with the id and the columns that are carried over.
fn with_carried(records: RecordBatch, input: &RecordBatch, columns: &PageColumns) -> Result<RecordBatch, Problem> {
    let schema = records.schema();
    let mut fields: Vec<Field> = schema.fields().iter().map(|field| (**field).clone()).collect();
    let mut arrays = records.columns().to_vec();
    let input_schema = input.schema();
    let field_of = |name: &str| input_schema.column_with_name(name).map(|(_, field)| field.clone().with_nullable(true));
    if let (Some(array), Some(field)) = (input.column_by_name(&columns.id), field_of(&columns.id)) {
        // The id is the first column of a record.
        (fields[0], arrays[0]) = (field.with_name("id"), array.clone());
    }
    for name in &columns.carry {
        let (Some(array), Some(field)) = (input.column_by_name(name), field_of(name)) else { continue };
        // A carried column keeps its name unless records have a column of that name.
        let mut key = name.clone();
        while fields.iter().any(|field| *field.name() == key) {
            key = format!("carried_{key}");
        }
        fields.push(field.with_name(key));
        arrays.push(array.clone());
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .map_err(|error| Problem::new("bad_column", error.to_string()))
}

/// A column by its name.
pub(crate) fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, Problem> {
    batch.column_by_name(name).ok_or_else(|| Problem::new("missing_column", format!("there is no column {name:?}")))
}
