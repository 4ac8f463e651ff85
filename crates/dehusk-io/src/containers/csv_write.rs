//! Rows as CSV: a line of column names, then a line for each row, as RFC 4180 has it but with plain line ends.
//!
//! Nulls are empty cells, texts are written as they are, anything else as JSON.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::containers::chunks::{Object, for_each_object};
use crate::containers::schema::{Column, OutputSchema};
use crate::error::{Error, ErrorKind};

/// Writes all lines to `writer`; `output` is its name in messages.
pub(crate) fn write_csv(
    chunks: &[PathBuf],
    writer: &mut impl Write,
    output: &Path,
    schema: &OutputSchema,
) -> Result<(), Error> {
    let failed = |error| Error::write(output, error);
    write_header(&schema.columns, writer).map_err(failed)?;
    for_each_object(chunks, |object, _, _| write_row(object, &schema.columns, writer).map_err(failed))
}

/// Lines of JSON as CSV.
pub(crate) fn csv_text(lines: &[u8], schema: &OutputSchema) -> Result<String, Error> {
    let damaged = |error: &str| Error::new(ErrorKind::Damaged, error.to_string());
    let mut out = Vec::new();
    write_header(&schema.columns, &mut out).map_err(Error::other)?;
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let object: Object<'_> = serde_json::from_slice(line).map_err(|error| damaged(&error.to_string()))?;
        write_row(&object, &schema.columns, &mut out).map_err(Error::other)?;
    }
    String::from_utf8(out).map_err(|_| damaged("not UTF-8"))
}

fn write_header(columns: &[Column], out: &mut impl Write) -> io::Result<()> {
    write_cells(columns.iter().map(|column| column.name.as_str()), out)
}

fn write_row(object: &Object<'_>, columns: &[Column], out: &mut impl Write) -> io::Result<()> {
    let cells: Vec<String> = columns.iter().map(|column| cell(object, column)).collect();
    write_cells(cells.iter().map(String::as_str), out)
}

fn cell(object: &Object<'_>, column: &Column) -> String {
    match object.get(column.name.as_str()).map(|value| value.get()) {
        None | Some("null") => String::new(),
        Some(json) if json.starts_with('"') => serde_json::from_str(json).unwrap_or_default(),
        Some(json) => json.to_string(),
    }
}

fn write_cells<'a>(cells: impl Iterator<Item = &'a str>, out: &mut impl Write) -> io::Result<()> {
    for (number, cell) in cells.enumerate() {
        if number > 0 {
            out.write_all(b",")?;
        }
        // Some readers strip white space that is not quoted.
        let is_plain = !cell.contains([',', '"', '\n', '\r']) && cell.trim().len() == cell.len();
        match is_plain {
            true => out.write_all(cell.as_bytes())?,
            false => write!(out, "\"{}\"", cell.replace('"', "\"\""))?,
        }
    }
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::containers::schema::ColumnType;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let columns = ["id", "text", "fields"].map(|name| Column::new(name, ColumnType::Json)).to_vec();
        let lines = b"{\"id\":7,\"text\":\"a, \\\"b\\\"\\nc\",\"fields\":{\"x\":[1,2]}}\n{\"id\":null,\"text\":\" plain\",\"fields\":null}\n";
        let text = csv_text(lines, &OutputSchema::new(columns)).unwrap();
        assert_eq!(text, "id,text,fields\n7,\"a, \"\"b\"\"\nc\",\"{\"\"x\"\":[1,2]}\"\n,\" plain\",\n");
    }
}
