//! `dehusk clean`, and `dehusk extract`, `segment` and `records` on more than a page: the crawl job with its progress, summary and report.

use crate::args::{Clean, Extract};
use crate::outcome::{Failure, Outcome};
use crate::{files, printer, temporary};
use dehusk::detect::SiteUse;
use dehusk_io::crawl::{Crawl, PageOutcome, Progress, Tally, TemplateMode, report_html, report_json};
use dehusk_io::{Error, ErrorKind, ExistingOutput, OutputContainer, check_crawl_output};
use dehusk_options::Values;
use dehusk_options::definitions::{PAGES, PROGRESS, REPORT, STRICT, TEMPLATE};
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

pub(super) fn clean(args: &Clean) -> Result<Outcome, Failure> {
    let options = &args.options;
    options.check_uses_site("use it with `dehusk extract`")?;
    with_output(&args.output, options, |output| run(&options.crawl(args.inputs.clone(), output)?, options))
}

/// Runs a job with an output that it can write, of the container that its name asks for.
pub(super) fn with_output(
    output: &Path,
    options: &Values,
    run: impl FnOnce(&Path) -> Result<Outcome, Failure>,
) -> Result<Outcome, Failure> {
    let container = |output: &Path| OutputContainer::of(output);
    with_output_in(output, container, ".jsonl", options, run)
}

/// Runs a job with an output that it can write. Rows for standard output are written to a temporary file with this ending first, since
/// output appears whole or not at all.
pub(super) fn with_output_in(
    output: &Path,
    container: impl FnOnce(&Path) -> OutputContainer,
    ending: &str,
    options: &Values,
    run: impl FnOnce(&Path) -> Result<Outcome, Failure>,
) -> Result<Outcome, Failure> {
    let existing = options.existing_output();
    if files::is_stream(output) {
        let fails = |error: std::io::Error| Failure::new(format!("temporary file for standard output: {error}"));
        let folder = temporary::folder().map_err(fails)?;
        let file = folder.path().join(format!("standard-output{ending}"));
        if existing == ExistingOutput::Resume {
            return Err(Failure::new(
                "--resume needs an output file or folder: what goes to standard output is not kept",
            ));
        }
        let outcome = run(&file);
        // Also a run in which every page failed has written their records.
        if outcome.is_ok() || file.exists() {
            let mut rows = std::fs::File::open(&file).map_err(fails)?;
            let mut out = if ending == ".jsonl" { printer::record_output() } else { printer::text_output() };
            std::io::copy(&mut rows, &mut out).and_then(|_| out.flush()).map_err(Failure::output)?;
        }
        return outcome;
    }
    check_crawl_output(output, container(output), existing)?;
    if output.is_file() && existing != ExistingOutput::Resume {
        printer::note(&format!("dehusk: {} exists and will be replaced", output.display()));
    }
    // Nothing is lost then, so the user should know how to go on.
    temporary::advise_when_interrupted(
        "dehusk: interrupted; the same command with --resume continues where this one stopped",
    );
    let outcome = run(output)?;
    printer::note(&format!("written to {}", output.display()));
    Ok(outcome)
}

/// Every page of the inputs on its own.
pub(super) fn extract_all(args: &Extract, output: &Path) -> Result<Outcome, Failure> {
    let options = &args.options;
    if options.is_given(&TEMPLATE) || options.is_given(&PAGES) {
        return Err(Failure::new(
            "--template and --pages go with a single page; for a folder use `dehusk apply`, for a crawl `dehusk clean`",
        ));
    }
    if options.site_use() == SiteUse::Required {
        return Err(Failure::new("this detector compares pages: use `dehusk clean`, which learns every site"));
    }
    run(&options.crawl(args.inputs.clone(), output)?, options)
}

/// Runs a job, with its progress, summary and report.
pub(super) fn run(crawl: &Crawl, options: &Values) -> Result<Outcome, Failure> {
    let bar = Bar::new(options.flag(&PROGRESS));
    let tally = crawl.run(&bar).map_err(failure)?;
    bar.finish();
    summarize(crawl, &tally);
    if let Some(path) = options.path(&REPORT) {
        let text = match path.extension() == Some(OsStr::new("html")) {
            true => report_html(&tally),
            false => format!("{:#}\n", report_json(&tally)),
        };
        files::write(path, text.as_bytes())?;
    }
    Outcome::of_pages(tally.pages - tally.failed, tally.failed, options.flag(&STRICT))
}

/// The failure of a run, with the flag that helps.
fn failure(error: Error) -> Failure {
    let advice = match error.kind() {
        ErrorKind::UnfinishedRun => " (--resume resumes it)",
        ErrorKind::NoSpace => "; make room, then run again with --resume, which keeps the finished part",
        _ if error.is_resumable() => "; once this is fixed, run again with --resume, which keeps the finished part",
        _ => "",
    };
    Failure::new(format!("{error}{advice}"))
}

/// Hosts whose templates no longer fit that are named in the summary.
const SHOWN_DRIFT: usize = 5;

