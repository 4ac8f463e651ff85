//! The id and the carried columns of a Parquet file, of whatever type they are.
//!
//! A column is named as in the file; `a.b` is the field `b` of the struct `a`. Text and binary are read as views, so that a long value
//! that a dictionary repeats is held once.

use std::fs::File;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::can_cast_types;
use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ProjectionMask};
use parquet::basic::Type;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::SchemaDescriptor;

use crate::containers::parquet::field_types::with_types;
use crate::containers::parquet::guarded::guarded;
use crate::input_value::InputValue;

/// The depth of types that can be read: far more than any table needs.
const MAX_DEPTH: usize = 32;

/// Some columns of one file.
pub(crate) struct ParquetCells {
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    /// The path of each column, `None` for those that the file does not have.
    paths: Vec<Option<Vec<String>>>,
    fields: Vec<Option<FieldRef>>,
}

impl ParquetCells {
    /// Looks for columns by their names. Fails if the schema of the file cannot be understood.
    pub(crate) fn find(metadata: Arc<ParquetMetaData>, names: &[&str]) -> ParquetResult<ParquetCells> {
        // Guarded, because Arrow also panics on a damaged schema.
        let natural =
            guarded(|| ArrowReaderMetadata::try_new(metadata.clone(), ArrowReaderOptions::new())).or_else(|_| {
                // Without the Arrow schema that writers add; it may be damaged.
                ArrowReaderMetadata::try_new(metadata.clone(), ArrowReaderOptions::new().with_skip_arrow_metadata(true))
            })?;
        let schema = with_plain_dates(&without_int96(&natural, &metadata), natural.parquet_schema());
        let found: Vec<_> = names.iter().map(|name| find(schema.fields(), name)).collect();
        let roots: Vec<&str> = found.iter().flatten().map(|(path, _)| path[0].as_str()).collect();
        let views = schema.fields().iter().map(|field| match roots.contains(&field.name().as_str()) {
            true => with_types(field, &mut as_view),
            false => field.clone(),
        });
        let views = Arc::new(Schema::new_with_metadata(views.collect::<Fields>(), schema.metadata().clone()));
        // Output casts the values back to the types that the file declares, so views are of use only if that is possible.
        let castable =
            schema.fields().iter().zip(views.fields()).all(|(one, two)| {
                one.data_type() == two.data_type() || can_cast_types(two.data_type(), one.data_type())
            });
        let options = ArrowReaderOptions::new().with_schema(views);
        let metadata = match ArrowReaderMetadata::try_new(metadata.clone(), options) {
            Ok(metadata) if castable => metadata,
            _ => ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new().with_schema(schema.clone()))
                .unwrap_or(natural),
        };
        let mask = leaves(metadata.parquet_schema(), found.iter().flatten().map(|(path, _)| path.as_slice()));
        let (paths, fields) = found.into_iter().map(|column| column.unzip()).unzip();
        Ok(ParquetCells { metadata, mask, paths, fields })
    }

    /// The columns as the file declares them, `None` for those it does not have.
    pub(crate) fn fields(&self) -> &[Option<FieldRef>] {
        &self.fields
    }

    /// The first column whose type is nested too deeply to be read.
    pub(crate) fn too_deep(&self) -> Option<&FieldRef> {
        self.fields.iter().flatten().find(|field| depth(field.data_type()) > MAX_DEPTH)
    }

    /// The rows of one row group, `count` at a time. `None` if the file has none of the columns.
    pub(crate) fn rows(
        &self,
        file: &File,
        group: usize,
        count: usize,
    ) -> ParquetResult<Option<ParquetRecordBatchReader>> {
        if self.paths.iter().all(Option::is_none) {
            return Ok(None);
        }
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file.try_clone()?, self.metadata.clone());
        let builder = builder.with_row_groups(vec![group]).with_projection(self.mask.clone()).with_batch_size(count);
        builder.build().map(Some)
    }

    /// The values of a row, one for each column.
    pub(crate) fn values(&self, batch: &RecordBatch, row: usize) -> Vec<InputValue> {
        let value = |path: &Option<Vec<String>>| {
            let cell = path.as_ref().and_then(|path| cell(batch, path, row));
            cell.map_or_else(InputValue::null, InputValue::from_cell)
        };
        self.paths.iter().map(value).collect()
    }
}

/// The path and the field of a column: a field of that name, or one inside a struct.
fn find(fields: &Fields, name: &str) -> Option<(Vec<String>, FieldRef)> {
    if let Some(field) = fields.iter().find(|field| field.name() == name) {
        return Some((vec![field.name().clone()], field.clone()));
    }
    fields.iter().find_map(|field| {
        let rest = name.strip_prefix(field.name().as_str())?.strip_prefix('.')?;
        let DataType::Struct(inner) = field.data_type() else { return None };
        let (path, found) = find(inner, rest)?;
        Some((std::iter::once(field.name().clone()).chain(path).collect(), found))
    })
}

