//! A column of Parquet inputs that keeps its type in Parquet output.
//!
//! Between the passes rows are lines of JSON, which has fewer types than Parquet. There, a value is the hexadecimal text of its bytes in
//! Arrow's row format, from which it comes back exactly.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_cast::cast;
use arrow_row::{RowConverter, SortField};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};

use crate::containers::parquet::field_types::with_types;
use crate::input_value::InputValue;

/// The column.
#[derive(Debug)]
pub(crate) struct TypedColumn {
    field: FieldRef,
    converter: RowConverter,
    /// The bytes that stand for null.
    null: Vec<u8>,
}

impl TypedColumn {
    /// A column of this type, `None` for a type that cannot be kept.
    pub(crate) fn new(field: &Field) -> Option<TypedColumn> {
        // Rows that could not be read have no value.
        let field = with_types(&Arc::new(field.clone().with_nullable(true)), &mut wide_keys);
        let converter = RowConverter::new(vec![SortField::new(field.data_type().clone())]).ok()?;
        let null = converter.convert_columns(&[new_null_array(field.data_type(), 1)]).ok()?;
        let null = null.row(0).as_ref().to_vec();
        Some(TypedColumn { field, converter, null })
    }

    /// The field of the output, under its name there.
    pub(crate) fn field(&self, name: &str) -> Field {
        Field::clone(&self.field).with_name(name)
    }

    /// Appends the JSON of a value. What is not of this type, because the file has changed, is written in a way that `read` refuses.
    pub(crate) fn write(&self, value: &InputValue, out: &mut Vec<u8>) {
        if value.is_null() {
            return out.extend_from_slice(b"null");
        }
        let bytes = value.cell().and_then(|cell| {
            let rows = self.converter.convert_columns(&[cast(cell, self.field.data_type()).ok()?]).ok()?;
            Some(rows.row(0).as_ref().to_vec())
        });
        let Some(bytes) = bytes else { return out.extend_from_slice(b"false") };
        let mut text = String::with_capacity(2 * bytes.len() + 2);
        text.push('"');
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        text.push('"');
        out.extend_from_slice(text.as_bytes());
    }

    /// The bytes of a value from its JSON, `None` if that is not what `write` writes.
    pub(crate) fn read(&self, json: &str) -> Option<Vec<u8>> {
        if json == "null" {
            return Some(self.null.clone());
        }
        let digits = json.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
        let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
        let byte = |pair: &[u8]| Some(value(pair[0])? << 4 | value(*pair.get(1)?)?);
        digits.chunks(2).map(byte).collect()
    }

    /// The array of many values.
    pub(crate) fn array(&self, values: &[Vec<u8>]) -> Result<ArrayRef, ArrowError> {
        let parser = self.converter.parser();
        let arrays = self.converter.convert_rows(values.iter().map(|bytes| parser.parse(bytes)))?;
        let array = arrays.into_iter().next().unwrap_or_else(|| new_null_array(self.field.data_type(), 0));
        // The row format has no dictionaries.
        if array.data_type() == self.field.data_type() { Ok(array) } else { cast(&array, self.field.data_type()) }
    }
}

/// A dictionary with keys that are wide enough for those of several files together.
fn wide_keys(kind: &DataType) -> Option<DataType> {
    let DataType::Dictionary(key, value) = kind else { return None };
    matches!(key.as_ref(), DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16)
        .then(|| DataType::Dictionary(Box::new(DataType::Int32), value.clone()))
}

/// A type that holds the values of both exactly: the same type, the longer of two texts, floats or integers. `None` if there is none.
pub(crate) fn common_type(one: &DataType, two: &DataType) -> Option<DataType> {
    use DataType::*;
    if one == two {
        return Some(one.clone());
    }
    let text = |kind: &DataType| match kind {
        Utf8 | Utf8View => Some(Utf8),
        LargeUtf8 => Some(LargeUtf8),
        Dictionary(_, value) if matches!(value.as_ref(), Utf8 | LargeUtf8) => Some(value.as_ref().clone()),
        _ => None,
    };
    if let (Some(one), Some(two)) = (text(one), text(two)) {
        return Some(if one == two { one } else { LargeUtf8 });
    }
    let float = |kind: &DataType| [Float16, Float32, Float64].iter().position(|float| float == kind);
    if let (Some(first), Some(second)) = (float(one), float(two)) {
        return Some(if first > second { one.clone() } else { two.clone() });
    }
    if !one.is_integer() || !two.is_integer() {
        return None;
    }
    let width = |kind: &DataType| kind.primitive_width().unwrap_or(8);
    // A signed type of twice the width holds what is unsigned.
    let needed = |kind: &DataType| if kind.is_unsigned_integer() { 2 * width(kind) } else { width(kind) };
    if one.is_unsigned_integer() && two.is_unsigned_integer() {
        return Some(if width(one) > width(two) { one.clone() } else { two.clone() });
    }
    Some(match needed(one).max(needed(two)) {
        1 => Int8,
        2 => Int16,
        4 => Int32,
        8 => Int64,
        // `u64` together with a signed type: no integer type of Arrow holds both, and the largest `u64` has 20 digits.
        _ => Decimal128(20, 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_types_lose_nothing() {
        use DataType::*;
        let category = Dictionary(Box::new(Int8), Box::new(Utf8));
        for (one, two, common) in [
            (Int32, Int64, Some(Int64)),
            (UInt32, Int8, Some(Int64)),
            (UInt8, UInt64, Some(UInt64)),
            (UInt64, Int8, Some(Decimal128(20, 0))),
            (Float16, Float64, Some(Float64)),
            (category.clone(), Utf8, Some(Utf8)),
            (category, LargeUtf8, Some(LargeUtf8)),
            (Int64, Float64, None),
            (Utf8, Int64, None),
            (Date32, Date64, None),
        ] {
            assert_eq!(common_type(&one, &two), common, "{one} {two}");
            assert_eq!(common_type(&two, &one), common, "{two} {one}");
        }
    }
}
