//! `dehusk clean`: every site in a folder is learned, then cleaned.

use super::apply::{Job, Summary};
use super::learn::learn_pages;
use super::{Failure, Outcome, thread_pool, today};
use crate::args::Clean;
use crate::files::{self, PageFile};
use crate::printer;
use dehusk::Extractor;
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path};

pub(super) fn clean(args: &Clean) -> Result<Outcome, Failure> {
    let sites = sites_in(&args.folder)?;
    let options = args.reading.options().with_threshold(args.judging.threshold);
    let extractor = Extractor::new(options).map_err(|error| Failure::new(error.to_string()))?;
    let pages = sites.values().map(Vec::len).sum::<usize>();
    // Every page is read twice: to learn and to clean.
    let bar = printer::progress(2 * pages, args.run.progress);
    let pool = thread_pool(args.run.threads)?;
    let mut total = Summary::default();
    let mut report = Vec::new();
    let width = sites.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, pages) in &sites {
        bar.set_message(name.clone());
        let (learner, _) = pool.install(|| learn_pages(&extractor, pages, &args.reading, &bar));
        let learned = learner.pages();
        let template = (learned > 1).then(|| learner.finish().with_site(name.as_str()).with_learned(today()));
        if let (Some(folder), Some(template)) = (&args.templates, &template) {
            files::write(&folder.join(format!("{name}.husk")), &template.to_bytes())?;
        }
        let job = Job {
            extractor: &extractor,
            template: template.as_ref(),
            reading: &args.reading,
            render: args.render,
            output: &args.output,
        };
        let fates = pool.install(|| job.run(pages, &bar))?;
        let summary = Summary::of(pages, &fates);
        let how = match &template {
            Some(template) => format!("{} repeated parts", template.len()),
            None => "kept whole: one page is too few to learn from".to_string(),
        };
        bar.suspend(|| {
            summary.complain();
            printer::note(&format!("{name:width$}  {} {how}", summary.line()));
        });
        report.push(json!({ "site": name, "learned_pages": learned, "pages": summary.json() }));
        total.add(summary);
    }
    bar.finish_and_clear();
    printer::note(&format!("{} sites: {} cleaned to {}", sites.len(), total.line(), args.output.display()));
    if let Some(path) = &args.run.report {
        let report = json!({ "sites": report, "total": total.json() });
        files::write(path, format!("{report:#}\n").as_bytes())?;
    }
    Ok(if args.run.strict && !total.skipped.is_empty() { Outcome::Skipped } else { Outcome::Done })
}

/// The pages of a folder by site: the first folder of their path, or the folder itself.
fn sites_in(folder: &Path) -> Result<BTreeMap<String, Vec<PageFile>>, Failure> {
    if !folder.is_dir() {
        let message = format!("{}: not a folder; for single pages use `dehusk extract`", folder.display());
        return Err(Failure::new(message));
    }
    let own = folder.file_name().and_then(OsStr::to_str).unwrap_or("site");
    let mut sites: BTreeMap<String, Vec<PageFile>> = BTreeMap::new();
    for page in files::pages_in(folder)? {
        let mut parts = page.relative.components();
        let name = match (parts.next(), parts.next()) {
            (Some(Component::Normal(first)), Some(_)) => first.to_string_lossy().into_owned(),
            _ => own.to_string(),
        };
        sites.entry(name).or_default().push(page);
    }
    if sites.is_empty() {
        return Err(Failure::new(format!("{}: no .html or .htm file in it", folder.display())));
    }
    Ok(sites)
}
