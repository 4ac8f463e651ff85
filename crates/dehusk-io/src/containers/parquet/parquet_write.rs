//! Lines of JSON as a Parquet file: typed columns that may hold nulls, zstd, row groups of bounded size.
//!
//! Arrow's own reader of JSON (the crate arrow-json) would not do: its columns of text refuse lists and objects, which ours keep as
//! JSON; it knows nothing of values in the row format of Arrow (`typed_column`); and it holds all texts of a batch on a tape
//! before it copies them into arrays, where one text may have 40 MB. Only numbers and plain texts would be left to it.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, MapBuilder, StringBuilder, UInt64Builder,
};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::containers::chunks::{Object, bad_line, for_each_object};
use crate::containers::parquet::json_kind::{JsonKind, SeenValues};
use crate::containers::parquet::typed_column::TypedColumn;
use crate::containers::schema::{Column, ColumnType, OutputSchema};
use crate::error::{Error, ErrorKind};

/// A row group ends at this many rows or bytes of values, whichever comes first: a writer and a reader hold
/// about one row group.
const GROUP_ROWS: usize = 64 << 10;
const GROUP_BYTES: usize = 64 << 20;
/// Rows and bytes of values that go to the writer at once.
const BATCH_ROWS: usize = 4 << 10;
const BATCH_BYTES: usize = 8 << 20;

/// Writes all lines into `file`; `output` is its name in messages.
pub(crate) fn write_parquet(
    chunks: &[PathBuf],
    file: &File,
    output: &Path,
    schema: &OutputSchema,
) -> Result<(), Error> {
    let failed = |error: ParquetError| parquet_error(output, error);
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3).map_err(failed)?))
        .set_created_by(concat!("dehusk-io ", env!("CARGO_PKG_VERSION")).into());
    // No query filters pages by their whole text, and dictionaries, smallest and largest values are copies of texts that may have
    // 40 MB: together they took a quarter of the memory of such a crawl.
    for (key, _) in &schema.files {
        let column = ColumnPath::from(key.as_str());
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    let properties = properties.build();
    let mut batch = Batch::new(schema, &input_kinds(chunks, schema)?);
    let sink = BufWriter::with_capacity(1 << 18, file);
    let mut writer = ArrowWriter::try_new(sink, batch.schema.clone(), Some(properties)).map_err(failed)?;
    let (mut rows, mut bytes) = (0, 0);
    for_each_object(chunks, |object, chunk, number| {
        batch.push(object, &schema.columns).map_err(|reason| bad_line(chunk, number, &reason))?;
        let group_is_full = rows + batch.rows >= GROUP_ROWS || bytes + batch.bytes >= GROUP_BYTES;
        if group_is_full || batch.rows >= BATCH_ROWS || batch.bytes >= BATCH_BYTES {
            (rows, bytes) = (rows + batch.rows, bytes + batch.bytes);
            batch.take().and_then(|batch| writer.write(&batch)).map_err(failed)?;
        }
        if group_is_full {
            (rows, bytes) = (0, 0);
            writer.flush().map_err(failed)?;
        }
        Ok(())
    })?;
    if batch.rows > 0 {
        batch.take().and_then(|batch| writer.write(&batch)).map_err(failed)?;
    }
    let mut sink = writer.into_inner().map_err(failed)?;
    io::Write::flush(&mut sink).map_err(|error| Error::write(output, error))
}

/// Lines of JSON as columns, with the names and types of Parquet output.
pub(crate) fn record_batch(lines: &[Vec<u8>], schema: &OutputSchema) -> Result<RecordBatch, Error> {
    let mut seen = vec![SeenValues::default(); schema.columns.len()];
    let objects: Vec<Object<'_>> = lines
        .iter()
        .map(|line| serde_json::from_slice(line))
        .collect::<Result<_, _>>()
        .map_err(|error| Error::new(ErrorKind::Damaged, "not a JSON object").because(error))?;
    for (column, seen) in schema.columns.iter().zip(&mut seen).filter(|(column, _)| column.kind == ColumnType::Input) {
        objects.iter().filter_map(|object| object.get(column.name.as_str())).for_each(|value| seen.add(value));
    }
    let mut batch = Batch::new(schema, &seen.iter().map(SeenValues::kind).collect::<Vec<_>>());
    for object in &objects {
        batch.push(object, &schema.columns).map_err(|reason| Error::new(ErrorKind::Damaged, reason))?;
    }
    batch.take().map_err(Error::other)
}

