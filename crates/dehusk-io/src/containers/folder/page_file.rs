//! A page in a file of its own.

use crate::compression::InflatedStream;
use crate::containers::input_file::InputFile;
use crate::fault::{Fault, PageIdentity};
use crate::input_page::InputPage;
use crate::input_value::InputValue;
use crate::location::Location;
use crate::read_options::ReadOptions;

/// Reads one page file, inflating it if it is compressed.
pub(crate) fn open_page(
    file: &InputFile,
    url: String,
    location: Location,
    options: &ReadOptions,
) -> Result<InputPage, Fault> {
    let carried = options.carry.iter().map(|name| (name.clone(), InputValue::null())).collect();
    match read_file(file, &location, options) {
        Ok(html) => Ok(InputPage { url, id: None, html, content_type: None, carried, truncated: false, location }),
        Err(fault) => Err(fault.of_page(PageIdentity { url, id: None, carried })),
    }
}

/// The bytes of the page.
fn read_file(file: &InputFile, location: &Location, options: &ReadOptions) -> Result<Vec<u8>, Fault> {
    let opened = file.open().and_then(|file| InflatedStream::new(Box::new(file)));
    let mut stream = opened.map_err(|error| Fault::cannot_read(location.clone(), &error))?;
    let mut html = Vec::new();
    while stream.ensure(1) > 0 {
        let data = stream.data();
        if html.len() as u64 + data.len() as u64 > options.max_bytes {
            return Err(options.page_too_large(location.clone()));
        }
        html.extend_from_slice(data);
        stream.consume(data.len());
    }
    match stream.error() {
        Some(error) => Err(Fault::new(location.clone(), error.kind, error.message.clone())),
        None => Ok(html),
    }
}
