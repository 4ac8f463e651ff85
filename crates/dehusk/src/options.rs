//! How pages are read, which detector decides what is dropped, and how the rest is written.

use crate::detector::Detector;
use crate::dom::Limits;
use crate::error::{Error, ErrorKind};
use crate::focus::Focus;
use crate::output::RenderOptions;
use crate::page::OperatingPoint;
use crate::site::{Method, SiteLevelSettings};

/// Settings of an [`Extractor`](crate::Extractor). The defaults are what most users want.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options {
    pub(crate) limits: Limits,
    pub(crate) scripting: bool,
    pub(crate) detector: Detector,
    pub(crate) focus: Focus,
    pub(crate) method: Option<Method>,
    pub(crate) site_level: SiteLevelSettings,
    pub(crate) page_level: PageLevelOptions,
    pub(crate) block: OperatingPoint,
    pub(crate) details: bool,
    pub(crate) metadata: bool,
    pub(crate) absolute_urls: bool,
    pub(crate) render: RenderOptions<'static>,
}

/// Settings of [`Detector::PageLevel`] that differ from what its model suggests.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct PageLevelOptions {
    pub(crate) penalty: Option<f32>,
    pub(crate) threshold: Option<f32>,
}

impl Options {
    /// The defaults.
    pub fn new() -> Options {
        Options::default()
    }

    /// Limits on what one page may cost.
    pub fn with_limits(mut self, limits: Limits) -> Options {
        self.limits = limits;
        self
    }

    /// Reads pages as a browser that runs scripts does: `<noscript>` elements are ignored.
    pub fn with_scripting(mut self, scripting: bool) -> Options {
        self.scripting = scripting;
        self
    }

    /// The detector that decides what is dropped.
    ///
    /// Detectors that compare pages of a site keep all of a page whose site is not known.
    pub fn with_detector(mut self, detector: Detector) -> Options {
        self.detector = detector;
        self
    }

    /// For [`Detector::Fusion`]: from precision to recall.
    pub fn with_focus(mut self, focus: Focus) -> Options {
        self.focus = focus;
        self
    }

    /// Uses this method with a site's templates instead of the one they were learned with.
    ///
    /// [`Detector::SiteLevel`], [`Detector::TreeMap`] and [`Detector::Align`] say so themselves.
    pub fn with_method(mut self, method: Option<Method>) -> Options {
        self.method = method;
        self
    }

    /// For SITELEVEL: the share of a site's pages a node must appear on to be template, more than 0 and at most 1.
    pub fn with_site_threshold(mut self, threshold: f64) -> Options {
        self.site_level.threshold = threshold;
        self
    }

    /// For PageLevel: nodes with at least this score are template; without it, the model's own threshold.
    pub fn with_page_threshold(mut self, threshold: Option<f32>) -> Options {
        self.page_level.threshold = threshold;
        self
    }

    /// For PageLevel: the cost of a new section; without it, the model's own.
    pub fn with_section_penalty(mut self, penalty: Option<f32>) -> Options {
        self.page_level.penalty = penalty;
        self
    }

    /// For Block: which blocks are dropped.
    pub fn with_operating_point(mut self, point: OperatingPoint) -> Options {
        self.block = point;
        self
    }

    /// Whether PageLevel and Block note for each node which features weighed most, for
    /// [`Extraction::explain`](crate::Extraction::explain).
    pub fn with_details(mut self, details: bool) -> Options {
        self.details = details;
        self
    }

    /// Whether to collect what the page says about itself: title, author, date and more.
    pub fn with_metadata(mut self, metadata: bool) -> Options {
        self.metadata = metadata;
        self
    }

    /// Whether links and images in Markdown and HTML get absolute URLs, where the URL of the page is known or it has a
    /// `<base>` element with an absolute one.
    pub fn with_absolute_urls(mut self, absolute_urls: bool) -> Options {
        self.absolute_urls = absolute_urls;
        self
    }

    /// How results are written.
    pub fn with_render(mut self, render: RenderOptions<'static>) -> Options {
        self.render = render;
        self
    }

    /// The detector that decides what is dropped.
    pub fn detector(&self) -> Detector {
        self.detector
    }

    /// Whether metadata is collected.
    pub fn metadata(&self) -> bool {
        self.metadata
    }

    /// The method a site's templates are used with, if it is not the one they were learned with.
    pub(crate) fn site_method(&self) -> Option<Method> {
        match self.detector {
            Detector::SiteLevel => Some(Method::SiteLevel),
            Detector::TreeMap => Some(Method::TreeMap),
            Detector::Align => Some(Method::Align),
            Detector::Auto => Some(Method::Auto),
            _ => self.method,
        }
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
