//! `dehusk learn`: the template of one site.

use super::{read_template, thread_pool};
use crate::args::Learn;
use crate::files::{self, PageFile};
use crate::outcome::{Failure, Outcome};
use crate::printer;
use dehusk::{Extractor, Page, Scratch, SiteLearner, SiteMethod, SiteTemplates};
use dehusk_options::definitions::{CONTENT_TYPE, MAX_BYTES, PROGRESS, REPORT, SEED, STRICT};
use dehusk_options::{Values, today};
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(super) fn learn(args: &Learn) -> Result<Outcome, Failure> {
    let (partial, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        args.pages.iter().cloned().partition(|path| path.extension() == Some(OsStr::new("husk")));
    let pages = files::pages(&paths)?;
    let options = &args.options;
    let extractor = Extractor::new(options.reading())?;
    let bar = printer::progress(pages.len(), options.flag(&PROGRESS));
    let method = options.site_method()?.unwrap_or_default();
    let (mut learner, skipped) =
        thread_pool(options)?.install(|| learn_pages(method, &extractor, &pages, options, &bar));
    bar.finish_and_clear();
    for path in &partial {
        let more = SiteLearner::from_templates(read_template(path)?)
            .map_err(|error| Failure::about(path, format!("{error}: learn the parts with --partial")))?;
        learner.merge(more);
    }
    for (path, message) in &skipped {
        printer::warn(&format!("{}: {message} (skipped)", path.display()));
    }
    let count = learner.pages();
    let outcome = Outcome::of_pages(count as u64, skipped.len() as u64, options.flag(&STRICT))?;
    if count < 2 && !args.partial {
        return Err(Failure::new(format!(
            "a template needs at least two pages of a site, and {count} could be read: give more pages, or a folder of them"
        )));
    }
    let site = args.site.clone().unwrap_or_else(|| site_name(&args.pages[0]));
    let seed = options.whole(&SEED);
    let template = if args.partial { learner.finish_complete(seed) } else { learner.finish(seed) };
    let template = template.with_site(site).with_learned(today());
    files::write(&args.output, &template.to_bytes())?;
    printer::note(&format!(
        "{}: learned {} from {count} pages by {}, {} repeated parts, {}",
        args.output.display(),
        template.site(),
        described(&template),
        template.counts().len(),
        kinds(&template)
    ));
    if let Some(path) = options.path(&REPORT) {
        let failed: Vec<_> = skipped.iter().map(|(path, message)| failed_record(path, message)).collect();
        let report = serde_json::json!({ "site": template.site(), "pages": count, "rule": template.combination().to_string(), "templates": template.templates().iter().map(|kind| kind.pages()).collect::<Vec<_>>(), "failed": failed });
        files::write(path, format!("{report:#}\n").as_bytes())?;
    }
    Ok(outcome)
}

/// The method, and what it chose.
fn described(site: &SiteTemplates) -> String {
    let (method, combination) = (site.method().to_string(), site.combination().to_string());
    if combination == method { method } else { format!("{method} ({combination})") }
}

/// The kinds of pages that were found.
fn kinds(site: &SiteTemplates) -> String {
    let pages: Vec<String> = site.templates().iter().map(|kind| kind.pages().to_string()).collect();
    let (sampled, of_no_kind) = (site.sampled_pages(), site.pages_of_no_kind());
    match pages.len() {
        0 => "no template for a kind of pages".to_string(),
        1 => format!("1 template ({} of {sampled} sampled pages, {of_no_kind} without a template)", pages[0]),
        count => format!(
            "{count} templates ({} of {sampled} sampled pages, {of_no_kind} without a template)",
            pages.join(" + ")
        ),
    }
}

pub(super) fn failed_record(path: &Path, message: &str) -> serde_json::Value {
    serde_json::json!({ "page": path.display().to_string(), "error": message })
}

/// The name of the folder a page is in, which for a crawl is the host.
fn site_name(path: &Path) -> String {
    let folder = if path.is_dir() { Some(path) } else { path.parent() };
    let name = folder.and_then(Path::file_name).and_then(OsStr::to_str);
    name.unwrap_or("site").to_string()
}

/// Counts pages on all threads, and lists those that could not be read. Sums do not depend on the order.
pub(super) fn learn_pages(
    method: SiteMethod,
    extractor: &Extractor,
    pages: &[PageFile],
    options: &Values,
    bar: &ProgressBar,
) -> (SiteLearner, Vec<(PathBuf, String)>) {
    let content_type = options.text(&CONTENT_TYPE);
    let observe = |(mut learner, mut skipped, mut scratch): (SiteLearner, Vec<_>, Scratch), page: &PageFile| {
        match files::read(&page.path, options.size(&MAX_BYTES)) {
            // A file that cannot be read names itself.
            Err(failure) => skipped.push((page.path.clone(), without_path(&failure.to_string(), &page.path))),
            Ok(bytes) => {
                match extractor.parse(Page::new(&bytes).with_content_type(content_type.as_deref()), &mut scratch) {
                    // Named by what it holds: the same pages give the same template wherever they are stored.
                    Ok(parsed) => learner.observe(&String::from_utf8_lossy(&bytes), &parsed),
                    Err(error) => skipped.push((page.path.clone(), error.to_string())),
                }
            }
        }
        bar.inc(1);
        (learner, skipped, scratch)
    };
    let start = || (SiteLearner::new(method.clone()), Vec::new(), Scratch::default());
    let (learner, mut skipped) =
        pages.par_iter().fold(start, observe).map(|(learner, skipped, _)| (learner, skipped)).reduce(
            || (SiteLearner::new(method.clone()), Vec::new()),
            |(mut one, mut skipped), (two, more)| {
                one.merge(two);
                skipped.extend(more);
                (one, skipped)
            },
        );
    // Threads finish in any order, but messages should not depend on it.
    skipped.sort();
    (learner, skipped)
}

pub(super) fn without_path(message: &str, path: &Path) -> String {
    let prefix = format!("{}: ", path.display());
    message.strip_prefix(&prefix).unwrap_or(message).to_string()
}
