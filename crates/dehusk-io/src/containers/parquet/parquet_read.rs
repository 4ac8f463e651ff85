//! The rows of a Parquet file: the requested columns, a few rows at a time.
//!
//! The page and its address are read from the columns directly, without Arrow, so that a long value repeated through a dictionary is held
//! once. They may be text or binary at any depth of structs. `parquet_cells` reads the id and the carried columns, which may be anything.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::FieldRef;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::basic::{Compression, ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use crate::containers::name_list::name_list;
use crate::containers::parquet::footer_check::check_footer;
use crate::containers::parquet::guarded::guarded;
use crate::containers::parquet::parquet_cells::{ParquetCells, expanded_bytes};
use crate::containers::raw_page::{Content, RawPage};
use crate::containers::source::Source;
use crate::fault::{Fault, FaultKind, PageIdentity};
use crate::input_page::InputPage;
use crate::input_value::InputValue;
use crate::location::{Location, Position};
use crate::read_options::ReadOptions;

/// Rows taken from the columns at once: few, since one row may be a page of the largest size.
const ROWS: usize = 32;
/// Columns that are shown in a message.
const MAX_COLUMNS: usize = 60;

/// The rows of one file.
pub(crate) struct ParquetRows {
    reader: SerializedFileReader<File>,
    input: File,
    /// The id and the carried columns.
    cells: ParquetCells,
    file: Arc<Path>,
    bytes: u64,
    options: ReadOptions,
    page: PageColumns,
    /// The next row group, and the row of the file it starts with, counted from 0.
    next_group: usize,
    next_group_row: u64,
    group: Option<RowGroup>,
    ready: std::vec::IntoIter<Row>,
    row: u64,
    rows_total: u64,
}

/// The columns of the page by their numbers in the file.
struct PageColumns {
    url: Option<usize>,
    html: usize,
    html_is_text: bool,
}

struct RowGroup {
    columns: Vec<ColumnReader>,
    cells: Option<ParquetRecordBatchReader>,
    rows_left: u64,
}

/// A row: its page, its address, its id and its carried values.
struct Row {
    html: Cell,
    url: Cell,
    values: Vec<InputValue>,
    /// The bytes that the values stand for.
    bytes: u64,
}

enum Cell {
    Null,
    Bytes(ByteArray),
    /// Neither text nor binary.
    Other,
}

