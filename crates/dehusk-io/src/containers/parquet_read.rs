//! The rows of a Parquet file: the requested columns, a few rows at a time.
//!
//! Works on the columns directly, without Arrow, so that a long value repeated through a dictionary is held
//! once. Columns may be text, binary, numbers or booleans at any depth of structs; lists cannot be read.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use serde_json::Value;

use crate::containers::name_list::name_list;
use crate::containers::raw_record::{Content, RawRecord};
use crate::containers::source::Source;
use crate::fault::{Fault, FaultKind};
use crate::location::{Location, Position};
use crate::read_options::ReadOptions;
use crate::record::Record;

/// Rows taken from the columns at once: few, since one row may be a page of the largest size.
const ROWS: usize = 32;
/// Columns that are shown in a message.
const MAX_COLUMNS: usize = 60;

/// The rows of one file.
pub(crate) struct ParquetRows {
    reader: SerializedFileReader<File>,
    file: Arc<Path>,
    bytes: u64,
    options: ReadOptions,
    requested: RequestedColumns,
    /// The next row group, and the row of the file it starts with, counted from 0.
    next_group: usize,
    next_group_row: u64,
    group: Option<RowGroup>,
    ready: std::vec::IntoIter<Row>,
    row: u64,
    rows_total: u64,
}

/// The requested columns by their numbers in the file.
struct RequestedColumns {
    url: Option<usize>,
    html: usize,
    id: Option<usize>,
    carry: Vec<Option<usize>>,
    html_is_text: bool,
}

struct RowGroup {
    columns: Vec<ColumnReader>,
    rows_left: u64,
}

type Row = Vec<Cell>;

enum Cell {
    Null,
    Bytes(ByteArray),
    Value(Value),
}

impl ParquetRows {
    pub(crate) fn new(input: File, file: Arc<Path>, options: &ReadOptions) -> Result<Self, Fault> {
        let bytes = input.metadata().map_or(0, |metadata| metadata.len());
        let location = Location::new(file.clone(), Position::Whole);
        let reader = guarded(|| SerializedFileReader::new(input))
            .map_err(|reason| Fault::new(location.clone(), FaultKind::DamagedArchive, reason))?;
        let requested = RequestedColumns::find(reader.metadata().file_metadata().schema_descr().columns(), options)
            .map_err(|reason| Fault::new(location.clone(), FaultKind::MissingColumn, reason))?;
        if let Some(codec) = unknown_codec(&reader, &requested) {
            let message = format!("is compressed with {codec}, which is not supported");
            return Err(Fault::new(location, FaultKind::UnknownFormat, message));
        }
        let rows = reader.metadata().row_groups().iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0));
        Ok(ParquetRows {
            rows_total: rows.fold(0, u64::saturating_add),
            reader,
            file,
            bytes,
            options: options.clone(),
            requested,
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
        self.row = self.next_group_row;
        self.next_group += 1;
        self.next_group_row = self.next_group_row.saturating_add(rows);
        let (reader, requested) = (&self.reader, self.requested.all());
        let columns = guarded(|| {
            let group = reader.get_row_group(number)?;
            requested.iter().map(|&column| group.get_column_reader(column)).collect::<ParquetResult<Vec<_>>>()
        })?;
        self.group = Some(RowGroup { columns, rows_left: rows });
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
        let mut rows: Vec<Row> = (0..count).map(|_| Vec::with_capacity(group.columns.len())).collect();
        for column in &mut group.columns {
            let cells = guarded(|| read_cells(column, count))?;
            if cells.len() != count {
                return Err("a column has fewer rows than its row group".into());
            }
            for (row, cell) in rows.iter_mut().zip(cells) {
                row.push(cell);
            }
        }
        group.rows_left -= count as u64;
        self.ready = rows.into_iter();
        Ok(true)
    }

    fn make_record(&self, row: Row) -> Result<RawRecord, Fault> {
        let location = Location::new(self.file.clone(), Position::Row(self.row));
        let mut cells = row.into_iter();
        let mut cell = || cells.next().unwrap_or(Cell::Null);
        let missing = |column: &str| {
            Fault::new(location.clone(), FaultKind::MissingColumn, format!("no text in the column \"{column}\""))
        };
        let html = cell();
        let url = match self.requested.url.map_or(Value::Null, |_| cell().into_value()) {
            Value::String(url) => url,
            // The address of a page may be unknown, as in JSON lines.
            Value::Null => String::new(),
            _ => return Err(missing(&self.options.url_column)),
        };
        let Cell::Bytes(html) = html else { return Err(missing(&self.options.html_column)) };
        if html.len() as u64 > self.options.max_bytes {
            return Err(self.options.page_too_large(location));
        }
        let id = self.requested.id.map(|_| cell().into_value()).filter(|id| !id.is_null());
        let record = Record {
            url,
            id,
            html: html.data().to_vec(),
            // Text in Parquet is UTF-8, whatever the page's meta tag says; binary is the page in its own encoding.
            content_type: self.requested.html_is_text.then(|| "text/html; charset=utf-8".into()),
            carried: self
                .options
                .carry
                .iter()
                .zip(&self.requested.carry)
                .map(|(name, column)| (name.clone(), column.map_or(Value::Null, |_| cell().into_value())))
                .collect(),
            truncated: false,
            location: location.clone(),
        };
        Ok(RawRecord::new(location, Content::Row(Box::new(record))))
    }
}

