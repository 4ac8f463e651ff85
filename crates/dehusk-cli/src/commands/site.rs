//! What is known of a page's site: a template from a file or a store, or one learned from other pages.

use super::learn::learn_pages;
use super::read_template_for;
use crate::files;
use crate::outcome::Failure;
use dehusk::detect::SiteUse;
use dehusk::{Extractor, SiteTemplates};
use dehusk_io::crawl::{SiteBy, TemplateStore};
use dehusk_options::Values;
use dehusk_options::definitions::{KNOWN_TEMPLATES, PAGES, SITE_BY, TEMPLATE};
use indicatif::ProgressBar;
use std::sync::Arc;

/// The templates of a page's site, if they are given or the detector needs them.
pub(super) fn site_of(
    options: &Values,
    url: Option<&str>,
    extractor: &Extractor,
) -> Result<Option<SiteTemplates>, Failure> {
    if let Some(path) = options.path(&KNOWN_TEMPLATES) {
        let url =
            url.ok_or_else(|| Failure::new("--templates needs --url: the address says of which site a page is"))?;
        let site = options.choice::<SiteBy>(&SITE_BY).unwrap_or_default().site_key(url);
        let store = TemplateStore::open(path, options.methods()?.site_methods())?;
        return Ok(store.template(&site)?.map(Arc::unwrap_or_clone));
    }
    let is_known = options.is_given(&TEMPLATE) || options.is_given(&PAGES);
    if is_known {
        options.check_uses_site("leave --template and --pages out")?;
    }
    if !is_known && options.site_use() != SiteUse::Required {
        return Ok(None);
    }
    let method = options.site_method()?;
    if let Some(path) = options.path(&TEMPLATE) {
        return read_template_for(path, method.as_ref()).map(Some);
    }
    let paths = options.paths(&PAGES);
    let pages = if paths.is_empty() { Vec::new() } else { files::pages(&paths)? };
    let (learner, skipped) =
        learn_pages(method.unwrap_or_default(), extractor, &pages, options, &ProgressBar::hidden());
    if let Some((path, message)) = skipped.first() {
        return Err(Failure::about(path, message));
    }
    if learner.pages() < 2 {
        return Err(Failure::new(
            "this detector compares pages: name at least two pages of the site, or a folder of them, with --pages, or a \
             template learned from them with --template",
        ));
    }
    Ok(Some(learner.finish(0)))
}