/// For each column of input values what they have in common. Reads the chunks only if there is such a column.
fn input_kinds(chunks: &[PathBuf], schema: &OutputSchema) -> Result<Vec<JsonKind>, Error> {
    let mut seen = vec![SeenValues::default(); schema.columns.len()];
    let columns = || schema.columns.iter().zip(&schema.typed).enumerate();
    let wanted: Vec<usize> = columns()
        .filter(|(_, (column, typed))| column.kind == ColumnType::Input && typed.is_none())
        .map(|(number, _)| number)
        .collect();
    if !wanted.is_empty() {
        for_each_object(chunks, |object, _, _| {
            for &number in &wanted {
                if let Some(value) = object.get(schema.columns[number].name.as_str()) {
                    seen[number].add(value);
                }
            }
            Ok(())
        })?;
    }
    Ok(seen.iter().map(SeenValues::kind).collect())
}

fn parquet_error(output: &Path, error: ParquetError) -> Error {
    let error = match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(inner) => *inner,
            Err(inner) => io::Error::other(inner),
        },
        error => io::Error::other(error),
    };
    Error::write(output, error)
}

/// Rows on their way to the writer, column by column.
struct Batch {
    schema: Arc<Schema>,
    columns: Vec<Values>,
    rows: usize,
    bytes: usize,
}

/// The values of a column.
enum Values {
    Text(StringBuilder),
    /// JSON is marked as text: readers that know the JSON type are fewer than those that do not.
    Json(StringBuilder),
    /// Texts as they are, and the JSON of anything else.
    Mixed(StringBuilder),
    I64(Int64Builder),
    U64(UInt64Builder),
    F64(Float64Builder),
    Bool(BooleanBuilder),
    Map(Box<TextMap>),
    Typed(Arc<TypedColumn>, Vec<Vec<u8>>),
}

/// Maps from names to lists of texts.
type TextMap = MapBuilder<StringBuilder, ListBuilder<StringBuilder>>;

fn text_map() -> TextMap {
    MapBuilder::new(None, StringBuilder::new(), ListBuilder::new(StringBuilder::new()))
}

impl Batch {
    fn new(schema: &OutputSchema, kinds: &[JsonKind]) -> Self {
        let mut fields = Vec::with_capacity(schema.columns.len());
        let mut columns = Vec::with_capacity(schema.columns.len());
        for ((column, typed), kind) in schema.columns.iter().zip(&schema.typed).zip(kinds) {
            let (data_type, values) = match (column.kind, kind) {
                (ColumnType::Utf8, _) => (DataType::Utf8, Values::Text(StringBuilder::new())),
                (ColumnType::Json, _) => (DataType::Utf8, Values::Json(StringBuilder::new())),
                (ColumnType::Map, _) => (text_map().finish().data_type().clone(), Values::Map(Box::new(text_map()))),
                (ColumnType::I64, _) | (ColumnType::Input, JsonKind::I64) => {
                    (DataType::Int64, Values::I64(Int64Builder::new()))
                }
                (ColumnType::F64, _) | (ColumnType::Input, JsonKind::F64) => {
                    (DataType::Float64, Values::F64(Float64Builder::new()))
                }
                (ColumnType::Bool, _) | (ColumnType::Input, JsonKind::Bool) => {
                    (DataType::Boolean, Values::Bool(BooleanBuilder::new()))
                }
                (ColumnType::Input, JsonKind::U64) => (DataType::UInt64, Values::U64(UInt64Builder::new())),
                (ColumnType::Input, JsonKind::Text) => (DataType::Utf8, Values::Mixed(StringBuilder::new())),
            };
            match typed {
                Some(typed) => {
                    fields.push(typed.field(&column.name));
                    columns.push(Values::Typed(typed.clone(), Vec::new()));
                }
                None => {
                    fields.push(Field::new(&column.name, data_type, true));
                    columns.push(values);
                }
            }
        }
        Batch { schema: Arc::new(Schema::new(fields)), columns, rows: 0, bytes: 0 }
    }

