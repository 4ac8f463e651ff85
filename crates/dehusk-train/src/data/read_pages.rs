//! Reads all pages of inputs into memory, each converted to the type that is needed.

use dehusk_io::{Error, Fault, InputPage, Inputs, ReadOptions};
use std::path::PathBuf;

/// Reads all pages. Those that cannot be read or converted are left out and given to `skipped`; it is an error if none is left.
pub(crate) fn read_pages<T>(
    inputs: &[PathBuf],
    read: &ReadOptions,
    mut skipped: impl FnMut(&Fault),
    convert: impl Fn(InputPage) -> Result<T, Fault>,
) -> Result<Vec<T>, Error> {
    let inputs = Inputs::new(inputs)?;
    let mut source = inputs.open(read);
    let (mut pages, mut first_fault) = (Vec::new(), None);
    while let Some(item) = source.next() {
        match item.and_then(|raw| raw.open(read)).and_then(&convert) {
            Ok(page) => pages.push(page),
            Err(fault) => {
                skipped(&fault);
                first_fault.get_or_insert(fault);
            }
        }
    }
    match first_fault {
        Some(fault) if pages.is_empty() => Err(Error::other(fault.to_string())),
        None if pages.is_empty() => Err(Error::other("the inputs hold no page")),
        _ => Ok(pages),
    }
}

/// The id of an input page as a text, or its place in the input if it has none.
pub(crate) fn id_of(record: &InputPage) -> String {
    match &record.id {
        Some(id) => id.as_text().unwrap_or_else(|| id.to_string()),
        None => record.location.to_string(),
    }
}
