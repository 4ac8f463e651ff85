//! `dehusk extract`, `strip` and `explain`: one page.

use super::detect::Knowledge;
use super::{Failure, Outcome, clean};
use crate::args::{Explain, Extract, Reading, Strip, Template};
use crate::{files, printer};
use dehusk::{Analysis, Extractor, PageVerdict, Scratch, TemplateFit, output};
use std::ffi::OsStr;
use std::path::Path;

pub(super) fn extract(args: &Extract) -> Result<Outcome, Failure> {
    if let Some(output) = &args.output
        && (args.inputs.len() > 1 || is_container(&args.inputs[0]) || is_many(output))
    {
        return clean::extract_all(args, output);
    }
    if args.inputs.len() > 1 || is_container(&args.inputs[0]) {
        return Err(Failure::new(format!("{}: more than one page: name an output with -o", args.inputs[0].display())));
    }
    with_page(&args.inputs[0], &args.template, &args.reading, |analysis| {
        let format = args.render.format.output_format();
        let result = analysis.result(format, args.render.options(), args.render.metadata).with_front_matter(format);
        if let Some(source) = result.fallback {
            printer::note(&format!("dehusk: hardly any text is visible; this is not from it ({})", source.flag()));
        } else if analysis.detection.page.is_some_and(|page| page.no_content) {
            printer::note("dehusk: the page seems to have no content; --focus recall keeps the little there is");
        }
        files::write_or_print(args.output.as_deref(), &result.content)
    })
}

pub(super) fn strip(args: &Strip) -> Result<Outcome, Failure> {
    with_page(&args.page, &args.template, &args.reading, |analysis| {
        files::write_or_print(args.output.as_deref(), &analysis.strip())
    })
}

pub(super) fn explain(args: &Explain) -> Result<Outcome, Failure> {
    let show = |analysis: &Analysis<'_>| {
        let page = &analysis.page;
        let head = format!(
            "{}: {} nodes, {} ({}), {} of the text dropped{}{}\n",
            args.page.display(),
            page.document.len(),
            page.encoding,
            page.rule.name(),
            printer::percent(analysis.dropped_share()),
            match analysis.detection.fit {
                None => String::new(),
                Some(TemplateFit { template: Some(number), fit }) => format!(", template {number} fits {fit:.2}"),
                Some(TemplateFit { template: None, fit }) => format!(", no template fits (the nearest {fit:.2})"),
            },
            analysis.detection.page.map(verdict).unwrap_or_default()
        );
        let options = output::ExplainOptions::default().with_depth(args.depth).with_width(args.width);
        let body = output::render_explanation(page.document, &analysis.detection, options);
        files::write_or_print(None, &(head + &body))
    };
    with_page_in_detail(&args.page, &args.template, &args.reading, true, show)
}

/// What a model says of the page as a whole, in words.
fn verdict(page: PageVerdict) -> String {
    let kind = page.page_type.map_or(String::new(), |kind| format!(", looks like {kind}"));
    let flags: String = page.flags().map(|flag| format!(", {flag}")).collect();
    format!(", confidence {:.2}{kind}{flags}", page.confidence)
}

/// Whether an input holds many pages.
fn is_container(path: &Path) -> bool {
    path.is_dir() || is_many(path) || has_ending(path, &[".warc", ".ndjson", ".json"])
}

/// Whether an output holds a record for each of many pages.
fn is_many(path: &Path) -> bool {
    has_ending(path, &[".jsonl", ".parquet"])
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    endings.iter().any(|ending| name.ends_with(ending))
}

fn with_page(
    path: &Path,
    template: &Template,
    reading: &Reading,
    then: impl FnOnce(&Analysis<'_>) -> Result<(), Failure>,
) -> Result<Outcome, Failure> {
    with_page_in_detail(path, template, reading, false, then)
}

fn with_page_in_detail(
    path: &Path,
    template: &Template,
    reading: &Reading,
    details: bool,
    then: impl FnOnce(&Analysis<'_>) -> Result<(), Failure>,
) -> Result<Outcome, Failure> {
    let options =
        reading.options().with_threshold(template.judging.site_threshold()).with_method(template.method_asked());
    let extractor = Extractor::new(options).map_err(|error| Failure::new(error.to_string()))?;
    let knowledge = Knowledge::of(template, reading, &extractor)?;
    let bytes = files::read(path, reading.max_bytes)?;
    let mut scratch = Scratch::default();
    let fail = |error: dehusk::Error| Failure::new(format!("{}: {error}", path.display()));
    let page = extractor.parse(&bytes, reading.content_type.as_deref(), &mut scratch).map_err(fail)?;
    let detection = knowledge.detect(&page, template, &options, details)?;
    let analysis = Analysis { page, detection };
    let cuts = analysis.page.document.cuts();
    if !cuts.is_empty() {
        printer::note(&format!("dehusk: {}: the page hit these limits and is not whole: {cuts}", path.display()));
    }
    then(&analysis)?;
    Ok(Outcome::Done)
}