impl ParquetRows {
    pub(crate) fn new(input: File, file: Arc<Path>, options: &ReadOptions) -> Result<Self, Fault> {
        let bytes = input.metadata().map_or(0, |metadata| metadata.len());
        let location = Location::new(file.clone(), Position::Whole);
        let fault = |kind, reason: String| Fault::new(location.clone(), kind, reason);
        let damaged = |reason| fault(FaultKind::DamagedArchive, reason);
        let reader = open_checked(&input).map_err(damaged)?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let page =
            PageColumns::find(schema.columns(), options).map_err(|reason| fault(FaultKind::MissingColumn, reason))?;
        let metadata = Arc::new(reader.metadata().clone());
        let cells = guarded(|| ParquetCells::find(metadata, &value_columns(options))).map_err(damaged)?;
        if let Some(field) = cells.too_deep() {
            let reason = format!("cannot use the column \"{}\", whose type is nested too deeply", field.name());
            return Err(fault(FaultKind::MissingColumn, reason));
        }
        // The id may be missing.
        let missing = options.carry.iter().zip(cells.fields().iter().skip(1)).find(|(_, field)| field.is_none());
        if let Some((name, _)) = missing.filter(|_| !options.texts) {
            return Err(fault(FaultKind::MissingColumn, no_column(schema.columns(), name)));
        }
        if let Some(codec) = unknown_codec(&reader) {
            let message = format!("is compressed with {codec}, which is not supported");
            return Err(fault(FaultKind::UnknownFormat, message));
        }
        let rows = reader.metadata().row_groups().iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0));
        Ok(ParquetRows {
            // In a damaged file the counts can be any numbers.
            rows_total: rows.fold(0, u64::saturating_add),
            reader,
            input,
            cells,
            file,
            bytes,
            options: options.clone(),
            page,
            next_group: 0,
            next_group_row: 0,
            group: None,
            ready: Vec::new().into_iter(),
            row: 0,
        })
    }

    /// Starts the next row group. False after the last one.
    fn start_group(&mut self) -> Result<bool, String> {
        if self.next_group >= self.reader.metadata().num_row_groups() {
            return Ok(false);
        }
        let number = self.next_group;
        let rows = u64::try_from(self.reader.metadata().row_group(number).num_rows()).unwrap_or(0);
        // Moved on before anything is read, so that a damaged group is not tried again.
        self.row = self.next_group_row;
        self.next_group += 1;
        self.next_group_row = self.next_group_row.saturating_add(rows);
        let group = guarded(|| {
            let group = self.reader.get_row_group(number)?;
            let wanted = std::iter::once(self.page.html).chain(self.page.url);
            let columns = wanted.map(|column| group.get_column_reader(column)).collect::<ParquetResult<Vec<_>>>()?;
            let cells = self.cells.rows(&self.input, number, ROWS)?;
            Ok(RowGroup { columns, cells, rows_left: rows })
        })?;
        self.group = Some(group);
        Ok(true)
    }

    /// Takes the next few rows out of the current group. False at its end.
    fn read_rows(&mut self) -> Result<bool, String> {
        let Some(group) = &mut self.group else { return Ok(false) };
        let count = usize::try_from(group.rows_left).unwrap_or(usize::MAX).min(ROWS);
        if count == 0 {
            self.group = None;
            return Ok(false);
        }
        // Columns are stored apart, so that damage to one of them would pair its values with those of other rows.
        let short = || "a column has fewer rows than its row group".to_string();
        let mut columns = Vec::with_capacity(group.columns.len());
        for column in &mut group.columns {
            let cells = guarded(|| read_cells(column, count))?;
            if cells.len() != count {
                return Err(short());
            }
            columns.push(cells.into_iter());
        }
        let batch = match &mut group.cells {
            None => None,
            Some(reader) => {
                let batch = guarded(|| Ok(reader.next().transpose()?))?;
                Some(batch.filter(|batch| batch.num_rows() == count).ok_or_else(short)?)
            }
        };
        let mut rows = Vec::with_capacity(count);
        for number in 0..count {
            let mut cell = |column: usize| columns.get_mut(column).and_then(Iterator::next).unwrap_or(Cell::Null);
            let (html, url) = (cell(0), cell(1));
            let (values, bytes) = guarded(|| Ok(self.cells_of(batch.as_ref(), number)))?;
            rows.push(Row { html, url, values, bytes });
        }
        if let Some(group) = &mut self.group {
            group.rows_left -= count as u64;
        }
        self.ready = rows.into_iter();
        Ok(true)
    }

    /// The id and the carried values of a row, and their bytes.
    fn cells_of(&self, batch: Option<&RecordBatch>, row: usize) -> (Vec<InputValue>, u64) {
        let Some(batch) = batch else { return (vec![InputValue::null(); 1 + self.options.carry.len()], 0) };
        let values = self.cells.values(batch, row);
        let bytes = values.iter().filter_map(InputValue::cell).map(|cell| expanded_bytes(cell.as_ref())).sum();
        (values, bytes)
    }

    fn make_page(&self, row: Row) -> Result<RawPage, Fault> {
        let location = Location::new(self.file.clone(), Position::Row(self.row));
        let too_large = row.bytes > self.options.max_bytes;
        let mut values = row.values.into_iter();
        // Values that are too large stay out of the fault as well, because its row would hold them.
        let id = values.next().filter(|id| !id.is_null() && !too_large);
        let carried: Vec<_> = self.options.carry.iter().cloned().zip(values).collect();
        let carried = if too_large { Vec::new() } else { carried };
        let url = match &row.url {
            Cell::Bytes(url) => String::from_utf8_lossy(url.data()).into_owned(),
            // The address of a page may be unknown, as in JSON lines.
            Cell::Null | Cell::Other => String::new(),
        };
        let reason = match (&row.html, &row.url) {
            (_, Cell::Other) => Some(&self.options.url_column),
            (Cell::Bytes(_), _) => None,
            _ => Some(&self.options.html_column),
        };
        if let Some(column) = reason {
            let fault = Fault::new(location, FaultKind::MissingColumn, format!("no text in the column \"{column}\""));
            return Err(fault.of_page(PageIdentity { url, id, carried }));
        }
        let html = if let Cell::Bytes(html) = row.html { html } else { ByteArray::default() };
        if too_large {
            let message = "the id and the carried columns are larger than the limit of a page";
            return Err(Fault::new(location, FaultKind::TooLarge, message).of_page(PageIdentity { url, id, carried }));
        }
        if html.len() as u64 > self.options.max_bytes {
            return Err(self.options.page_too_large(location).of_page(PageIdentity { url, id, carried }));
        }
        let page = InputPage {
            url,
            id,
            html: html.data().to_vec(),
            // Text in Parquet is UTF-8, whatever the page's meta tag says; binary is the page in its own encoding.
            content_type: self.page.html_is_text.then(|| "text/html; charset=utf-8".into()),
            carried,
            truncated: false,
            location: location.clone(),
        };
        let bytes = usize::try_from(row.bytes).unwrap_or(usize::MAX / 2);
        Ok(RawPage::new(location, Content::Row { page: Box::new(page), bytes }))
    }
}

impl Source for ParquetRows {
    fn next(&mut self) -> Option<Result<RawPage, Fault>> {
        loop {
            if let Some(row) = self.ready.next() {
                self.row += 1;
                return Some(self.make_page(row));
            }
            let step = match self.read_rows() {
                Ok(true) => continue,
                Ok(false) => self.start_group(),
                Err(reason) => Err(reason),
            };
            match step {
                Ok(true) => {}
                Ok(false) => return None,
                Err(reason) => {
                    self.group = None;
                    let location = Location::new(self.file.clone(), Position::Row(self.row + 1));
                    let lost = self.next_group_row.saturating_sub(self.row);
                    let message = format!(
                        "row group {}: {reason}; its rows from here on are lost ({lost} by its own count)",
                        self.next_group
                    );
                    return Some(Err(Fault::new(location, FaultKind::DamagedArchive, message)));
                }
            }
        }
    }