impl Source for ParquetRows {
    fn next(&mut self) -> Option<Result<RawRecord, Fault>> {
        loop {
            if let Some(row) = self.ready.next() {
                self.row += 1;
                return Some(self.make_record(row));
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
                    let message = format!("{reason}; the rest of this row group is lost");
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

impl RequestedColumns {
    fn find(columns: &[Arc<ColumnDescriptor>], options: &ReadOptions) -> Result<RequestedColumns, String> {
        let position = |name: &str| columns.iter().position(|column| column.path().string() == name);
        let find = |name: &str| -> Result<usize, String> {
            let Some(found) = position(name) else {
                let names: Vec<String> = columns.iter().map(|column| column.path().string()).collect();
                let there = name_list(names.iter().map(String::as_str), MAX_COLUMNS);
                return Err(format!("has no column \"{name}\"; its columns are {there}"));
            };
            match columns[found].max_rep_level() {
                0 => Ok(found),
                _ => Err(format!("cannot use the column \"{name}\", which holds lists")),
            }
        };
        let optional = |name: &str| match position(name) {
            None if options.texts => Ok(None),
            _ => find(name).map(Some),
        };
        let html = find(&options.html_column)?;
        if columns[html].physical_type() != parquet::basic::Type::BYTE_ARRAY {
            return Err(format!("cannot use the column \"{}\", which does not hold text", options.html_column));
        }
        Ok(RequestedColumns {
            url: optional(&options.url_column)?,
            html,
            id: position(&options.id_column).filter(|&found| columns[found].max_rep_level() == 0),
            carry: options.carry.iter().map(|name| optional(name)).collect::<Result<_, _>>()?,
            html_is_text: columns[html].converted_type() == parquet::basic::ConvertedType::UTF8
                || columns[html].logical_type_ref() == Some(&parquet::basic::LogicalType::String),
        })
    }

    fn all(&self) -> Vec<usize> {
        let optional = self.url.into_iter().chain(self.id).chain(self.carry.iter().copied().flatten());
        std::iter::once(self.html).chain(optional).collect()
    }
}

/// A compression of the requested columns that this build has no decoder for.
fn unknown_codec(reader: &SerializedFileReader<File>, requested: &RequestedColumns) -> Option<String> {
    let groups = reader.metadata().row_groups().iter();
    let codecs = groups.flat_map(|group| requested.all().into_iter().filter_map(|at| group.columns().get(at)));
    codecs.map(|column| column.compression()).find_map(|codec| match codec {
        Compression::BROTLI(_) | Compression::LZO => Some(codec.to_string()),
        _ => None,
    })
}

impl Cell {
    fn into_value(self) -> Value {
        match self {
            Cell::Null => Value::Null,
            Cell::Bytes(bytes) => Value::String(String::from_utf8_lossy(bytes.data()).into_owned()),
            Cell::Value(value) => value,
        }
    }
}

/// Reads `count` cells of one column, fewer only at its end.
fn read_cells(column: &mut ColumnReader, count: usize) -> ParquetResult<Vec<Cell>> {
    match column {
        ColumnReader::ByteArrayColumnReader(reader) => cells(reader, count, Cell::Bytes),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => cells(reader, count, |v| Cell::Bytes(v.into())),
        ColumnReader::BoolColumnReader(reader) => cells(reader, count, |v| Cell::Value(v.into())),
        ColumnReader::Int32ColumnReader(reader) => cells(reader, count, |v| Cell::Value(v.into())),
        ColumnReader::Int64ColumnReader(reader) => cells(reader, count, |v| Cell::Value(v.into())),
        ColumnReader::FloatColumnReader(reader) => cells(reader, count, |v| Cell::Value(f64::from(v).into())),
        ColumnReader::DoubleColumnReader(reader) => cells(reader, count, |v| Cell::Value(v.into())),
        ColumnReader::Int96ColumnReader(reader) => cells(reader, count, |v| Cell::Value(v.to_nanos().into())),
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

/// Runs a step of the Parquet library, which may panic on damaged files. Errors and panics become a reason.
fn guarded<T>(step: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(step)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(format!("damaged Parquet: {error}")),
        Err(_) => Err("damaged Parquet: the decoder gave up".into()),
    }
}
