//! `dehusk features`: the features of a page's nodes, for people to study.

use super::{Failure, Outcome};
use crate::args::Features;
use crate::{files, layout};
use dehusk::dom::{Document, Name, NodeId};
use dehusk::features::nodes::{DescribeOptions, column_names, describe, host_of};
use dehusk::{Extractor, Scratch};
use std::fmt::Write as _;

pub(super) fn features(args: &Features) -> Result<Outcome, Failure> {
    let extractor = Extractor::new(args.reading.options()).map_err(|error| Failure::new(error.to_string()))?;
    let bytes = files::read(&args.page, args.reading.max_bytes)?;
    let mut scratch = Scratch::default();
    let page = extractor
        .parse(&bytes, args.reading.content_type.as_deref(), &mut scratch)
        .map_err(|error| Failure::new(format!("{}: {error}", args.page.display())))?;
    let document = page.document;
    let layout = layout::of(document, &args.layout, args.url.as_deref())?;
    let options = DescribeOptions { least_area: args.least_area, host: args.url.as_deref().and_then(host_of) };
    let table = describe(document, &layout, options);
    let mut out = String::new();
    if !args.json {
        out.push_str("node,element");
        column_names().for_each(|name| {
            out.push(',');
            out.push_str(name);
        });
        out.push('\n');
    }
    for (id, row) in table.rows() {
        let element = element_name(document, id);
        if args.json {
            let mut record = serde_json::Map::new();
            record.insert("node".into(), id.0.into());
            record.insert("element".into(), element.into());
            for (name, value) in column_names().zip(row) {
                record.insert(name.into(), (*value).into());
            }
            let _ = writeln!(out, "{}", serde_json::Value::Object(record));
        } else {
            let _ = write!(out, "{},\"{}\"", id.0, element.replace('"', "'"));
            row.iter().for_each(|value| {
                let _ = write!(out, ",{value}");
            });
            out.push('\n');
        }
    }
    files::write_or_print(args.output.as_deref(), &out)?;
    Ok(Outcome::Done)
}

/// The name of an element as in `nav#menu.main`, on one line.
fn element_name(document: &Document, id: NodeId) -> String {
    let mut name = document.name_text(document.name(id)).to_string();
    if let Some(own) = document.attribute(id, Name::ID) {
        let _ = write!(name, "#{own}");
    }
    for class in document.attribute(id, Name::CLASS).unwrap_or_default().split_ascii_whitespace() {
        let _ = write!(name, ".{class}");
    }
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(80).collect()
}
