//! What the inspector shows of the records of a page: the elements of each group, and its columns as a table.
//!
//! Takes an extraction and returns a JSON value of bounded size, which says how much it leaves out.

use dehusk::Extraction;
use dehusk::records::{Record, RecordGroup};
use serde_json::{Value, json};

/// Records that are shown of all groups together, and columns of a group.
const MAX_RECORDS: usize = 1000;
const MAX_COLUMNS: usize = 24;
/// Characters of a value.
const MAX_VALUE: usize = 160;

/// The groups of records of a page.
pub(super) fn records_view(extraction: &Extraction<'_>) -> Value {
    let mut left = MAX_RECORDS;
    let mut groups = Vec::new();
    for group in extraction.records().groups {
        if left == 0 {
            break;
        }
        groups.push(group_view(&group, left));
        left -= left.min(group.records.len());
    }
    Value::Array(groups)
}

fn group_view(group: &RecordGroup, most: usize) -> Value {
    let columns = group.columns.len().min(MAX_COLUMNS);
    let value = |record: &Record, column: usize| {
        let mut letters = record.values(column).iter().flat_map(|value| value.chars().chain(['\n']));
        let shown: String = letters.by_ref().take(MAX_VALUE).collect();
        let rest = if letters.any(|c| c != '\n') { "…" } else { "" };
        format!("{}{rest}", shown.trim_end())
    };
    let row = |record: &Record| {
        json!({
            "nodes": record.nodes.iter().map(|id| id.0).collect::<Vec<_>>(),
            "values": (0..columns).map(|column| value(record, column)).collect::<Vec<_>>(),
        })
    };
    json!({
        "kind": group.kind.name(),
        "node": group.node.0,
        "is_content": group.is_content,
        "count": group.records.len(),
        "columns": &group.columns[..columns],
        "columns_cut": columns < group.columns.len(),
        "records": group.records.iter().take(most).map(row).collect::<Vec<_>>(),
    })
}