    fn bytes_read(&self) -> u64 {
        // Columns are apart in the file, so the rows are the better measure of progress.
        let share = u128::from(self.row) * u128::from(self.bytes) / u128::from(self.rows_total.max(1));
        u64::try_from(share).unwrap_or(self.bytes).min(self.bytes)
    }

    fn bytes_total(&self) -> Option<u64> {
        Some(self.bytes)
    }
}

/// The columns whose values are kept as they are: the id first, then those to carry over.
pub(crate) fn value_columns(options: &ReadOptions) -> Vec<&str> {
    std::iter::once(&options.id_column).chain(&options.carry).map(String::as_str).collect()
}

/// The fields of these columns in a file, `None` if the file cannot be read.
pub(crate) fn column_fields(input: File, options: &ReadOptions) -> Option<Vec<Option<FieldRef>>> {
    let reader = open_checked(&input).ok()?;
    let found = guarded(|| ParquetCells::find(Arc::new(reader.metadata().clone()), &value_columns(options)));
    found.ok().map(|cells| cells.fields().to_vec())
}

/// Reads the footer of a file, if it is fit to be read.
fn open_checked(input: &File) -> Result<SerializedFileReader<File>, String> {
    let copy = || input.try_clone().map_err(|error| error.to_string());
    check_footer(&mut copy()?)?;
    let file = copy()?;
    guarded(|| SerializedFileReader::new(file))
}

impl PageColumns {
    fn find(columns: &[Arc<ColumnDescriptor>], options: &ReadOptions) -> Result<PageColumns, String> {
        let position = |name: &str| columns.iter().position(|column| column.path().string() == name);
        let find = |name: &str| -> Result<usize, String> {
            let found = position(name).ok_or_else(|| no_column(columns, name))?;
            match columns[found].max_rep_level() {
                0 => Ok(found),
                _ => Err(format!("cannot use the column \"{name}\", which holds lists")),
            }
        };
        let html = find(&options.html_column)?;
        if !matches!(columns[html].physical_type(), Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY) {
            return Err(format!("cannot use the column \"{}\", which does not hold text", options.html_column));
        }
        let url = match position(&options.url_column) {
            None if !options.needs_url() => None,
            _ => Some(find(&options.url_column)?),
        };
        let html_is_text = columns[html].converted_type() == ConvertedType::UTF8
            || columns[html].logical_type_ref() == Some(&LogicalType::String);
        Ok(PageColumns { url, html, html_is_text })
    }
}

/// What to say about a missing column.
fn no_column(columns: &[Arc<ColumnDescriptor>], name: &str) -> String {
    let names: Vec<String> = columns.iter().map(|column| column.path().string()).collect();
    let there = name_list(names.iter().map(String::as_str), MAX_COLUMNS);
    format!("has no column \"{name}\"; its columns are {there}")
}

/// A compression that this build has no decoder for.
fn unknown_codec(reader: &SerializedFileReader<File>) -> Option<String> {
    let columns = reader.metadata().row_groups().iter().flat_map(|group| group.columns());
    columns.map(|column| column.compression()).find(|codec| *codec == Compression::LZO).map(|codec| codec.to_string())
}

/// Reads `count` cells of one column, fewer only at its end.
fn read_cells(column: &mut ColumnReader, count: usize) -> ParquetResult<Vec<Cell>> {
    match column {
        ColumnReader::ByteArrayColumnReader(reader) => cells(reader, count, Cell::Bytes),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => cells(reader, count, |v| Cell::Bytes(v.into())),
        ColumnReader::BoolColumnReader(reader) => cells(reader, count, |_| Cell::Other),
        ColumnReader::Int32ColumnReader(reader) => cells(reader, count, |_| Cell::Other),
        ColumnReader::Int64ColumnReader(reader) => cells(reader, count, |_| Cell::Other),
        ColumnReader::FloatColumnReader(reader) => cells(reader, count, |_| Cell::Other),
        ColumnReader::DoubleColumnReader(reader) => cells(reader, count, |_| Cell::Other),
        ColumnReader::Int96ColumnReader(reader) => cells(reader, count, |_| Cell::Other),
    }
}

fn cells<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    cell: impl Fn(T::T) -> Cell,
) -> ParquetResult<Vec<Cell>> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < count {
        let (records, _, _) = reader.read_records(count - read, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            break;
        }
        read += records;
    }
    let mut values = values.into_iter();
    // A column that is always there has no levels: every row has a value.
    if levels.is_empty() {
        return Ok(values.map(cell).collect());
    }
    // A row has a value if its level is the deepest of the column, which at least one value shows.
    let deepest = levels.iter().copied().max().filter(|_| values.len() > 0);
    let mut take = |level: i16| match deepest {
        Some(depth) if level == depth => values.next().map_or(Cell::Null, &cell),
        _ => Cell::Null,
    };
    Ok(levels.into_iter().map(&mut take).collect())
}
