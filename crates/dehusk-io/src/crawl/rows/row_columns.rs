//! The columns of a row: for each its key, its type and its value.
//!
//! The JSON line of a page, the line of a page that failed and the schema of Parquet all follow from this one list.

use crate::containers::{Column, ColumnType, OutputSchema, TypedColumn};
use crate::crawl::counts::tally::PageTally;
use crate::crawl::job::SegmentOutput;
use crate::crawl::record_format::{KNOWN_COLUMNS, RecordFields, RecordFormat};
use crate::input_value::InputValue;
use dehusk::{Metadata, OutputFormat};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the values of one row are taken from. Everything about the page itself is empty if it failed.
pub(crate) struct RowValues<'a> {
    pub(crate) id: Option<&'a InputValue>,
    pub(crate) url: &'a str,
    pub(crate) tally: &'a PageTally,
    pub(crate) page: PageFields,
    pub(crate) error_message: Option<&'a str>,
    pub(crate) carried: &'a [(String, InputValue)],
}

/// What a row says about a page.
#[derive(Default)]
pub(crate) struct PageFields {
    pub(crate) title: Option<String>,
    pub(crate) metadata: Option<Metadata>,
    /// The content in each format, or the picture of its segments.
    pub(crate) contents: Vec<String>,
    pub(crate) confidence: Option<f32>,
    pub(crate) page_type: Option<&'static str>,
    pub(crate) encoding: Option<&'static str>,
    /// What was found of its segments; null unless the job writes segments.
    pub(crate) segments: Value,
    /// The JSON of its groups of records, if the job writes records of pages.
    pub(crate) groups: Option<String>,
    /// One of its records, if the job writes a row for each.
    pub(crate) record: Option<RecordFields>,
}

/// The columns of all rows of a run.
pub(crate) struct RowColumns {
    columns: Vec<RowColumn>,
    /// In a folder, the columns that become files, with the ending of their names.
    files: Vec<(&'static str, &'static str)>,
    /// Where a file has the rows of a page, the columns of these.
    rows_of_file: Option<Box<RowColumns>>,
}

struct RowColumn {
    column: Column,
    /// The type of the column in the Parquet inputs, if the output keeps it.
    typed: Option<Arc<TypedColumn>>,
    write: Box<WriteValue>,
}

/// The values that a row takes from its input: their names, and their types in the Parquet inputs if the output keeps them.
#[derive(Default)]
pub(crate) struct InputColumns<'a> {
    pub(crate) id: Option<Arc<TypedColumn>>,
    /// Whether rows say what a page is called: its address, or where it was read.
    pub(crate) names: bool,
    pub(crate) carry: Vec<(&'a str, Option<Arc<TypedColumn>>)>,
}

