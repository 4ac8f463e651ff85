//! `dehusk apply`: pages of one site, cleaned with its template.

use super::learn::{failed_record, without_path};
use super::{Failure, Outcome, read_template_for, thread_pool};
use crate::args::{Apply, MethodName, Reading, Render};
use crate::files::{self, PageFile};
use crate::printer;
use dehusk::{Detector, Extractor, Scratch, SiteTemplates};
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// What became of one page.
pub(super) enum Fate {
    /// Its result was written; the characters it had and those that were dropped, the limits it hit, and whether no template fits.
    Written { characters: u64, dropped: u64, cuts: String, unfit: bool },
    /// It could not be read; why.
    Skipped(String),
}

pub(super) fn apply(args: &Apply) -> Result<Outcome, Failure> {
    let method = args.judging.method().or(args.used.method.map(MethodName::method));
    let template = read_template_for(&args.template, method)?;
    let pages = files::pages(&args.pages)?;
    let options = args.reading.options().with_threshold(args.judging.site_threshold()).with_method(method);
    let options = options.with_known_sites(args.judging.known_sites()?);
    let extractor = Extractor::new(options).map_err(|error| Failure::new(error.to_string()))?;
    let Some(output) = &args.output else {
        if pages.len() != 1 {
            return Err(Failure::new(format!(
                "{} pages do not go to standard output: give a folder with -o",
                pages.len()
            )));
        }
        let bytes = files::read(&pages[0].path, args.reading.max_bytes)?;
        let mut scratch = Scratch::default();
        let analysis = extractor
            .analyze(&bytes, args.reading.content_type.as_deref(), Some(&template), &mut scratch)
            .map_err(|error| Failure::new(format!("{}: {error}", pages[0].path.display())))?;
        let format = args.render.format.output_format();
        let result = analysis.result(format, args.render.options(), args.render.metadata).with_front_matter(format);
        files::write_or_print(None, &result.content)?;
        return Ok(Outcome::Done);
    };
    let bar = printer::progress(pages.len(), args.run.progress);
    let job =
        Job { extractor: &extractor, template: Some(&template), reading: &args.reading, render: args.render, output };
    let fates = thread_pool(args.run.threads)?.install(|| job.run(&pages, &bar))?;
    bar.finish_and_clear();
    let summary = Summary::of(&pages, &fates);
    summary.complain();
    printer::note(&format!("{} cleaned to {}", summary.line(), output.display()));
    if let Some(path) = &args.run.report {
        let report = serde_json::json!({ "site": template.site(), "pages": summary.json() });
        files::write(path, format!("{report:#}\n").as_bytes())?;
    }
    Ok(if args.run.strict && !summary.skipped.is_empty() { Outcome::Skipped } else { Outcome::Done })
}

/// Cleaning pages into a folder.
pub(super) struct Job<'a> {
    pub(super) extractor: &'a Extractor,
    pub(super) template: Option<&'a SiteTemplates>,
    pub(super) reading: &'a Reading,
    pub(super) render: Render,
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
        let bytes = match files::read(&page.path, self.reading.max_bytes) {
            Ok(bytes) => bytes,
            Err(failure) => return Ok(Fate::Skipped(without_path(&failure.to_string(), &page.path))),
        };
        let content_type = self.reading.content_type.as_deref();
        let analysis = match self.extractor.analyze(
            &bytes,
            content_type,
            self.template.map(|site| site as &dyn Detector),
            scratch,
        ) {
            Ok(analysis) => analysis,
            Err(error) => return Ok(Fate::Skipped(error.to_string())),
        };
        let format = self.render.format.output_format();
        let result = analysis.result(format, self.render.options(), self.render.metadata).with_front_matter(format);
        let mut text = result.content;
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let path = files::result_path(self.output, page, self.render.format.extension());
        files::write(&path, text.as_bytes())?;
        let (characters, dropped) = analysis.characters();
        let cuts = analysis.page.document.cuts().to_string();
        let unfit = analysis.detection.fit.is_some_and(|fit| fit.template.is_none());
        Ok(Fate::Written { characters, dropped, cuts, unfit })
    }
}

/// What became of many pages.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) written: usize,
    pub(super) characters: u64,
    pub(super) dropped: u64,
    pub(super) unfit: usize,
    pub(super) cut: Vec<(PathBuf, String)>,
    pub(super) skipped: Vec<(PathBuf, String)>,
}

impl Summary {
    pub(super) fn of(pages: &[PageFile], fates: &[Fate]) -> Summary {
        let mut summary = Summary::default();
        for (page, fate) in pages.iter().zip(fates) {
            match fate {
                Fate::Written { characters, dropped, cuts, unfit } => {
                    summary.unfit += *unfit as usize;
                    summary.written += 1;
                    summary.characters += characters;
                    summary.dropped += dropped;
                    if !cuts.is_empty() {
                        summary.cut.push((page.path.clone(), cuts.clone()));
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

    /// Names the pages that could not be read, or not wholly.
    pub(super) fn complain(&self) {
        for (path, message) in &self.skipped {
            printer::complain(&format!("{}: {message} (skipped)", path.display()));
        }
        for (path, cuts) in &self.cut {
            printer::complain(&format!("{}: hit these limits and is not whole: {cuts}", path.display()));
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
        format!("{} pages, {} of the text dropped{skipped},", self.written, printer::percent(self.dropped_share()))
    }

    pub(super) fn json(&self) -> serde_json::Value {
        let failed: Vec<_> = self.skipped.iter().map(|(path, message)| failed_record(path, message)).collect();
        serde_json::json!({
            "written": self.written,
            "characters": self.characters,
            "dropped_characters": self.dropped,
            "no_template_fits": self.unfit,
            "cut": self.cut.iter().map(|(path, cuts)| failed_record(path, cuts)).collect::<Vec<_>>(),
            "failed": failed,
        })
    }
}
