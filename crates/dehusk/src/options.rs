//! How pages are read and judged.

use crate::error::{Error, ErrorKind};
use crate::fusion::Focus;
use crate::limits::Limits;
use crate::page::OperatingPoint;
use crate::site::{Method, SiteLevel};

/// Settings of an [`Extractor`](crate::Extractor). The defaults are what most users want.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options {
    pub(crate) limits: Limits,
    pub(crate) scripting: bool,
    pub(crate) site_level: SiteLevel,
    pub(crate) method: Option<Method>,
    pub(crate) lone: LonePage,
    pub(crate) known: KnownSite,
}

/// How a page is judged whose site is known.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum KnownSite {
    /// By the site's template alone: what is not template is kept.
    Template,
    /// By the fusion model, which takes what the template says as evidence.
    Fused(Focus),
}

impl Default for KnownSite {
    fn default() -> KnownSite {
        KnownSite::Fused(Focus::BALANCED)
    }
}

/// How a page is judged whose site is not known.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum LonePage {
    /// All of it is kept.
    Keep,
    /// By the fusion model that comes with the library.
    Fusion(Focus),
    /// By the block detector, with the model that comes with the library.
    Block(OperatingPoint),
}

impl Default for LonePage {
    fn default() -> LonePage {
        LonePage::Fusion(Focus::BALANCED)
    }
}

impl Options {
    /// The defaults.
    pub fn new() -> Options {
        Options::default()
    }

    /// Caps on what one page may cost.
    pub fn with_limits(mut self, limits: Limits) -> Options {
        self.limits = limits;
        self
    }

    /// Reads pages as a browser that runs scripts does: what stands in `<noscript>` is not seen.
    pub fn with_scripting(mut self, scripting: bool) -> Options {
        self.scripting = scripting;
        self
    }

    /// The share of a site's pages a node must stand on to be template, more than 0 and at most 1.
    pub fn with_threshold(mut self, threshold: f64) -> Options {
        self.site_level.threshold = threshold;
        self
    }

    /// Judges pages by this method instead of the one their site's templates were learned with.
    pub fn with_method(mut self, method: Option<Method>) -> Options {
        self.method = method;
        self
    }

    /// How pages are judged whose site is not known.
    pub fn with_lone_pages(mut self, lone: LonePage) -> Options {
        self.lone = lone;
        self
    }

    /// How pages are judged whose site is known.
    pub fn with_known_sites(mut self, known: KnownSite) -> Options {
        self.known = known;
        self
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let threshold = self.site_level.threshold;
        if !(threshold > 0.0 && threshold <= 1.0) {
            let message = format!("the threshold is {threshold}, it must be more than 0 and at most 1");
            return Err(Error::new(ErrorKind::BadOptions, message));
        }
        let Limits { nodes, depth, formatting, .. } = self.limits;
        if nodes < 16 || !(8..=16_384).contains(&depth) || !(8..=16_384).contains(&formatting) {
            let message = "a page needs at least 16 nodes, and 8 to 16384 for depth and formatting";
            return Err(Error::new(ErrorKind::BadOptions, message));
        }
        Ok(())
    }
}
