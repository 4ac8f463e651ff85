//! The detector that drops what a site's templates have, and keeps everything else.

use super::detector::{Buffers, Detector, DetectorInput, SiteUse};
use crate::detection::{Detection, Detectors};
use crate::error::Error;
use crate::site::SiteMethod;

/// Drops what a site method finds on a page. Without templates of the page's site it keeps everything.
#[derive(Clone, Debug)]
pub struct SiteDetector {
    method: SiteMethod,
}

impl SiteDetector {
    /// The detector of a site method, with its name.
    #[must_use]
    pub fn new(method: SiteMethod) -> SiteDetector {
        SiteDetector { method }
    }
}

impl Detector for SiteDetector {
    fn name(&self) -> &'static str {
        self.method.name()
    }

    fn detect(&self, input: &DetectorInput<'_>, _: &mut Buffers) -> Result<Detection, Error> {
        let DetectorInput { page, site, options, .. } = input;
        Ok(match site {
            Some(site) => site.detect(page, Some(&self.method), options.site_level),
            None => Detection::keep_all(Detectors::NONE, page.document),
        })
    }

    fn site_use(&self) -> SiteUse {
        SiteUse::Required
    }
}
