//! `dehusk drift`: whether recent pages of a site still fit its templates.

use super::learn::{failed_record, without_path};
use super::{read_template, thread_pool};
use crate::args::Drift;
use crate::files::{self, PageFile};
use crate::outcome::{Failure, Outcome};
use crate::printer;
use dehusk::details::TemplateFit;
use dehusk::site::DriftCounter;
use dehusk::{Extractor, Page, Scratch, SiteTemplates};
use dehusk_options::Values;
use dehusk_options::definitions::{CONTENT_TYPE, MAX_BYTES, REPORT, STRICT};
use rayon::prelude::*;
use serde_json::json;
use std::fmt::Write as _;

pub(super) fn drift(args: &Drift) -> Result<Outcome, Failure> {
    let site = read_template(&args.template)?;
    if site.templates().is_empty() {
        return Err(Failure::new(format!(
            "{}: holds counts only, which say nothing about kinds of pages: learn the site again with `dehusk learn`",
            args.template.display()
        )));
    }
    let pages = files::pages(&args.pages)?;
    let options = &args.options;
    let extractor = Extractor::new(options.reading())?;
    let fits: Vec<Result<TemplateFit, String>> = thread_pool(options)?.install(|| {
        pages
            .par_iter()
            .map_init(Scratch::default, |scratch, page| fit(&site, &extractor, page, options, scratch))
            .collect()
    });
    let mut counter = DriftCounter::default();
    let mut failed = Vec::new();
    for (page, fit) in pages.iter().zip(fits) {
        match fit {
            Ok(fit) => counter.observe(fit),
            Err(message) => {
                printer::warn(&format!("{}: {message} (skipped)", page.path.display()));
                failed.push(failed_record(&page.path, &message));
            }
        }
    }
    // Fails if no page could be read: a verdict on nothing would say that the templates fit.
    let outcome = Outcome::of_pages((pages.len() - failed.len()) as u64, failed.len() as u64, options.flag(&STRICT))?;
    let drift = counter.finish(&site);
    let findings = drift.findings();
    let mut out = format!(
        "{}: {} recent pages, {} learned from\n{:>8}  {:>13}  {:>10}  {:>12}  {:>8}  verdict\n",
        site.site(),
        drift.pages,
        site.pages(),
        "template",
        "learned pages",
        "usual fit",
        "recent pages",
        "fit"
    );
    for (number, template) in drift.templates.iter().enumerate() {
        let _ = writeln!(
            out,
            "{number:>8}  {:>13}  {:>10.2}  {:>12}  {:>8.2}  {}",
            template.learned_pages,
            template.usual_fit,
            template.pages,
            template.fit,
            template.verdict.name()
        );
    }
    let unfit = (site.pages_of_no_kind(), drift.unfit);
    let _ = writeln!(out, "{:>8}  {:>13}  {:>10}  {:>12}", "none", unfit.0, "", unfit.1);
    for finding in &findings {
        let _ = writeln!(out, "{finding}");
    }
    out.push_str(if drift.has_drifted() { "drifted: learn the site again" } else { "the templates fit" });
    files::write_or_print(None, &out)?;
    if let Some(path) = options.path(&REPORT) {
        let templates: Vec<_> = drift
            .templates
            .iter()
            .map(|template| {
                json!({
                    "learned_pages": template.learned_pages,
                    "usual_fit": template.usual_fit,
                    "pages": template.pages,
                    "fit": template.fit,
                    "verdict": template.verdict.name(),
                })
            })
            .collect();
        let report = json!({
            "site": site.site(), "pages": drift.pages, "no_template_fits": drift.unfit, "drifted": drift.has_drifted(),
            "findings": findings, "templates": templates, "failed": failed,
        });
        files::write(path, format!("{report:#}\n").as_bytes())?;
    }
    Ok(if drift.has_drifted() { Outcome::Drifted } else { outcome })
}

fn fit(
    site: &SiteTemplates,
    extractor: &Extractor,
    page: &PageFile,
    options: &Values,
    scratch: &mut Scratch,
) -> Result<TemplateFit, String> {
    let bytes = files::read(&page.path, options.size(&MAX_BYTES))
        .map_err(|failure| without_path(&failure.to_string(), &page.path))?;
    let content_type = options.text(&CONTENT_TYPE);
    let input = Page::new(&bytes).with_content_type(content_type.as_deref());
    let parsed = extractor.parse(input, scratch).map_err(|error| error.to_string())?;
    site.fit(parsed.document, parsed.stats()).ok_or_else(|| "no template to compare with".to_string())
}
