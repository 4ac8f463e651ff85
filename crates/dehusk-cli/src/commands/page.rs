//! `dehusk extract`, `strip` and `explain`: one page.

use super::clean;
use super::site::site_of;
use crate::args::{Explain, ExplainFormat, Extract, Strip};
use crate::outcome::{Failure, Outcome};
use crate::{files, layout, printer};
use dehusk::details::TemplateFit;
use dehusk::dom::Document;
use dehusk::render::ExplainOptions;
use dehusk::{Extraction, Flag, Options, OutputFormat, Page, Scratch};
use dehusk_options::Values;
use dehusk_options::definitions::{CONTENT_TYPE, MAX_BYTES, OUTPUT, OUTPUT_FILE, REPORT};
use std::ffi::OsStr;
use std::path::Path;

pub(super) fn extract(args: &Extract) -> Result<Outcome, Failure> {
    let options = &args.options;
    // Many pages, records, and one page in several formats are left to the crawl job.
    if let Some(output) = options.path(&OUTPUT)
        && (args.inputs.len() > 1
            || is_container(&args.inputs[0])
            || is_record_file(output)
            || (options.formats().len() > 1 && (output.is_dir() || output.extension().is_none())))
    {
        return clean::with_output(output, options, |output| clean::extract_all(args, output));
    }
    if args.inputs.len() > 1 || is_container(&args.inputs[0]) {
        return Err(Failure::about(&args.inputs[0], "more than one page: name an output with -o"));
    }
    refuse_report(options)?;
    let input = Input { path: &args.inputs[0], url: args.url.as_deref(), options };
    let format = options.format()?;
    let with_url = |options: Options| if args.url.is_some() { options.with_absolute_urls(true) } else { options };
    input.with_extraction(with_url, |extraction| {
        if let Some(source) = extraction.fallback() {
            printer::note(&format!(
                "dehusk: hardly any text is visible; this comes from elsewhere ({})",
                source.flag()
            ));
        } else if extraction.flags().contains(&Flag::NoContent) {
            printer::note("dehusk: the page seems to have no content; --focus recall keeps the little there is");
        }
        files::write_or_print(options.path(&OUTPUT), &extraction.render_file(format))
    })
}

/// A report has the counts of many pages.
pub(super) fn refuse_report(options: &Values) -> Result<(), Failure> {
    match options.path(&REPORT) {
        None => Ok(()),
        Some(_) => Err(Failure::new("--report is about many pages: leave it out, or write records with -o FILE.jsonl")),
    }
}

pub(super) fn strip(args: &Strip) -> Result<Outcome, Failure> {
    let input = Input { path: &args.page, url: args.url.as_deref(), options: &args.options };
    input.with_extraction(std::convert::identity, |extraction| {
        files::write_or_print(args.options.path(&OUTPUT_FILE), &extraction.strip())
    })
}

pub(super) fn explain(args: &Explain) -> Result<Outcome, Failure> {
    let input = Input { path: &args.page, url: args.url.as_deref(), options: &args.options };
    input.with_extraction(
        |options| options.with_details(true),
        |extraction| {
            let options = ExplainOptions::default().with_depth(args.depth).with_width(args.width);
            let report = match args.format {
                // Read by people, also through a pager: nothing in it is obeyed by a terminal.
                ExplainFormat::Text => {
                    printer::shown(&(summary(&args.page, extraction) + &extraction.explain(options))).into_owned()
                }
                ExplainFormat::Json => extraction.render(OutputFormat::Json) + "\n",
            };
            files::write_or_print(args.options.path(&OUTPUT_FILE), &report)
        },
    )
}

/// The page in one line.
fn summary(path: &Path, extraction: &Extraction<'_>) -> String {
    let encoding = extraction.encoding();
    let fit = match extraction.template_fit() {
        None => String::new(),
        Some(TemplateFit { template: Some(number), fit }) => format!(", template {number} fits {fit:.2}"),
        Some(TemplateFit { template: None, fit }) => format!(", no template fits (the nearest {fit:.2})"),
    };
    let verdict = extraction.detection().page.map_or(String::new(), |page| {
        let kind = page.page_type.map_or(String::new(), |kind| format!(", looks like {kind}"));
        let flags: String = page.flags().map(|flag| format!(", {flag}")).collect();
        format!(", confidence {:.2}{kind}{flags}", page.confidence)
    });
    format!(
        "{}: {} nodes, {} ({}), {} of the text dropped{fit}{verdict}\n\
        The number after keep, drop or part is the score: 0 is content, 1 is template. In brackets are the features that weighed most: \
        name, value, and how much it adds to the score (+) or takes from it (-).\n",
        path.display(),
        extraction.document().len(),
        encoding.name,
        encoding.rule.name(),
        printer::percent(extraction.dropped_share()),
    )
}

/// Names the limits that a page hit.
pub(super) fn note_limits_hit(path: &Path, document: &Document) {
    let hit = document.limits_hit();
    if !hit.is_empty() {
        printer::note(&format!("dehusk: {}: the page hit these limits and is incomplete: {hit}", path.display()));
    }
}

/// Whether an input holds many pages.
pub(super) fn is_container(path: &Path) -> bool {
    path.is_dir() || is_record_file(path) || has_ending(path, &[".warc", ".ndjson", ".json"])
}

/// Whether a file holds a record for each of many pages.
pub(super) fn is_record_file(path: &Path) -> bool {
    has_ending(path, &[".jsonl", ".parquet"])
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    endings.iter().any(|ending| name.ends_with(ending))
}

/// A page, and what is known about it.
pub(super) struct Input<'a> {
    pub(super) path: &'a Path,
    pub(super) url: Option<&'a str>,
    pub(super) options: &'a Values,
}

impl Input<'_> {
    /// Extracts the page, with options that no flag sets, and does something with what was found.
    pub(super) fn with_extraction(
        &self,
        change: impl FnOnce(Options) -> Options,
        then: impl FnOnce(&Extraction<'_>) -> Result<(), Failure>,
    ) -> Result<Outcome, Failure> {
        let extractor = self.options.extractor_with(change)?;
        let site = site_of(self.options, self.url, &extractor)?;
        let bytes = files::read(self.path, self.options.size(&MAX_BYTES))?;
        let content_type = self.options.text(&CONTENT_TYPE);
        let boxes = layout::boxes(&bytes, self.options, self.url)?;
        let page = Page::new(&bytes).with_content_type(content_type.as_deref()).with_url(self.url);
        let page = page.with_site(site.as_ref()).with_boxes(boxes.as_ref());
        let mut scratch = Scratch::default();
        let extraction = extractor.extract(page, &mut scratch).map_err(|error| Failure::about(self.path, error))?;
        note_limits_hit(self.path, extraction.document());
        then(&extraction)?;
        Ok(Outcome::Done)
    }
}