/// The summary a person wants to read at the end.
fn summarize(crawl: &Crawl, tally: &Tally) {
    let mut parts = Vec::new();
    for (kind, count) in &tally.errors {
        parts.push(format!("{count} {kind}"));
    }
    let failed = match tally.failed {
        0 => "none failed".to_string(),
        failed => format!("{failed} failed ({})", parts.join(", ")),
    };
    let skipped = match tally.skipped {
        0 => String::new(),
        1 => ", 1 record that is no page".to_string(),
        skipped => format!(", {skipped} records that are not pages"),
    };
    let dropped = match (crawl.splits_pages(), crawl.writes_records()) {
        (true, _) => String::new(),
        (_, true) => format!("{}, ", printer::counted(tally.records, "record")),
        _ => format!("{} of the text dropped, ", printer::percent(tally.dropped_share())),
    };
    printer::note(&format!(
        "{} of {}, {:.1} MB: {dropped}{failed}{skipped}",
        printer::counted(tally.pages, "page"),
        printer::counted(tally.site_count, "host"),
        tally.bytes as f64 / 1e6,
    ));
    if tally.errors.contains_key("missing_column") {
        printer::note("choose the columns of the input with --url-column, --html-column and --carry");
    }
    if tally.without_url > 0 {
        let what = if *crawl.templates() == TemplateMode::None { "" } else { ", and so no site to learn from" };
        printer::note(&format!(
            "{} no url{what}; --url-column names the column or key of the url",
            printer::counted_have(tally.without_url, "page")
        ));
    }
    if *crawl.templates() != TemplateMode::None {
        let without = tally.sites_without_template;
        if without > 0 {
            printer::note(&format!("{} too few pages for a template", printer::counted_have(without, "host")));
        }
    }
    let drifted = tally.sites.iter().filter(|(_, group)| !group.drift.is_empty());
    for (name, group) in drifted.take(SHOWN_DRIFT) {
        printer::note(&format!("{name}: {}", group.drift.join("; ")));
    }
    if tally.drifted_sites > SHOWN_DRIFT as u64 {
        let more = tally.drifted_sites - SHOWN_DRIFT as u64;
        printer::note(&format!(
            "{} drifted; --report names those with the most pages",
            printer::counted(more, "more host")
        ));
    }
    for (what, pages) in [("largest", &tally.largest), ("slowest", &tally.slowest)] {
        if let Some(page) = pages.first() {
            let amount = match what {
                "largest" => format!("{:.2} MB", page.amount as f64 / 1e6),
                _ => format!("{:.0} ms", page.amount as f64 / 1e3),
            };
            printer::note(&format!("{what} page: {amount}, {}", page.address));
        }
    }
}

/// Progress on standard error.
pub(super) struct Bar {
    wanted: bool,
    bar: Mutex<ProgressBar>,
    pages: AtomicU64,
    failed: AtomicU64,
    skipped: AtomicU64,
    /// Pages that could not be read and of which no record says so, by the kind of error.
    faults: Mutex<BTreeMap<String, u64>>,
}

impl Bar {
    /// A bar that shows on a terminal, or where it is wanted.
    pub(super) fn new(wanted: bool) -> Bar {
        Bar {
            wanted,
            bar: Mutex::new(ProgressBar::hidden()),
            pages: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            faults: Mutex::default(),
        }
    }

    pub(super) fn finish(&self) {
        self.lock().finish_and_clear();
    }

    /// Ends, and says which pages could not be read where no record does. Returns how many.
    pub(super) fn finish_with_faults(&self) -> u64 {
        self.finish();
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = faults.values().sum();
        if failed > 0 {
            let kinds: Vec<String> = faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            let pages = printer::counted(failed, "page");
            printer::note(&format!("{pages} could not be read ({})", kinds.join(", ")));
        }
        failed
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ProgressBar> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Bar {
    fn pass(&self, name: &str, bytes: Option<u64>) {
        let mut bar = self.lock();
        bar.finish_and_clear();
        // Each pass reads the inputs from the start and has a bar of its own.
        *bar = printer::byte_progress(bytes, self.wanted);
        bar.set_prefix(name.to_string());
        self.pages.store(0, Ordering::Relaxed);
        self.failed.store(0, Ordering::Relaxed);
        self.skipped.store(0, Ordering::Relaxed);
    }

    fn fault(&self, kind: &str) {
        *self.faults.lock().unwrap_or_else(PoisonError::into_inner).entry(kind.to_string()).or_default() += 1;
    }

    fn page(&self, position: u64, outcome: PageOutcome) {
        let count = |counter: &AtomicU64, one: bool| counter.fetch_add(one as u64, Ordering::Relaxed) + one as u64;
        let pages = count(&self.pages, true);
        let failed = count(&self.failed, outcome == PageOutcome::Failed);
        let skipped = count(&self.skipped, outcome == PageOutcome::Skipped);
        // A bar that is drawn for every page would cost more than the page.
        if pages.is_multiple_of(64) {
            let bar = self.lock();
            bar.set_position(position);
            let speed = pages as f64 / bar.elapsed().as_secs_f64().max(0.001);
            bar.set_message(format!("{pages} pages, {speed:.0} pages/s, {skipped} skipped, {failed} failed"));
        }
    }
}
