//! `dehusk segment`: the segments of a page or of many, as records or pictures.

use super::MAX_MODEL_BYTES;
use super::clean;
use super::page::{is_container, is_record_file, note_limits_hit, refuse_report};
use crate::args::{Segment, SegmentFormat};
use crate::outcome::{Failure, Outcome};
use crate::{files, layout, printer};
use dehusk::{Extractor, Model, SegmentedPage, Segmenter};
use dehusk_io::crawl::{Crawl, SegmentOutput};
use std::ffi::OsStr;
use std::path::Path;

pub(super) fn segment(args: &Segment) -> Result<Outcome, Failure> {
    let many = args.inputs.len() > 1 || is_container(&args.inputs[0]);
    match &args.output {
        Some(output) if many || is_record_file(output) => {
            clean::with_output(output, &args.again, |to| segment_all(args, to))
        }
        None if many => Err(Failure::about(&args.inputs[0], "more than one page: name an output with -o")),
        _ => segment_page(args),
    }
}

fn segment_page(args: &Segment) -> Result<Outcome, Failure> {
    refuse_report(&args.run)?;
    let path = &args.inputs[0];
    let segmenter = segmenter(args)?;
    let bytes = files::read(path, args.reading.max_bytes)?;
    let boxes = layout::boxes(&bytes, args.reading.content_type.as_deref(), &args.layout, args.url.as_deref())?;
    let page = args.reading.page(&bytes).with_url(args.url.as_deref()).with_boxes(boxes.as_ref());
    let found = segmenter.segment(page).map_err(|error| Failure::about(path, error))?;
    note_limits_hit(path, &found.document);
    if !found.segmentation.is_complete {
        printer::note(&format!("dehusk: {}: the search was stopped by its limit of work", path.display()));
    }
    let text = match args.format {
        SegmentFormat::Json => record(&found, args.url.as_deref()),
        SegmentFormat::Html => found.to_html(),
        SegmentFormat::Svg => found.to_svg(),
    };
    files::write_or_print(args.output.as_deref(), &text)?;
    Ok(Outcome::Done)
}

/// The record of a page, with the keys that records of many pages have.
fn record(found: &SegmentedPage, url: Option<&str>) -> String {
    let url = url.map_or("null".to_string(), |url| serde_json::json!(url).to_string());
    let json = found.to_json();
    let members = json.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    format!("{{\"id\":null,\"url\":{url},{members},\"error\":null,\"error_message\":null}}\n")
}

/// Every page of the inputs.
fn segment_all(args: &Segment, output: &Path) -> Result<Outcome, Failure> {
    if args.layout.layout != Path::new("estimate") {
        return Err(Failure::new("--layout goes with a single page; the boxes of many pages are estimated"));
    }
    let format = match args.format {
        SegmentFormat::Json => SegmentOutput::Rows,
        SegmentFormat::Html => SegmentOutput::Html,
        SegmentFormat::Svg => SegmentOutput::Svg,
    };
    let is_file = is_record_file(output) || matches!(output.extension().and_then(OsStr::to_str), Some("html" | "svg"));
    if format != SegmentOutput::Rows && is_file {
        return Err(Failure::about(
            output,
            "pictures of several pages go to a folder: name one with -o, such as -o pictures",
        ));
    }
    let crawl = Crawl::new(Extractor::new(args.reading.options())?, args.inputs.clone(), output)
        .with_segmenter(segmenter(args)?, format)
        .with_threads(args.run.threads)
        .with_read_options(args.columns.options(&args.reading))
        .with_resume(args.again.resume);
    clean::run(&crawl, &args.run)
}

pub(crate) fn segmenter(args: &Segment) -> Result<Segmenter, Failure> {
    let segmenter =
        Segmenter::new(args.method).with_limits(args.reading.limits()).with_scripting(args.reading.scripting);
    let Some(path) = args.model.as_deref().filter(|path| *path != Path::new("builtin")) else { return Ok(segmenter) };
    let model = Model::from_bytes(&files::read(path, MAX_MODEL_BYTES)?).map_err(|error| Failure::about(path, error))?;
    match model {
        Model::Segment(model) => Ok(segmenter.with_model(*model)),
        other => Err(Failure::about(path, format!("this model is of the kind {}, not segment", other.kind()))),
    }
}
