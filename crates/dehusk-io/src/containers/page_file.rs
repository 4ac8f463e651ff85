//! A page in a file of its own.

use serde_json::Value;

use crate::compression::InflatedStream;
use crate::containers::input_file::InputFile;
use crate::fault::Fault;
use crate::location::Location;
use crate::read_options::ReadOptions;
use crate::record::Record;

/// Reads one page file, inflating it if it is compressed.
pub(crate) fn open_page(
    file: &InputFile,
    url: String,
    location: Location,
    options: &ReadOptions,
) -> Result<Record, Fault> {
    let opened = file.open().and_then(|file| InflatedStream::new(Box::new(file)));
    let mut stream = opened.map_err(|error| Fault::cannot_read(location.clone(), &error))?;
    let mut html = Vec::new();
    while stream.ensure(1) > 0 {
        let data = stream.data();
        if html.len() as u64 + data.len() as u64 > options.max_bytes {
            return Err(options.page_too_large(location));
        }
        html.extend_from_slice(data);
        stream.consume(data.len());
    }
    if let Some(error) = stream.error() {
        return Err(Fault::new(location, error.kind, error.message.clone()));
    }
    let carried = options.carry.iter().map(|name| (name.clone(), Value::Null)).collect();
    Ok(Record { url, id: None, html, content_type: None, carried, truncated: false, location })
}
