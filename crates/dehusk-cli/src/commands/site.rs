//! What is known of a page's site: a template from a file, or one learned from other pages.

use super::learn::learn_pages;
use super::read_template_for;
use crate::args::{DetectorArgs, Reading, SiteArgs};
use crate::files;
use crate::outcome::Failure;
use dehusk::{Extractor, SiteTemplates};
use indicatif::ProgressBar;

/// The templates of a page's site, if they are given or the detector needs them.
pub(super) fn site_of(
    detector: &DetectorArgs,
    site: &SiteArgs,
    reading: &Reading,
    extractor: &Extractor,
) -> Result<Option<SiteTemplates>, Failure> {
    if site.is_known() {
        detector.check_uses_site("leave --template and --pages out")?;
    }
    if !site.is_known() && detector.method().is_none() {
        return Ok(None);
    }
    let method = detector.method_or(site.used.method);
    if let Some(path) = &site.template {
        return read_template_for(path, method).map(Some);
    }
    let pages = if site.pages.is_empty() { Vec::new() } else { files::pages(&site.pages)? };
    let (learner, skipped) =
        learn_pages(method.unwrap_or_default(), extractor, &pages, reading, &ProgressBar::hidden());
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