/// The leaves of the file's schema that are inside any of the paths.
fn leaves<'a>(schema: &SchemaDescriptor, paths: impl Iterator<Item = &'a [String]>) -> ProjectionMask {
    let paths: Vec<&[String]> = paths.collect();
    let columns = schema.columns().iter().enumerate();
    let wanted = columns.filter(|(_, column)| paths.iter().any(|path| column.path().parts().starts_with(path)));
    let wanted: Vec<usize> = wanted.map(|(number, _)| number).collect();
    ProjectionMask::leaves(schema, wanted)
}

/// One value in an array of its own, `None` if it or a struct around it is null.
fn cell(batch: &RecordBatch, path: &[String], row: usize) -> Option<ArrayRef> {
    let (first, rest) = path.split_first()?;
    let mut array = batch.column_by_name(first)?;
    for name in rest {
        if array.is_null(row) {
            return None;
        }
        array = array.as_struct_opt()?.column_by_name(name)?;
    }
    (!array.is_null(row)).then(|| array.slice(row, 1))
}

/// The schema with INT96 as microseconds, unless the file says what they are. They would otherwise be read as nanoseconds, which end in
/// the year 2262, and such files have dates like 9999-12-31.
fn without_int96(natural: &ArrowReaderMetadata, metadata: &ParquetMetaData) -> SchemaRef {
    let pairs = metadata.file_metadata().key_value_metadata();
    let columns = natural.parquet_schema().columns();
    let has_int96 = |name: &str| {
        columns.iter().any(|leaf| {
            leaf.physical_type() == Type::INT96 && leaf.path().parts().first().is_some_and(|part| part == name)
        })
    };
    if pairs.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == ARROW_SCHEMA_META_KEY)) {
        return natural.schema().clone();
    }
    let mut microseconds = |kind: &DataType| {
        let is_int96 = *kind == DataType::Timestamp(TimeUnit::Nanosecond, None);
        is_int96.then_some(DataType::Timestamp(TimeUnit::Microsecond, None))
    };
    let fields = natural.schema().fields().iter().map(|field| match has_int96(field.name()) {
        true => with_types(field, &mut microseconds),
        false => field.clone(),
    });
    Arc::new(Schema::new_with_metadata(fields.collect::<Fields>(), natural.schema().metadata().clone()))
}

/// The schema with days as days. Arrow's `date64`, milliseconds, is stored as days by some writers; as milliseconds it would be written
/// as numbers that only Arrow takes for dates.
fn with_plain_dates(schema: &SchemaRef, columns: &SchemaDescriptor) -> SchemaRef {
    // Both have their leaves in the same order.
    let mut leaves = columns.columns().iter();
    let mut days = |kind: &DataType| {
        let is_days = leaves.next().is_some_and(|leaf| leaf.physical_type() == Type::INT32);
        (*kind == DataType::Date64 && is_days).then_some(DataType::Date32)
    };
    let fields = schema.fields().iter().map(|field| with_types(field, &mut days));
    Arc::new(Schema::new_with_metadata(fields.collect::<Fields>(), schema.metadata().clone()))
}

/// Text and binary as views, and without dictionaries of them.
fn as_view(kind: &DataType) -> Option<DataType> {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 => Some(DataType::Utf8View),
        DataType::Binary | DataType::LargeBinary => Some(DataType::BinaryView),
        DataType::Dictionary(_, value) => as_view(value),
        _ => None,
    }
}

/// How deeply a type is nested.
fn depth(kind: &DataType) -> usize {
    match kind {
        DataType::Struct(fields) => 1 + fields.iter().map(|field| depth(field.data_type())).max().unwrap_or(0),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => 1 + depth(item.data_type()),
        _ => 1,
    }
}

/// The bytes of all values of an array. What several views share is counted for each of them.
pub(crate) fn expanded_bytes(array: &dyn Array) -> u64 {
    match array.data_type() {
        // The length is in the lowest four bytes of a view.
        DataType::Utf8View => array.as_string_view().views().iter().map(|view| u64::from(*view as u32)).sum(),
        DataType::BinaryView => array.as_binary_view().views().iter().map(|view| u64::from(*view as u32)).sum(),
        DataType::Struct(_) => array.as_struct().columns().iter().map(|column| expanded_bytes(column.as_ref())).sum(),
        DataType::List(_) => of_items(array, |row| array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => of_items(array, |row| array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(_, _) => of_items(array, |row| array.as_fixed_size_list().value(row)),
        DataType::Map(_, _) => of_items(array, |row| Arc::new(array.as_map().value(row))),
        _ => array.to_data().get_slice_memory_size().map_or(0, |bytes| bytes as u64),
    }
}

fn of_items(array: &dyn Array, items: impl Fn(usize) -> ArrayRef) -> u64 {
    (0..array.len()).map(|row| expanded_bytes(items(row).as_ref())).sum()
}
