//! One value of a Parquet column as JSON.
//!
//! Integers and decimals keep all their digits, floats the digits that give the same float again. Dates and times are texts in ISO 8601.
//! Binary is its text if it is UTF-8, and hexadecimal otherwise; binary of a fixed size is always hexadecimal. Lists are arrays, structs
//! objects, and maps objects if their keys are texts, or else arrays of pairs.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;

/// The JSON of an array with one value.
pub(super) fn cell_json(array: &ArrayRef) -> String {
    let mut out = String::new();
    write_value(array.as_ref(), 0, &mut out);
    out
}

/// Appends the value of a row. The depth is that of the type, which the reader of the file limits.
fn write_value(array: &dyn Array, row: usize, out: &mut String) {
    if array.is_null(row) {
        return out.push_str("null");
    }
    match array.data_type() {
        DataType::Null => out.push_str("null"),
        DataType::Boolean => out.push_str(if array.as_boolean().value(row) { "true" } else { "false" }),
        DataType::Float16 => {
            let value = array.as_primitive::<Float16Type>().value(row);
            // The shortest digits of the same value as a longer float.
            write_float(f64::from(value.to_f32()), &f64::from(value.to_f32()), out);
        }
        DataType::Float32 => {
            let value = array.as_primitive::<Float32Type>().value(row);
            write_float(f64::from(value), &value, out);
        }
        DataType::Float64 => {
            let value = array.as_primitive::<Float64Type>().value(row);
            write_float(value, &value, out);
        }
        DataType::Utf8 => write_text(array.as_string::<i32>().value(row), out),
        DataType::LargeUtf8 => write_text(array.as_string::<i64>().value(row), out),
        DataType::Utf8View => write_text(array.as_string_view().value(row), out),
        DataType::Binary => write_binary(array.as_binary::<i32>().value(row), out),
        DataType::LargeBinary => write_binary(array.as_binary::<i64>().value(row), out),
        DataType::BinaryView => write_binary(array.as_binary_view().value(row), out),
        DataType::FixedSizeBinary(_) => write_hex(array.as_fixed_size_binary().value(row), out),
        DataType::List(_) => write_list(array.as_list::<i32>().value(row).as_ref(), out),
        DataType::LargeList(_) => write_list(array.as_list::<i64>().value(row).as_ref(), out),
        DataType::FixedSizeList(_, _) => write_list(array.as_fixed_size_list().value(row).as_ref(), out),
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            for (number, (field, column)) in fields.iter().zip(columns).enumerate() {
                out.push(if number == 0 { '{' } else { ',' });
                write_text(field.name(), out);
                out.push(':');
                write_value(column.as_ref(), row, out);
            }
            out.push_str(if fields.is_empty() { "{}" } else { "}" });
        }
        DataType::Map(_, _) => write_map(array, row, out),
        DataType::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary();
            let keys = dictionary.normalized_keys();
            write_value(dictionary.values().as_ref(), keys[row], out);
        }
        kind if kind.is_integer() || is_decimal(kind) => match formatted(array, row) {
            Some(digits) => out.push_str(&digits),
            None => out.push_str("null"),
        },
        // Dates, times, durations and intervals.
        kind => match formatted(array, row) {
            Some(text) => write_text(&with_zone(text, kind), out),
            // Years that have no text.
            None => write_number_of_time(array, row, out),
        },
    }
}

fn is_decimal(kind: &DataType) -> bool {
    use DataType::{Decimal32, Decimal64, Decimal128, Decimal256};
    matches!(kind, Decimal32(_, _) | Decimal64(_, _) | Decimal128(_, _) | Decimal256(_, _))
}

/// The text of a value, if it has one. Times are those of UTC.
fn formatted(array: &dyn Array, row: usize) -> Option<String> {
    let one = array.slice(row, 1);
    let one = match array.data_type() {
        // Time zones by name need a database; the value itself is the time in UTC.
        DataType::Timestamp(unit, Some(_)) => arrow_cast::cast(&one, &DataType::Int64)
            .and_then(|number| arrow_cast::cast(&number, &DataType::Timestamp(*unit, None)))
            .ok()?,
        _ => one,
    };
    let options = FormatOptions::default().with_display_error(false);
    let formatter = ArrayFormatter::try_new(one.as_ref(), &options).ok()?;
    formatter.value(0).try_to_string().ok()
}

fn with_zone(text: String, kind: &DataType) -> String {
    if let DataType::Timestamp(_, Some(_)) = kind { text + "Z" } else { text }
}

/// The number behind a date or time.
fn write_number_of_time(array: &dyn Array, row: usize, out: &mut String) {
    let one = array.slice(row, 1);
    let narrow = matches!(array.data_type(), DataType::Date32 | DataType::Time32(_));
    let number = arrow_cast::cast(&one, if narrow { &DataType::Int32 } else { &DataType::Int64 });
    match number.ok().and_then(|number| formatted(number.as_ref(), 0)) {
        Some(digits) => out.push_str(&digits),
        None => out.push_str("null"),
    }
}

/// A float, or its name as a text: JSON has no infinity.
fn write_float(value: f64, digits: &impl serde::Serialize, out: &mut String) {
    let name = match value {
        value if value.is_nan() => "\"NaN\"",
        f64::INFINITY => "\"Infinity\"",
        f64::NEG_INFINITY => "\"-Infinity\"",
        _ => return out.push_str(&serde_json::to_string(digits).unwrap_or_default()),
    };
    out.push_str(name);
}

fn write_text(text: &str, out: &mut String) {
    // Writing a string to memory cannot fail.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

fn write_binary(bytes: &[u8], out: &mut String) {
    match std::str::from_utf8(bytes) {
        Ok(text) => write_text(text, out),
        Err(_) => write_hex(bytes, out),
    }
}

fn write_hex(bytes: &[u8], out: &mut String) {
    out.push('"');
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out.push('"');
}

fn write_list(items: &dyn Array, out: &mut String) {
    out.push('[');
    for row in 0..items.len() {
        if row > 0 {
            out.push(',');
        }
        write_value(items, row, out);
    }
    out.push(']');
}

fn write_map(array: &dyn Array, row: usize, out: &mut String) {
    let entries = array.as_map().value(row);
    let (keys, values) = (entries.column(0), entries.column(1));
    let of_texts = matches!(keys.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    out.push(if of_texts { '{' } else { '[' });
    for entry in 0..entries.len() {
        if entry > 0 {
            out.push(',');
        }
        out.push_str(if of_texts { "" } else { "[" });
        write_value(keys.as_ref(), entry, out);
        out.push(if of_texts { ':' } else { ',' });
        write_value(values.as_ref(), entry, out);
        out.push_str(if of_texts { "" } else { "]" });
    }
    out.push(if of_texts { '}' } else { ']' });
}
