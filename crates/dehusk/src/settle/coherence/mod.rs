//! Makes decisions coherent: what belongs together is kept or dropped together.
//!
//! Input: the detection of any detector, which decided text by text. Each rule keeps or drops whole parts: cells of a table, code between
//! paragraphs, items of a list, headings, the name, price, author and date of a record, and each field of similar records. No rule reads a
//! score, and every rule is monotone: if a detection keeps more, so does the result. Each takes time linear in the page.

mod code;
mod columns;
mod headings;
mod lists;
mod prose;
mod records;
mod revision;
mod tables;

use crate::detection::Detection;
use crate::dom::Document;
use revision::Revision;

/// Makes the decisions about a page coherent.
pub(crate) fn make_coherent(document: &Document, detection: &mut Detection) {
    let Some(mut page) = Revision::new(document, detection) else { return };
    tables::keep_tables_in_shape(&mut page);
    code::keep_code(&mut page);
    lists::keep_lists(&mut page);
    page.count_kept();
    prose::keep_prose(&mut page);
    page.count_kept();
    records::keep_records(&mut page);
    headings::keep_headings(&mut page);
    page.count_kept();
    let fields = columns::decide_columns(&mut page);
    page.count_kept();
    headings::drop_empty_headings(&mut page, &fields);
    page.keep_white_space();
    page.finish();
}

#[cfg(test)]
mod tests;
