//! `dehusk extract`, `strip` and `explain`: one page.

use super::{Failure, Outcome, read_template};
use crate::args::{Explain, Extract, Reading, Strip, Template};
use crate::{files, printer};
use dehusk::{Analysis, Extractor, Scratch, output};
use std::path::Path;

pub(super) fn extract(args: &Extract) -> Result<Outcome, Failure> {
    with_page(&args.page, &args.template, &args.reading, |analysis| {
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
            "{}: {} nodes, {} ({}), {} of the text dropped\n",
            args.page.display(),
            page.document.len(),
            page.encoding,
            page.rule.name(),
            printer::percent(analysis.dropped_share())
        );
        let options = output::ExplainOptions::default().with_depth(args.depth).with_width(args.width);
        let body = output::render_explanation(page.document, &analysis.detection, options);
        files::write_or_print(None, &(head + &body))
    })
}

fn with_page(
    path: &Path,
    template: &Template,
    reading: &Reading,
    then: impl FnOnce(&Analysis<'_>) -> Result<(), Failure>,
) -> Result<Outcome, Failure> {
    let options = reading.options().with_threshold(template.judging.threshold);
    let extractor = Extractor::new(options).map_err(|error| Failure::new(error.to_string()))?;
    let site = template.template.as_deref().map(read_template).transpose()?;
    let bytes = files::read(path, reading.max_bytes)?;
    let mut scratch = Scratch::default();
    let analysis = extractor
        .analyze(&bytes, reading.content_type.as_deref(), site.as_ref(), &mut scratch)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let cuts = analysis.page.document.cuts();
    if !cuts.is_empty() {
        printer::note(&format!("dehusk: {}: the page hit these limits and is not whole: {cuts}", path.display()));
    }
    if site.is_none() {
        printer::note("dehusk: no --template, so nothing is known of the site and all of the page is kept");
    }
    then(&analysis)?;
    Ok(Outcome::Done)
}