    fn push(&mut self, object: &Object<'_>, columns: &[Column]) -> Result<(), String> {
        for (values, column) in self.columns.iter_mut().zip(columns) {
            let json = object.get(column.name.as_str()).map_or("null", |value| value.get());
            // The constant is for the slot of the value itself, so that many short values end a batch, too.
            self.bytes += 16 + json.len();
            values
                .push(json)
                .ok_or_else(|| format!("the value of \"{}\" is not of the type {:?}", column.name, column.kind))?;
        }
        self.rows += 1;
        Ok(())
    }

    /// The rows so far, which leaves none.
    fn take(&mut self) -> ParquetResult<RecordBatch> {
        (self.rows, self.bytes) = (0, 0);
        let arrays = self.columns.iter_mut().map(Values::take).collect::<ParquetResult<Vec<_>>>()?;
        Ok(RecordBatch::try_new(self.schema.clone(), arrays)?)
    }
}

impl Values {
    /// Adds a value, given as JSON. `None` if it is not of the type of the column.
    fn push(&mut self, json: &str) -> Option<()> {
        let is_null = json == "null";
        let text = || serde_json::from_str::<String>(json).ok();
        match self {
            Values::Typed(typed, values) => values.push(typed.read(json)?),
            Values::Text(builder) | Values::Json(builder) | Values::Mixed(builder) if is_null => builder.append_null(),
            Values::Map(builder) => append_map(builder, json)?,
            Values::Text(builder) => builder.append_value(text()?),
            Values::Json(builder) => builder.append_value(json),
            Values::Mixed(builder) => match text() {
                Some(text) => builder.append_value(text),
                None => builder.append_value(json),
            },
            Values::I64(builder) => builder.append_option(if is_null { None } else { Some(json.parse().ok()?) }),
            Values::U64(builder) => builder.append_option(if is_null { None } else { Some(json.parse().ok()?) }),
            Values::F64(builder) => {
                // `parse` also takes `inf` and `NaN`, which are not JSON.
                let number = json.as_bytes().first().is_some_and(|byte| matches!(byte, b'-' | b'0'..=b'9'));
                builder.append_option(if is_null { None } else { Some(json.parse().ok().filter(|_| number)?) });
            }
            Values::Bool(builder) => builder.append_option(if is_null { None } else { Some(json.parse().ok()?) }),
        }
        Some(())
    }

    /// The values so far, which leaves none.
    fn take(&mut self) -> ParquetResult<ArrayRef> {
        Ok(match self {
            Values::Text(builder) | Values::Json(builder) | Values::Mixed(builder) => Arc::new(builder.finish()),
            Values::I64(builder) => Arc::new(builder.finish()),
            Values::U64(builder) => Arc::new(builder.finish()),
            Values::F64(builder) => Arc::new(builder.finish()),
            Values::Bool(builder) => Arc::new(builder.finish()),
            Values::Map(builder) => Arc::new(builder.finish()),
            Values::Typed(typed, values) => typed.array(&std::mem::take(values))?,
        })
    }
}

/// Adds a map, or nothing for null. `None` if it is not one.
fn append_map(builder: &mut TextMap, json: &str) -> Option<()> {
    let entries: Option<Vec<(String, Vec<String>)>> = serde_json::from_str(json).ok()?;
    for (name, values) in entries.iter().flatten() {
        builder.keys().append_value(name);
        values.iter().for_each(|value| builder.values().values().append_value(value));
        builder.values().append(true);
    }
    builder.append(entries.is_some()).ok()
}
