//! `dehusk records`: what a page or many repeat, as rows or as Markdown.

use super::clean;
use super::page::{Input, is_container, refuse_report};
use crate::args::Records;
use crate::files;
use crate::outcome::{Failure, Outcome};
use dehusk::detect::SiteUse;
use dehusk_io::OutputContainer;
use dehusk_io::crawl::RecordOutput;
use dehusk_options::definitions::{KNOWN_TEMPLATES, PAGES, RECORDS_OUTPUT, TEMPLATE};
use std::path::Path;

pub(super) fn records(args: &Records) -> Result<Outcome, Failure> {
    let output = args.options.path(&RECORDS_OUTPUT);
    let (format, records) = args.options.record_output(output.filter(|path| !files::is_stream(path)))?;
    let many = args.inputs.len() > 1 || is_container(&args.inputs[0]);
    let needs_job = |path: &Path| {
        let container = format.container(path);
        matches!(container, OutputContainer::Parquet | OutputContainer::JsonlGz | OutputContainer::JsonlZst)
    };
    match output {
        Some(output) if many || needs_job(output) => {
            let container = |path: &Path| format.container(path);
            clean::with_output_in(output, container, format.ending(), &args.options, |to| all_pages(args, records, to))
        }
        None if many => Err(Failure::about(&args.inputs[0], "more than one page: name an output with -o")),
        _ => one_page(args, records),
    }
}

fn one_page(args: &Records, records: RecordOutput) -> Result<Outcome, Failure> {
    refuse_report(&args.options)?;
    let input = Input { path: &args.inputs[0], url: args.url.as_deref(), options: &args.options };
    input.with_extraction(std::convert::identity, |extraction| {
        let text = records.render(extraction, args.url.as_deref().unwrap_or_default())?;
        files::write_or_print(args.options.path(&RECORDS_OUTPUT), &text)
    })
}

/// Every page of the inputs.
fn all_pages(args: &Records, records: RecordOutput, output: &Path) -> Result<Outcome, Failure> {
    let options = &args.options;
    if options.is_given(&TEMPLATE) || options.is_given(&PAGES) {
        return Err(Failure::new(
            "--template and --pages go with a single page; for a crawl use --templates, which `dehusk clean --templates` writes",
        ));
    }
    if options.site_use() == SiteUse::Required && options.path(&KNOWN_TEMPLATES).is_none() {
        return Err(Failure::new("this detector compares pages: name the templates of their sites with --templates"));
    }
    clean::run(&options.crawl(args.inputs.clone(), output)?.with_records(records), options)
}
