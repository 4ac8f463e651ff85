//! `dehusk features`: the features of a page's nodes, for people to study.

use crate::args::Features;
use crate::outcome::{Failure, Outcome};
use crate::{files, layout};
use dehusk::dom::{Document, Name, NodeId};
use dehusk::{Extractor, Page, Scratch};
use dehusk_options::definitions::{CONTENT_TYPE, LAYOUT, MAX_BYTES, OUTPUT_FILE};
use dehusk_papers::layout::estimate;
use dehusk_papers::pagelevel::features::{DescribeOptions, column_names, describe, host_of};
use std::fmt::Write as _;

pub(super) fn features(args: &Features) -> Result<Outcome, Failure> {
    let extractor = Extractor::new(args.options.reading())?;
    let bytes = files::read(&args.page, args.options.size(&MAX_BYTES))?;
    let (url, content_type) = (args.url.as_deref(), args.options.text(&CONTENT_TYPE));
    let mut scratch = Scratch::default();
    let page = Page::new(&bytes).with_content_type(content_type.as_deref());
    let page = extractor.parse(page, &mut scratch).map_err(|error| Failure::about(&args.page, error))?;
    let document = page.document;
    let layout = match layout::boxes(&bytes, &args.options, url)? {
        Some(boxes) => boxes
            .layout(document)
            .map_err(|error| Failure::about(args.options.path(&LAYOUT).unwrap_or(&args.page), error))?,
        None => estimate(document),
    };
    let options = DescribeOptions { min_area: args.least_area, host: url.and_then(host_of) };
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
            // A quotation mark would end the cell.
            let _ = write!(out, "{},\"{}\"", id.0, element.replace('"', "'"));
            row.iter().for_each(|value| {
                let _ = write!(out, ",{value}");
            });
            out.push('\n');
        }
    }
    files::write_or_print(args.options.path(&OUTPUT_FILE), &out)?;
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
