//! The options of an extractor: how pages are read, which detector runs, and how results are rendered.

use crate::comments::Comments;
use crate::detector::Detector;
use crate::dom::Limits;
use crate::error::{Error, ErrorKind};
use crate::focus::Focus;
use crate::output::{Heading, RenderOptions};
use crate::page::OperatingPoint;
use crate::site::{Method, SiteLevelSettings};

/// Options of an [`Extractor`](crate::Extractor). The defaults suit most users.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options {
    pub(crate) limits: Limits,
    pub(crate) scripting: bool,
    pub(crate) detector: Detector,
    pub(crate) focus: Focus,
    pub(crate) comments: Comments,
    pub(crate) method: Option<Method>,
    pub(crate) site_level: SiteLevelSettings,
    pub(crate) page_level: PageLevelOptions,
    pub(crate) block: OperatingPoint,
    pub(crate) details: bool,
    pub(crate) metadata: bool,
    pub(crate) absolute_urls: bool,
    pub(crate) heading: Heading,
    pub(crate) render: RenderOptions<'static>,
}

/// Settings of [`Detector::PageLevel`] that override those of its model.
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

    /// Sets the limits on the cost of one page.
    pub fn with_limits(mut self, limits: Limits) -> Options {
        self.limits = limits;
        self
    }

    /// Sets whether to parse pages as a browser that runs scripts does. `<noscript>` elements are then ignored.
    pub fn with_scripting(mut self, scripting: bool) -> Options {
        self.scripting = scripting;
        self
    }

    /// Sets the detector that decides what is dropped.
    ///
    /// Detectors that compare the pages of a site keep everything on a page of an unknown site.
    pub fn with_detector(mut self, detector: Detector) -> Options {
        self.detector = detector;
        self
    }

    /// For [`Detector::Fusion`]: sets the focus, from precision to recall.
    pub fn with_focus(mut self, focus: Focus) -> Options {
        self.focus = focus;
        self
    }

    /// For [`Detector::Fusion`]: sets what happens to the comments of readers.
    pub fn with_comments(mut self, comments: Comments) -> Options {
        self.comments = comments;
        self
    }

    /// Applies a site's templates with this method instead of the one they were learned with.
    ///
    /// [`Detector::SiteLevel`], [`Detector::TreeMap`], [`Detector::Align`] and [`Detector::Auto`] imply their method.
    pub fn with_method(mut self, method: Option<Method>) -> Options {
        self.method = method;
        self
    }

    /// For SITELEVEL: sets the share of a site's pages that a node must appear on to be template, more than 0 and at most 1.
    pub fn with_site_threshold(mut self, threshold: f64) -> Options {
        self.site_level.threshold = threshold;
        self
    }

    /// For PageLevel: sets the threshold. Nodes with at least this score are template. `None` uses the model's own.
    pub fn with_page_threshold(mut self, threshold: Option<f32>) -> Options {
        self.page_level.threshold = threshold;
        self
    }

    /// For PageLevel: sets the cost of a new section. `None` uses the model's own.
    pub fn with_section_penalty(mut self, penalty: Option<f32>) -> Options {
        self.page_level.penalty = penalty;
        self
    }

    /// For Block: sets which blocks are dropped.
    pub fn with_operating_point(mut self, point: OperatingPoint) -> Options {
        self.block = point;
        self
    }

    /// Sets whether Fusion, PageLevel and Block record the features with the largest contribution for each node, for
    /// [`Extraction::explain`](crate::Extraction::explain).
    pub fn with_details(mut self, details: bool) -> Options {
        self.details = details;
        self
    }

    /// Sets whether to collect the page's metadata: title, author, date and more.
    pub fn with_metadata(mut self, metadata: bool) -> Options {
        self.metadata = metadata;
        self
    }

    /// Sets whether links and images in Markdown and HTML get absolute URLs, by the URL of the page. They always do if the page
    /// has a `<base>` with an absolute URL.
    pub fn with_absolute_urls(mut self, absolute_urls: bool) -> Options {
        self.absolute_urls = absolute_urls;
        self
    }

    /// Sets whether the content begins with the main heading of the page.
    pub fn with_heading(mut self, heading: Heading) -> Options {
        self.heading = heading;
        self
    }

    /// Sets how results are rendered.
    pub fn with_render(mut self, render: RenderOptions<'static>) -> Options {
        self.render = render;
        self
    }

    /// The detector that decides what is dropped.
    pub fn detector(&self) -> Detector {
        self.detector
    }

    /// The focus.
    pub fn focus(&self) -> Focus {
        self.focus
    }

    /// The limits on the cost of one page.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether pages are parsed as a browser that runs scripts does.
    pub fn scripting(&self) -> bool {
        self.scripting
    }

    /// Whether metadata is collected.
    pub fn metadata(&self) -> bool {
        self.metadata
    }

    /// The method to apply a site's templates with, if it is not the one they were learned with.
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
        if self.comments != Comments::Auto && self.detector != Detector::Fusion {
            let message = format!("only the detector {} knows comments, not {}", Detector::Fusion, self.detector);
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
