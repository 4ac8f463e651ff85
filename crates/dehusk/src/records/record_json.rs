//! The JSON object of the records of a page.
//!
//! Keys are in a fixed order. Paths are null once the limit on their total length is used up, and `cuts` says so.

use super::page_records::{Field, PageRecords, RecordGroup};
use crate::dom::{Document, NodeId, Paths};
use crate::json::JsonWriter;

/// Maximum number of bytes of paths per byte of the page, and what any page may have: every path names all ancestors.
const PATH_BYTES_PER_BYTE: usize = 4;
const PATH_BYTES: usize = 64 << 10;

/// Renders the records of a page as one JSON object, on one line.
pub fn render_records_json(document: &Document, records: &PageRecords) -> String {
    let mut out = String::new();
    append_records_json(document, records, &mut out);
    out
}

/// Appends the records of a page as one JSON object, on one line: `{"groups": [{"kind", "xpath", "is_content", "columns": […],
/// "records": [{"text", "fields": {column: value or [values]}, "xpath"}]}], "cuts": […]}`. `cuts` has `records` if a limit was hit while
/// they were found, and `paths` if paths were left out.
pub fn append_records_json(document: &Document, records: &PageRecords, out: &mut String) {
    let mut json = JsonWriter::new(out);
    json.open('{');
    json.key("groups").open('[');
    let room = PATH_BYTES + PATH_BYTES_PER_BYTE * document.source().len();
    // Without records there are no paths, and the page need not be scanned for them.
    let paths = (!records.groups.is_empty()).then(|| Paths::new(document));
    let mut writer = PathWriter { document, paths, buffer: String::new(), room, is_cut: false };
    for group in &records.groups {
        append_group(group, &mut writer, &mut json);
    }
    json.close(']');
    json.key("cuts").open('[');
    for (is_cut, name) in [(records.is_cut, "records"), (writer.is_cut, "paths")] {
        if is_cut {
            json.string(name);
        }
    }
    json.close(']');
    json.close('}');
}

fn append_group(group: &RecordGroup, paths: &mut PathWriter<'_>, json: &mut JsonWriter<'_>) {
    json.open('{');
    json.key("kind").string(group.kind.name());
    paths.append(group.node, json);
    json.key("is_content").boolean(group.is_content);
    json.key("columns").open('[');
    group.columns.iter().for_each(|column| json.string(column));
    json.close(']');
    json.key("records").open('[');
    for record in &group.records {
        json.open('{');
        json.key("text").string(&record.text);
        json.key("fields").open('{');
        for Field { column, values } in &record.fields {
            json.key(&group.columns[*column]);
            match values.as_slice() {
                [value] => json.string(value),
                values => {
                    json.open('[');
                    values.iter().for_each(|value| json.string(value));
                    json.close(']');
                }
            }
        }
        json.close('}');
        paths.append(record.nodes.first().copied().unwrap_or_default(), json);
        json.close('}');
    }
    json.close(']');
    json.close('}');
}

/// Writes XPaths until there is no more room.
struct PathWriter<'a> {
    document: &'a Document,
    paths: Option<Paths<'a>>,
    buffer: String,
    /// Number of bytes of paths that may still be written.
    room: usize,
    is_cut: bool,
}

impl PathWriter<'_> {
    fn append(&mut self, id: NodeId, json: &mut JsonWriter<'_>) {
        json.key("xpath");
        // A step has at least four bytes; a path that cannot fit is not built.
        match &self.paths {
            Some(paths) if 4 * self.document.depth(id) <= self.room => {
                self.buffer.clear();
                paths.append_xpath(id, &mut self.buffer);
                self.room = self.room.saturating_sub(self.buffer.len());
                json.string(&self.buffer);
            }
            _ => {
                self.is_cut = true;
                json.null();
            }
        }
    }
}
