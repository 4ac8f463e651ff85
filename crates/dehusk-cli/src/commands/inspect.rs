//! `dehusk inspect`: the inspector in the browser.

use super::page::is_container;
use super::read_model;
use crate::args::Inspect;
use crate::outcome::{Failure, Outcome};
use crate::{files, printer};
use dehusk::Extractor;
use dehusk_server::inspect::saved_view;
use std::path::Path;

pub(super) fn inspect(args: &Inspect) -> Result<Outcome, Failure> {
    let options = args.detector.options(args.render.add_to(args.reading.options()))?;
    let extractor = read_model(Extractor::new(options)?, args.detector.model.as_deref())?;
    match &args.save {
        Some(output) => save(args, &extractor, output),
        None => Err(Failure::new("not there yet")),
    }
}

/// Writes the view of one page to a file.
fn save(args: &Inspect, extractor: &Extractor, output: &Path) -> Result<Outcome, Failure> {
    let path = &args.inputs[0];
    if args.inputs.len() > 1 || is_container(path) {
        return Err(Failure::about(path, "--save writes the view of one page: name a single HTML file"));
    }
    let bytes = files::read(path, args.reading.max_bytes)?;
    let url = args.url.as_deref();
    let page = args.reading.page(&bytes).with_url(url);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let view = saved_view(extractor, page, &name, url, None).map_err(|error| Failure::about(path, error))?;
    files::write(output, view.as_bytes())?;
    printer::note(&format!("written to {}", output.display()));
    Ok(Outcome::Done)
}
