//! `dehusk apply`: pages of one site, cleaned with its template.

use super::learn::{failed_record, without_path};
use super::{read_template_for, thread_pool};
use crate::args::Apply;
use crate::files::{self, PageFile};
use crate::outcome::{Failure, Outcome};
use crate::printer;
use dehusk::{Extractor, OutputFormat, Page, Scratch, SiteTemplates};
use dehusk_io::{FileIdentity, is_in, is_read_again};
use dehusk_options::Values;
use dehusk_options::definitions::{CONTENT_TYPE, MAX_BYTES, PROGRESS, REPORT, STRICT};
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What became of one page.
pub(super) enum Fate {
    /// Its result was written; the characters it had and those that were dropped, the limits it hit, and whether no template fits.
    Written { characters: u64, dropped: u64, limits_hit: String, unfit: bool },
    /// It could not be read; why.
    Skipped(String),
}

pub(super) fn apply(args: &Apply) -> Result<Outcome, Failure> {
    let options = &args.options;
    options.check_uses_site("use `dehusk extract`")?;
    let template = read_template_for(&args.template, options.site_method()?.as_ref())?;
    let pages = files::pages(&args.pages)?;
    let extractor = options.extractor()?;
    let format = options.format()?;
    let Some(output) = args.output.as_ref().filter(|path| !files::is_stream(path)) else {
        if options.path(&REPORT).is_some() {
            return Err(Failure::new(
                "--report is about the pages of a folder: leave it out, or name a folder with -o",
            ));
        }
        if pages.len() != 1 {
            return Err(Failure::new(format!(
                "{} pages do not go to standard output: give a folder with -o",
                pages.len()
            )));
        }
        let bytes = files::read(&pages[0].path, options.size(&MAX_BYTES))?;
        let content_type = options.text(&CONTENT_TYPE);
        let input = Page::new(&bytes).with_content_type(content_type.as_deref());
        let mut scratch = Scratch::default();
        let extraction = extractor
            .extract(input.with_site(&template), &mut scratch)
            .map_err(|error| Failure::about(&pages[0].path, error))?;
        files::write_or_print(None, &extraction.render_file(format))?;
        return Ok(Outcome::Done);
    };
    // Only results in HTML would be read as pages the next time.
    let is_around = |path: &&PathBuf| format == OutputFormat::Html && path.is_dir() && is_in(output, path);
    if let Some(folder) = args.pages.iter().find(is_around) {
        return Err(is_read_again(output, folder).into());
    }
    check_results(&pages, output, format)?;
    let bar = printer::progress(pages.len(), options.flag(&PROGRESS));
    let job = Job { extractor: &extractor, template: &template, options, format, output };
    let fates = thread_pool(options)?.install(|| job.run(&pages, &bar))?;
    bar.finish_and_clear();
    let summary = Summary::of(&pages, &fates);
    summary.warn();
    printer::note(&format!("{} cleaned to {}", summary.line(), output.display()));
    if let Some(path) = options.path(&REPORT) {
        let report = serde_json::json!({ "site": template.site(), "pages": summary.json() });
        files::write(path, format!("{report:#}\n").as_bytes())?;
    }
    Outcome::of_pages(summary.written as u64, summary.skipped.len() as u64, options.flag(&STRICT))
}

/// Checks that no result replaces an input or another result.
fn check_results(pages: &[PageFile], output: &Path, format: OutputFormat) -> Result<(), Failure> {
    let inputs: HashSet<_> = pages.iter().filter_map(|page| FileIdentity::of(&page.path)).collect();
    let mut results = HashSet::new();
    for page in pages {
        let result = files::result_path(output, page, extension(format));
        if FileIdentity::of(&result).is_some_and(|file| inputs.contains(&file)) {
            return Err(Failure::about(&result, "the result would replace an input; choose another output"));
        }
        if let Some(result) = results.replace(result) {
            return Err(Failure::about(&result, "would be the result of two pages: clean them into different folders"));
        }
    }
    Ok(())
}

/// The ending of files in a format.
fn extension(format: OutputFormat) -> &'static str {
    match format {
        OutputFormat::Markdown => "md",
        OutputFormat::Html => "html",
        OutputFormat::Json | OutputFormat::Records => "json",
        _ => "txt",
    }
}

