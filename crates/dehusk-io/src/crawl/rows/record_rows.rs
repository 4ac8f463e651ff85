//! What is written of the records of a page.
//!
//! Input: an extraction. Output: its row with all groups, a row for each record, or Markdown.

use crate::containers::csv_text;
use crate::crawl::counts::tally::PageTally;
use crate::crawl::page_ref::PageRef;
use crate::crawl::record_format::{KNOWN_COLUMNS, RecordFields, RecordFormat, RecordOutput};
use crate::crawl::rows::row_columns::{InputColumns, PageFields, RowColumns, RowValues};
use crate::error::{Error, ErrorKind};
use dehusk::records::{PageRecords, Record, RecordGroup, render_records_json};
use dehusk::render::{content_records, render_records_markdown};
use dehusk::{Extraction, Flag};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What the rows of a page may repeat of its id, URL and carried columns: this many bytes, and this many for each byte of the page.
const REPEATED_BYTES: usize = 16 << 20;
const REPEATED_BYTES_PER_BYTE: usize = 16;

impl RecordOutput {
    /// The file of a page.
    ///
    /// # Errors
    /// If the format is Parquet, which is not text.
    pub fn render(self, extraction: &Extraction<'_>, url: &str) -> Result<String, Error> {
        if self.format == RecordFormat::Parquet {
            return Err(Error::new(ErrorKind::InvalidOptions, "Parquet is not text: name a .parquet file"));
        }
        let columns = RowColumns::of_records(self.format, true, InputColumns::default());
        let page = PageRef::new(url, extraction.document().source().as_bytes());
        let mut tally = PageTally::default();
        tally.flags.extend(extraction.flags().into_iter().map(Flag::name));
        Ok(self.contents(&columns, &page, extraction, &mut tally))
    }

    /// The lines of a page, and what is counted of them. A page without records may have none.
    pub(crate) fn lines(
        self,
        columns: &RowColumns,
        page: &PageRef<'_>,
        extraction: &Extraction<'_>,
        tally: &mut PageTally,
    ) -> Vec<u8> {
        if self.format == RecordFormat::Markdown || columns.rows_of_file().is_some() {
            let contents = vec![self.contents(columns, page, extraction, tally)];
            return line(columns, page, tally, PageFields { contents, ..PageFields::default() });
        }
        let found = self.find(extraction, tally);
        let json = render_records_json(extraction.document(), &found);
        match self.format {
            RecordFormat::Jsonl => {
                let Some(WholePage { groups, cuts }) = parsed(&json) else { return Vec::new() };
                add_flags(&cuts, tally);
                let fields = PageFields { groups: Some(groups.get().to_string()), ..PageFields::default() };
                line(columns, page, tally, fields)
            }
            _ => record_lines(columns, page, &found, &json, tally),
        }
    }

    /// What is written of a page where it becomes a file of its own.
    fn contents(
        self,
        columns: &RowColumns,
        page: &PageRef<'_>,
        extraction: &Extraction<'_>,
        tally: &mut PageTally,
    ) -> String {
        match (self.format, columns.rows_of_file()) {
            (RecordFormat::Markdown, _) | (_, None) => {
                let title = extraction.title().filter(|title| !title.trim().is_empty());
                render_records_markdown(title.as_deref().unwrap_or(page.url), &self.find(extraction, tally))
            }
            (format, Some(rows)) => {
                let lines = self.lines(rows, page, extraction, tally);
                match format {
                    RecordFormat::Csv => csv_text(&lines, &rows.schema()).unwrap_or_default(),
                    _ => String::from_utf8(lines).unwrap_or_default(),
                }
            }
        }
    }

    fn find(self, extraction: &Extraction<'_>, tally: &mut PageTally) -> PageRecords {
        let found = extraction.records();
        let found = if self.all { found } else { content_records(found) };
        tally.records = found.groups.iter().map(|group| group.records.len() as u64).sum();
        found
    }
}

/// The JSON of the records of a page.
#[derive(Deserialize)]
struct WholePage<'a> {
    #[serde(borrow)]
    groups: &'a RawValue,
    cuts: Vec<&'a str>,
}

/// The same, record by record.
#[derive(Deserialize)]
struct PageOfRecords<'a> {
    #[serde(borrow)]
    groups: Vec<GroupOfRecords<'a>>,
    cuts: Vec<&'a str>,
}

#[derive(Deserialize)]
struct GroupOfRecords<'a> {
    #[serde(borrow)]
    records: Vec<RecordJson<'a>>,
}

#[derive(Deserialize)]
struct RecordJson<'a> {
    #[serde(borrow)]
    text: &'a RawValue,
    #[serde(borrow)]
    fields: &'a RawValue,
    #[serde(borrow)]
    xpath: &'a RawValue,
}

/// Not JSON only if the writer of records and these types disagree.
fn parsed<'a, T: Deserialize<'a>>(json: &'a str) -> Option<T> {
    let parsed = serde_json::from_str(json);
    debug_assert!(parsed.is_ok(), "{:?}", parsed.err());
    parsed.ok()
}

fn add_flags(cuts: &[&str], tally: &mut PageTally) {
    for (cut, flag) in [("records", Flag::CutRecords), ("paths", Flag::CutPaths)] {
        if cuts.contains(&cut) && !tally.flags.contains(&flag.name()) {
            tally.flags.push(flag.name());
        }
    }
}

/// A line for each record.
fn record_lines(
    columns: &RowColumns,
    page: &PageRef<'_>,
    found: &PageRecords,
    json: &str,
    tally: &mut PageTally,
) -> Vec<u8> {
    let Some(PageOfRecords { groups, cuts }) = parsed(json) else { return Vec::new() };
    add_flags(&cuts, tally);
    // Every row repeats what is known of the page, which may be long.
    let repeated = line(columns, page, tally, PageFields::default()).len();
    let most = (REPEATED_BYTES + REPEATED_BYTES_PER_BYTE * page.html.len()) / repeated.max(1);
    if tally.records > most as u64 {
        add_flags(&["records"], tally);
        tally.records = most as u64;
    }
    let records = found.groups.iter().zip(&groups).enumerate().flat_map(|(number, (group, parts))| {
        let records = group.records.iter().zip(&parts.records).enumerate();
        records.map(move |(record, (fields, json))| record_fields(group, fields, json, (number, record)))
    });
    let mut lines = Vec::new();
    for record in records.take(most) {
        lines.extend(line(columns, page, tally, PageFields { record: Some(record), ..PageFields::default() }));
    }
    lines
}

fn record_fields(
    group: &RecordGroup,
    record: &Record,
    json: &RecordJson<'_>,
    (number, at): (usize, usize),
) -> RecordFields {
    let known = KNOWN_COLUMNS.map(|(name, _)| {
        let column = group.columns.iter().position(|column| column == name)?;
        let values = record.values(column);
        (!values.is_empty()).then(|| values.join("\n"))
    });
    let name = |column: usize| group.columns.get(column).cloned().unwrap_or_default();
    RecordFields {
        group: number,
        record: at,
        kind: group.kind.name(),
        is_content: group.is_content,
        known,
        pairs: record.fields.iter().map(|field| (name(field.column), field.values.clone())).collect(),
        text: json.text.get().to_string(),
        fields: json.fields.get().to_string(),
        xpath: json.xpath.get().to_string(),
    }
}

fn line(columns: &RowColumns, page: &PageRef<'_>, tally: &PageTally, fields: PageFields) -> Vec<u8> {
    columns.line(&RowValues {
        id: page.id,
        url: page.url,
        tally,
        page: fields,
        error_message: None,
        carried: page.carried,
    })
}
