//! `dehusk show-template`: the templates of a site as a page to look at.

use super::read_template;
use crate::args::ShowTemplate;
use crate::outcome::{Failure, Outcome};
use crate::{files, printer};
use dehusk::site::render_templates;
use dehusk_io::crawl::TemplateStore;
use std::path::Path;

pub(super) fn show_template(args: &ShowTemplate) -> Result<Outcome, Failure> {
    let page = match &args.templates {
        None => render_templates(&read_template(Path::new(&args.site))?),
        Some(path) => {
            let fail = |error: dehusk_io::Error| Failure::new(error.to_string());
            let store = TemplateStore::open(path, dehusk_papers::methods().site_methods()).map_err(fail)?;
            let site = store.template(&args.site).map_err(fail)?;
            let unknown = || Failure::new(format!("{}: knows no site {}", path.display(), args.site));
            render_templates(site.ok_or_else(unknown)?.as_ref())
        }
    };
    files::write_or_print(args.output.as_deref(), &page)?;
    if let Some(path) = &args.output {
        printer::note(&format!("{}: open it in a browser", path.display()));
    }
    Ok(Outcome::Done)
}