/// Appends the JSON of a value.
type WriteValue = dyn Fn(&RowValues<'_>, &mut Vec<u8>) + Send + Sync;

impl RowColumns {
    /// The columns for formats of the content, with or without metadata, and with the fields to carry over.
    pub(crate) fn new(formats: &[OutputFormat], metadata: bool, inputs: InputColumns<'_>) -> RowColumns {
        use ColumnType::{F64, I64, Json, Utf8};
        let files = formats.iter().map(|format| match format {
            OutputFormat::Markdown => ("markdown", ".md"),
            OutputFormat::Html => ("html", ".html"),
            OutputFormat::Json => ("page", ".json"),
            OutputFormat::Records => ("records", ".records.json"),
            _ => ("text", ".txt"),
        });
        let mut list = RowColumns { columns: Vec::new(), files: files.collect(), rows_of_file: None };
        list.add_input("id", inputs.id.clone(), |row| row.id);
        list.add("url", Utf8, |row, out| json(out, row.url));
        list.add("host", Utf8, |row, out| json(out, &row.tally.site));
        if metadata {
            for (number, name) in Metadata::NAMES.into_iter().enumerate() {
                list.add(name, Utf8, move |row, out| {
                    let metadata = row.page.metadata.as_ref();
                    json(out, &metadata.and_then(|metadata| Some(&metadata.fields()[number].1?.value)));
                });
            }
            list.add("metadata_sources", Json, |row, out| json(out, &metadata_sources(row)));
        } else {
            list.add("title", Utf8, |row, out| json(out, &row.page.title));
        }
        for (number, format) in formats.iter().enumerate() {
            let key = list.files[number].0;
            if matches!(format, OutputFormat::Json | OutputFormat::Records) {
                list.add(key, Json, move |row, out| match row.page.contents.get(number) {
                    Some(content) => out.extend_from_slice(content.trim_end().as_bytes()),
                    None => json(out, &Value::Null),
                });
            } else {
                list.add(key, Utf8, move |row, out| json(out, &row.page.contents.get(number)));
            }
        }
        list.add("confidence", F64, |row, out| json(out, &row.page.confidence.map(rounded)));
        list.add("page_type", Utf8, |row, out| json(out, &row.page.page_type));
        list.add("kept_characters", I64, |row, out| json(out, &(row.tally.characters - row.tally.dropped)));
        list.add("dropped_characters", I64, |row, out| json(out, &row.tally.dropped));
        list.add("template_pages", I64, |row, out| json(out, &row.tally.template_pages));
        list.add("template", I64, |row, out| json(out, &row.tally.fit.and_then(|fit| fit.template)));
        list.add("template_fit", F64, |row, out| json(out, &row.tally.fit.map(|fit| rounded(fit.fit))));
        list.add("encoding", Utf8, |row, out| json(out, &row.page.encoding));
        list.add("flags", Json, |row, out| json(out, &row.tally.flags));
        list.add_errors_and_carried(inputs);
        list
    }

    /// The columns for the segments of pages. If every page becomes a file, its whole row is in one column, or its picture.
    pub(crate) fn of_segments(output: SegmentOutput, in_folder: bool, inputs: InputColumns<'_>) -> RowColumns {
        use ColumnType::{Bool, Json, Utf8};
        let (content_key, suffix) = match output {
            SegmentOutput::Rows => ("row", ".json"),
            SegmentOutput::Html => ("picture", ".html"),
            SegmentOutput::Svg => ("picture", ".svg"),
        };
        let mut list = RowColumns { columns: Vec::new(), files: vec![(content_key, suffix)], rows_of_file: None };
        list.add_input("id", inputs.id.clone(), |row| row.id);
        list.add("url", Utf8, |row, out| json(out, row.url));
        if output != SegmentOutput::Rows {
            list.add(content_key, Utf8, |row, out| json(out, &row.page.contents.first()));
            return list;
        }
        for (key, kind) in [("method", Utf8), ("is_complete", Bool), ("page", Json), ("segments", Json)] {
            list.add(key, kind, move |row, out| json(out, &row.page.segments[key]));
            if key == "is_complete" {
                list.add("flags", Json, |row, out| json(out, &row.tally.flags));
            }
        }
        list.add_errors_and_carried(inputs);
        if in_folder {
            let whole = list;
            list = RowColumns { columns: Vec::new(), files: vec![(content_key, suffix)], rows_of_file: None };
            list.add("url", Utf8, |row, out| json(out, row.url));
            list.add(content_key, Json, move |row, out| out.extend_from_slice(whole.line(row).trim_ascii_end()));
        }
        list
    }

    /// The columns for the records of pages. If every page becomes a file, its rows or its Markdown are in one column.
    pub(crate) fn of_records(format: RecordFormat, in_folder: bool, inputs: InputColumns<'_>) -> RowColumns {
        use ColumnType::{Json, Utf8};
        if format == RecordFormat::Markdown || in_folder {
            let rows =
                (format != RecordFormat::Markdown).then(|| Box::new(RowColumns::of_records(format, false, inputs)));
            let suffix = if format == RecordFormat::Jsonl { ".json" } else { format.ending() };
            let mut list = RowColumns { columns: Vec::new(), files: vec![("records", suffix)], rows_of_file: rows };
            list.add("url", Utf8, |row, out| json(out, row.url));
            list.add("records", Utf8, |row, out| json(out, &row.page.contents.first()));
            return list;
        }
        let mut list = RowColumns { columns: Vec::new(), files: vec![("text", ".txt")], rows_of_file: None };
        list.add_input("id", inputs.id.clone(), |row| row.id);
        list.add("url", Utf8, |row, out| json(out, row.url));
        match format {
            RecordFormat::Jsonl => list.add("groups", Json, |row, out| raw(out, row.page.groups.as_deref())),
            _ => list.add_record(format),
        }
        list.add("flags", Json, |row, out| json(out, &row.tally.flags));
        list.add_errors_and_carried(inputs);
        list
    }

    /// The columns of one record.
    fn add_record(&mut self, format: RecordFormat) {
        use ColumnType::{Bool, I64, Json, Map, Utf8};
        self.add_of_record("group", I64, |record, out| json(out, &record.group));
        self.add_of_record("kind", Utf8, |record, out| json(out, record.kind));
        self.add_of_record("is_content", Bool, |record, out| json(out, &record.is_content));
        self.add_of_record("record", I64, |record, out| json(out, &record.record));
        for (number, (_, key)) in KNOWN_COLUMNS.into_iter().enumerate() {
            self.add_of_record(key, Utf8, move |record, out| json(out, &record.known[number]));
        }
        self.add_of_record("text", Utf8, |record, out| raw(out, Some(&record.text)));
        match format {
            RecordFormat::Parquet => self.add_of_record("fields", Map, |record, out| json(out, &record.pairs)),
            _ => self.add_of_record("fields", Json, |record, out| raw(out, Some(&record.fields))),
        }
        self.add_of_record("xpath", Utf8, |record, out| raw(out, Some(&record.xpath)));
    }

    /// Adds a column of one record, null where there is none.
    fn add_of_record(
        &mut self,
        key: &str,
        kind: ColumnType,
        write: impl Fn(&RecordFields, &mut Vec<u8>) + Send + Sync + 'static,
    ) {
        self.add(key, kind, move |row, out| match &row.page.record {
            Some(record) => write(record, out),
            None => raw(out, None),
        });
    }

    /// The columns of the rows that a file has, if files have rows.
    pub(crate) fn rows_of_file(&self) -> Option<&RowColumns> {
        self.rows_of_file.as_deref()
    }

    fn add_errors_and_carried(&mut self, inputs: InputColumns<'_>) {
        self.add("error", ColumnType::Utf8, |row, out| json(out, &row.tally.error));
        self.add("error_message", ColumnType::Utf8, |row, out| json(out, &row.error_message));
        if inputs.names {
            self.add("name", ColumnType::Utf8, |row, out| json(out, &row.tally.address));
        }
        for (number, (name, typed)) in inputs.carry.into_iter().enumerate() {
            // A carried field keeps its name unless the row has a key of that name.
            let mut key = name.to_string();
            while self.columns.iter().any(|other| other.column.name == key) {
                key = format!("carried_{key}");
            }
            self.add_input(&key, typed, move |row| row.carried.get(number).map(|(_, value)| value));
        }
    }

    /// Adds a column with a value of the input.
    fn add_input(
        &mut self,
        key: &str,
        typed: Option<Arc<TypedColumn>>,
        value: impl for<'a> Fn(&RowValues<'a>) -> Option<&'a InputValue> + Send + Sync + 'static,
    ) {
        let column = Column::new(key, ColumnType::Input);
        let writer = typed.clone();
        let write = move |row: &RowValues<'_>, out: &mut Vec<u8>| match (value(row), &writer) {
            (None, _) => out.extend_from_slice(b"null"),
            (Some(value), Some(typed)) => typed.write(value, out),
            (Some(value), None) => out.extend_from_slice(value.json().as_bytes()),
        };
        self.columns.push(RowColumn { column, typed, write: Box::new(write) });
    }

    fn add(
        &mut self,
        key: &str,
        kind: ColumnType,
        write: impl Fn(&RowValues<'_>, &mut Vec<u8>) + Send + Sync + 'static,
    ) {
        let column = Column::new(key, kind);
        self.columns.push(RowColumn { column, typed: None, write: Box::new(write) });
    }

    /// The line of a row.
    pub(crate) fn line(&self, row: &RowValues<'_>) -> Vec<u8> {
        let mut line = vec![b'{'];
        for (number, RowColumn { column, write, .. }) in self.columns.iter().enumerate() {
            if number > 0 {
                line.push(b',');
            }
            json(&mut line, &column.name);
            line.push(b':');
            write(row, &mut line);
        }
        line.extend_from_slice(b"}\n");
        line
    }

    /// The keys of a row, in their order; those of carried columns come last.
    pub(crate) fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.columns.iter().map(|column| column.column.name.as_str())
    }

    /// The schema of the output.
    pub(crate) fn schema(&self) -> OutputSchema {
        let columns = self.columns.iter().map(|column| column.column.clone()).collect();
        let typed = self.columns.iter().map(|column| column.typed.clone()).collect();
        OutputSchema::new(columns).with_files(self.files.iter().copied()).with_typed(typed)
    }
}

fn json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // Writing strings and numbers to memory cannot fail.
    let _ = serde_json::to_writer(out, value);
}

/// Appends what is JSON already.
fn raw(out: &mut Vec<u8>, value: Option<&str>) {
    out.extend_from_slice(value.unwrap_or("null").as_bytes());
}

/// Where the metadata of a page was found, by field.
fn metadata_sources(row: &RowValues<'_>) -> BTreeMap<&'static str, &'static str> {
    let fields = row.page.metadata.iter().flat_map(Metadata::fields);
    fields.filter_map(|(name, field)| Some((name, field?.source.name()))).collect()
}

/// A number between 0 and 1 to three digits.
fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1000.0).round() / 1000.0
}