/// Cleaning pages into a folder.
pub(super) struct Job<'a> {
    pub(super) extractor: &'a Extractor,
    pub(super) template: &'a SiteTemplates,
    pub(super) options: &'a Values,
    pub(super) format: OutputFormat,
    pub(super) output: &'a Path,
}

impl Job<'_> {
    /// Cleans pages on all threads; their fates are in the order of the pages. Fails only where results cannot be written.
    pub(super) fn run(&self, pages: &[PageFile], bar: &ProgressBar) -> Result<Vec<Fate>, Failure> {
        pages
            .par_iter()
            .map_init(Scratch::default, |scratch, page| {
                let fate = self.clean(page, scratch);
                bar.inc(1);
                fate
            })
            .collect()
    }

    fn clean(&self, page: &PageFile, scratch: &mut Scratch) -> Result<Fate, Failure> {
        let bytes = match files::read(&page.path, self.options.size(&MAX_BYTES)) {
            Ok(bytes) => bytes,
            Err(failure) => return Ok(Fate::Skipped(without_path(&failure.to_string(), &page.path))),
        };
        let content_type = self.options.text(&CONTENT_TYPE);
        let input = Page::new(&bytes).with_content_type(content_type.as_deref()).with_site(self.template);
        let extraction = match self.extractor.extract(input, scratch) {
            Ok(extraction) => extraction,
            Err(error) => return Ok(Fate::Skipped(error.to_string())),
        };
        let mut text = extraction.render_file(self.format);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let path = files::result_path(self.output, page, extension(self.format));
        files::write(&path, text.as_bytes())?;
        let (characters, dropped) = extraction.characters();
        let limits_hit = extraction.document().limits_hit().to_string();
        let unfit = extraction.template_fit().is_some_and(|fit| fit.template.is_none());
        Ok(Fate::Written { characters, dropped, limits_hit, unfit })
    }
}

/// What became of many pages.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) written: usize,
    pub(super) characters: u64,
    pub(super) dropped: u64,
    pub(super) unfit: usize,
    pub(super) partial: Vec<(PathBuf, String)>,
    pub(super) skipped: Vec<(PathBuf, String)>,
}

impl Summary {
    pub(super) fn of(pages: &[PageFile], fates: &[Fate]) -> Summary {
        let mut summary = Summary::default();
        for (page, fate) in pages.iter().zip(fates) {
            match fate {
                Fate::Written { characters, dropped, limits_hit, unfit } => {
                    summary.unfit += *unfit as usize;
                    summary.written += 1;
                    summary.characters += characters;
                    summary.dropped += dropped;
                    if !limits_hit.is_empty() {
                        summary.partial.push((page.path.clone(), limits_hit.clone()));
                    }
                }
                Fate::Skipped(message) => summary.skipped.push((page.path.clone(), message.clone())),
            }
        }
        summary
    }

    pub(super) fn dropped_share(&self) -> f64 {
        self.dropped as f64 / self.characters.max(1) as f64
    }

    /// Names the pages that could not be read, or only in part.
    pub(super) fn warn(&self) {
        for (path, message) in &self.skipped {
            printer::warn(&format!("{}: {message} (skipped)", path.display()));
        }
        for (path, limits) in &self.partial {
            printer::warn(&format!("{}: hit these limits and is incomplete: {limits}", path.display()));
        }
    }

    pub(super) fn line(&self) -> String {
        let skipped = match self.skipped.len() {
            0 => String::new(),
            skipped => format!(", {skipped} skipped"),
        };
        let skipped = match self.unfit {
            0 => skipped,
            unfit => format!(", {unfit} fit no template{skipped}"),
        };
        let pages = printer::counted(self.written as u64, "page");
        format!("{pages}, {} of the text dropped{skipped},", printer::percent(self.dropped_share()))
    }

    pub(super) fn json(&self) -> serde_json::Value {
        let failed: Vec<_> = self.skipped.iter().map(|(path, message)| failed_record(path, message)).collect();
        serde_json::json!({
            "written": self.written,
            "characters": self.characters,
            "dropped_characters": self.dropped,
            "no_template_fits": self.unfit,
            "cut": self.partial.iter().map(|(path, limits)| failed_record(path, limits)).collect::<Vec<_>>(),
            "failed": failed,
        })
    }
}
