//! `dehusk extract`, `strip` and `explain`: one page.

use super::{Failure, Outcome, clean, read_template_for};
use crate::args::{DetectorName, Explain, Extract, MethodName, Reading, Strip, Template};
use crate::{files, layout, printer};
use dehusk::features::nodes::host_of;
use dehusk::{
    Analysis, Detection, Detector, Extractor, PageLevel, PageLevelModel, ParsedPage, Scratch, TemplateFit,
    append_weighed, detect_page_level, output, score_page,
};
use std::ffi::OsStr;
use std::path::Path;

pub(super) fn extract(args: &Extract) -> Result<Outcome, Failure> {
    if let Some(output) = &args.output
        && (args.inputs.len() > 1 || is_container(&args.inputs[0]) || is_many(output))
    {
        if args.template.detector != DetectorName::Sitelevel {
            return Err(Failure::new("--detector pagelevel takes one page at a time so far"));
        }
        return clean::extract_all(args, output);
    }
    if args.inputs.len() > 1 || is_container(&args.inputs[0]) {
        return Err(Failure::new(format!("{}: more than one page: name an output with -o", args.inputs[0].display())));
    }
    with_page(&args.inputs[0], &args.template, &args.reading, |analysis| {
        let text = analysis.render(args.render.format.output_format(), args.render.options());
        files::write_or_print(args.output.as_deref(), &text)
    })
}

pub(super) fn strip(args: &Strip) -> Result<Outcome, Failure> {
    with_page(&args.page, &args.template, &args.reading, |analysis| {
        files::write_or_print(args.output.as_deref(), &analysis.strip())
    })
}

pub(super) fn explain(args: &Explain) -> Result<Outcome, Failure> {
    with_page(&args.page, &args.template, &args.reading, |analysis| {
        let page = &analysis.page;
        let head = format!(
            "{}: {} nodes, {} ({}), {} of the text dropped{}\n",
            args.page.display(),
            page.document.len(),
            page.encoding,
            page.rule.name(),
            printer::percent(analysis.dropped_share()),
            match analysis.detection.fit {
                None => String::new(),
                Some(TemplateFit { template: Some(number), fit }) => format!(", template {number} fits {fit:.2}"),
                Some(TemplateFit { template: None, fit }) => format!(", no template fits (the nearest {fit:.2})"),
            }
        );
        let options = output::ExplainOptions::default().with_depth(args.depth).with_width(args.width);
        let body = output::render_explanation(page.document, &analysis.detection, options);
        files::write_or_print(None, &(head + &body))
    })
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
    let method = template.used.method.map(MethodName::method);
    let options = reading.options().with_threshold(template.judging.site_threshold()).with_method(method);
    let extractor = Extractor::new(options).map_err(|error| Failure::new(error.to_string()))?;
    let site = template.template.as_deref().map(|path| read_template_for(path, method)).transpose()?;
    let bytes = files::read(path, reading.max_bytes)?;
    let mut scratch = Scratch::default();
    let mut analysis = extractor
        .analyze(&bytes, reading.content_type.as_deref(), site.as_ref().map(|site| site as &dyn Detector), &mut scratch)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let cuts = analysis.page.document.cuts();
    if !cuts.is_empty() {
        printer::note(&format!("dehusk: {}: the page hit these limits and is not whole: {cuts}", path.display()));
    }
    match template.detector {
        DetectorName::Pagelevel => analysis.detection = page_level(&analysis.page, template)?,
        DetectorName::Sitelevel if site.is_none() => {
            printer::note("dehusk: no --template, so nothing is known of the site and all of the page is kept");
        }
        DetectorName::Sitelevel => {}
    }
    then(&analysis)?;
    Ok(Outcome::Done)
}

/// No model file is larger.
const MOST_MODEL_BYTES: usize = 1 << 28;

/// What PageLevel finds on a page.
fn page_level(page: &ParsedPage<'_>, template: &Template) -> Result<Detection, Failure> {
    let own = template.model.as_deref().map(|path| {
        let bytes = files::read(path, MOST_MODEL_BYTES)?;
        PageLevelModel::from_bytes(&bytes).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
    });
    let own = own.transpose()?;
    let model = own.as_ref().unwrap_or_else(|| PageLevelModel::builtin());
    let url = template.url.as_deref();
    let layout = layout::of(page.document, &template.layout, url)?;
    let settings = PageLevel {
        penalty: template.penalty,
        threshold: template.judging.threshold.map(|threshold| threshold as f32),
        host: url.and_then(host_of),
    };
    let scores = score_page(page.document, &layout, model, settings);
    let mut detection = detect_page_level(page.document, page.stats, &scores, model, settings);
    append_weighed(&scores, model, &mut detection);
    Ok(detection)
}
