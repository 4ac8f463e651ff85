//! `dehusk inspect`: the inspector in the browser.

use super::page::is_container;
use super::read_template_for;
use crate::args::Inspect;
use crate::outcome::{Failure, Outcome};
use crate::{files, printer};
use dehusk::detect::SiteUse;
use dehusk::{Extractor, Page, SiteTemplates};
use dehusk_io::crawl::TemplateMode;
use dehusk_options::definitions::{CONTENT_TYPE, MAX_BYTES, TEMPLATE, THREADS};
use dehusk_server::inspect::{InspectSettings, Inspector, saved_view};
use std::path::Path;

pub(super) fn inspect(args: &Inspect) -> Result<Outcome, Failure> {
    let options = &args.options;
    let extractor = options.extractor()?;
    let template = options.path(&TEMPLATE);
    let is_one_page = args.inputs.len() == 1 && !is_container(&args.inputs[0]);
    if !is_one_page && (args.save.is_some() || template.is_some() || args.url.is_some()) {
        return Err(Failure::about(&args.inputs[0], "--save, --template and --url go with a single page"));
    }
    let method = options.site_method()?;
    let site = template.map(|path| read_template_for(path, method.as_ref())).transpose()?;
    match &args.save {
        Some(output) => save(args, &extractor, site.as_ref(), output),
        None => serve(args, extractor, site, is_one_page),
    }
}

/// Starts the server, opens the browser, and answers until the process is interrupted.
fn serve(
    args: &Inspect,
    extractor: Extractor,
    site: Option<SiteTemplates>,
    is_single: bool,
) -> Result<Outcome, Failure> {
    let templates = match &args.templates {
        Some(path) => TemplateMode::Use(path.clone()),
        None if args.options.site_use() != SiteUse::None => TemplateMode::Learn,
        None => TemplateMode::None,
    };
    let crawl = args.options.crawl_with(extractor.clone(), Vec::new(), Path::new(""))?.with_templates(templates);
    let settings = InspectSettings {
        inputs: args.inputs.clone(),
        is_single,
        read: args.options.read_options(),
        crawl,
        extractor,
        url: args.url.clone(),
        site,
        corrections: args.corrections.clone(),
        threads: args.options.size(&THREADS),
        port: args.port,
    };
    let inspector = Inspector::open(settings).map_err(|error| Failure::new(error.to_string()))?;
    let address = inspector.address();
    printer::note(&format!("dehusk: look at {address} (Ctrl-C ends it)"));
    // Detached, because some launchers return only when the browser ends.
    if !args.no_open && open::that_detached(&address).is_err() {
        printer::note("dehusk: no browser could be started: open the address yourself");
    }
    inspector.run().map_err(|error| Failure::new(format!("{address}: {error}")))?;
    Ok(Outcome::Done)
}

/// Writes the view of one page to a file.
fn save(
    args: &Inspect,
    extractor: &Extractor,
    site: Option<&SiteTemplates>,
    output: &Path,
) -> Result<Outcome, Failure> {
    let path = &args.inputs[0];
    let bytes = files::read(path, args.options.size(&MAX_BYTES))?;
    let url = args.url.as_deref();
    let content_type = args.options.text(&CONTENT_TYPE);
    let page = Page::new(&bytes).with_content_type(content_type.as_deref()).with_url(url);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let view = saved_view(extractor, page, &name, url, site).map_err(|error| Failure::about(path, error))?;
    files::write(output, view.as_bytes())?;
    printer::note(&format!("written to {}", output.display()));
    Ok(Outcome::Done)
}
