//! Lines of JSON as a Parquet file: typed columns that may hold nulls, zstd, row groups of bounded size.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use serde_json::{Map, Value};

use crate::containers::schema::{Column, ColumnType, OutputSchema};
use crate::containers::segments::{bad_line, for_each_object};
use crate::error::Error;

/// A row group ends at this many rows or bytes of values, whichever comes first: a writer and a reader hold
/// about one row group.
const GROUP_ROWS: usize = 64 << 10;
const GROUP_BYTES: usize = 64 << 20;

/// Writes all lines into `file`; `output` is its name in messages.
pub(crate) fn write_parquet(
    segments: &[PathBuf],
    file: &File,
    output: &Path,
    schema: &OutputSchema,
) -> Result<(), Error> {
    let failed = |error: ParquetError| parquet_error(output, error);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3).map_err(failed)?))
        .set_created_by(concat!("dehusk-io ", env!("CARGO_PKG_VERSION")).into())
        .build();
    let file_schema = Arc::new(parquet_schema(&schema.columns).map_err(failed)?);
    let sink = BufWriter::with_capacity(1 << 18, file);
    let mut writer = SerializedFileWriter::new(sink, file_schema, Arc::new(properties)).map_err(failed)?;
    let mut group = RowGroup::new(&schema.columns);
    for_each_object(segments, |object, segment, number| {
        group.push(object, &schema.columns).map_err(|reason| bad_line(segment, number, &reason))?;
        if group.rows >= GROUP_ROWS || group.bytes >= GROUP_BYTES {
            group.write(&mut writer).map_err(failed)?;
            group = RowGroup::new(&schema.columns);
        }
        Ok(())
    })?;
    if group.rows > 0 {
        group.write(&mut writer).map_err(failed)?;
    }
    writer.finish().map_err(failed)?;
    io::Write::flush(writer.inner_mut()).map_err(|error| Error::write(output, error))
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

fn parquet_schema(columns: &[Column]) -> ParquetResult<Type> {
    let mut fields = Vec::with_capacity(columns.len());
    for column in columns {
        let physical = match column.kind {
            ColumnType::Utf8 | ColumnType::Json => Physical::BYTE_ARRAY,
            ColumnType::I64 => Physical::INT64,
            ColumnType::F64 => Physical::DOUBLE,
            ColumnType::Bool => Physical::BOOLEAN,
        };
        let mut builder = Type::primitive_type_builder(&column.name, physical).with_repetition(Repetition::OPTIONAL);
        if physical == Physical::BYTE_ARRAY {
            // JSON is marked as text: readers that know the JSON type are fewer than those that do not.
            builder = builder.with_converted_type(ConvertedType::UTF8).with_logical_type(Some(LogicalType::String));
        }
        fields.push(Arc::new(builder.build()?));
    }
    Type::group_type_builder("page").with_fields(fields).build()
}

/// The rows of one row group, column by column.
struct RowGroup {
    columns: Vec<Values>,
    rows: usize,
    bytes: usize,
}

/// The values of a column, and for each row whether it has one (1) or is null (0).
struct Values {
    levels: Vec<i16>,
    data: Data,
}

enum Data {
    Text(Vec<ByteArray>),
    Json(Vec<ByteArray>),
    I64(Vec<i64>),
    F64(Vec<f64>),
    Bool(Vec<bool>),
}

impl RowGroup {
    fn new(columns: &[Column]) -> Self {
        let data = |kind| match kind {
            ColumnType::Utf8 => Data::Text(Vec::new()),
            ColumnType::Json => Data::Json(Vec::new()),
            ColumnType::I64 => Data::I64(Vec::new()),
            ColumnType::F64 => Data::F64(Vec::new()),
            ColumnType::Bool => Data::Bool(Vec::new()),
        };
        let columns = columns.iter().map(|column| Values { levels: Vec::new(), data: data(column.kind) }).collect();
        RowGroup { columns, rows: 0, bytes: 0 }
    }

    fn push(&mut self, mut object: Map<String, Value>, columns: &[Column]) -> Result<(), String> {
        for (values, column) in self.columns.iter_mut().zip(columns) {
            // Swapping leaves the order of the rest undefined, and nothing below needs it.
            let value = object.swap_remove(&column.name).unwrap_or(Value::Null);
            self.bytes += 16;
            if value.is_null() {
                values.levels.push(0);
                continue;
            }
            values.levels.push(1);
            let wrong = || format!("the value of \"{}\" is not of the type {:?}", column.name, column.kind);
            match (&mut values.data, value) {
                (Data::Text(data), Value::String(text)) => {
                    self.bytes += text.len();
                    data.push(text.into_bytes().into());
                }
                (Data::Json(data), value) => {
                    let text = value.to_string();
                    self.bytes += text.len();
                    data.push(text.into_bytes().into());
                }
                (Data::I64(data), value) => data.push(value.as_i64().ok_or_else(wrong)?),
                (Data::F64(data), value) => data.push(value.as_f64().ok_or_else(wrong)?),
                (Data::Bool(data), value) => data.push(value.as_bool().ok_or_else(wrong)?),
                (Data::Text(_), _) => return Err(wrong()),
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn write(&self, writer: &mut SerializedFileWriter<BufWriter<&File>>) -> ParquetResult<()> {
        let mut group = writer.next_row_group()?;
        for values in &self.columns {
            let Some(mut column) = group.next_column()? else { break };
            values.write(&mut column)?;
            column.close()?;
        }
        group.close()?;
        Ok(())
    }
}

impl Values {
    fn write(&self, column: &mut SerializedColumnWriter<'_>) -> ParquetResult<usize> {
        let levels = Some(&self.levels[..]);
        match &self.data {
            Data::Text(data) | Data::Json(data) => column.typed::<ByteArrayType>().write_batch(data, levels, None),
            Data::I64(data) => column.typed::<Int64Type>().write_batch(data, levels, None),
            Data::F64(data) => column.typed::<DoubleType>().write_batch(data, levels, None),
            Data::Bool(data) => column.typed::<BoolType>().write_batch(data, levels, None),
        }
    }
}
