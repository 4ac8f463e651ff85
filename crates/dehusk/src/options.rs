//! The options of an extractor: how pages are read, which detector runs, and how results are rendered.

use crate::comments::Comments;
use crate::dom::Limits;
use crate::error::{Error, ErrorKind};
use crate::focus::Focus;
use crate::render::render_options::RenderOptions;
use crate::settle::main_heading::Heading;
use crate::site::templates::sitelevel::SiteLevelSettings;

/// Options of an [`Extractor`](crate::extractor::Extractor). The defaults suit most users.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options {
    pub(crate) limits: Limits,
    pub(crate) scripting: bool,
    pub(crate) focus: Focus,
    pub(crate) comments: Comments,
    pub(crate) site_level: SiteLevelSettings,
    pub(crate) details: bool,
    pub(crate) metadata: bool,
    pub(crate) absolute_urls: bool,
    pub(crate) heading: Heading,
    pub(crate) render: RenderOptions<'static>,
}

impl Options {
    /// The defaults.
    #[must_use]
    pub fn new() -> Options {
        Options::default()
    }

    /// Sets the limits on the cost of one page.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Options {
        self.limits = limits;
        self
    }

    /// Sets whether to parse pages as a browser that runs scripts does. `<noscript>` elements are then ignored.
    #[must_use]
    pub fn with_scripting(mut self, scripting: bool) -> Options {
        self.scripting = scripting;
        self
    }

    /// For the default detector: sets the focus, from precision to recall.
    #[must_use]
    pub fn with_focus(mut self, focus: Focus) -> Options {
        self.focus = focus;
        self
    }

    /// For the default detector: sets what happens to the comments of readers.
    #[must_use]
    pub fn with_comments(mut self, comments: Comments) -> Options {
        self.comments = comments;
        self
    }

    /// For SITELEVEL: sets the share of a site's pages that a node must appear on to be template, more than 0 and at most 1.
    #[must_use]
    pub fn with_site_threshold(mut self, threshold: f64) -> Options {
        self.site_level.threshold = threshold;
        self
    }

    /// Sets whether detectors with a model record the features with the largest contribution for each node, for
    /// [`Extraction::explain`](crate::extraction::Extraction::explain).
    #[must_use]
    pub fn with_details(mut self, details: bool) -> Options {
        self.details = details;
        self
    }

    /// Sets whether to collect the page's metadata: title, author, date and more.
    #[must_use]
    pub fn with_metadata(mut self, metadata: bool) -> Options {
        self.metadata = metadata;
        self
    }

    /// Sets whether links and images in Markdown and HTML get absolute URLs, by the URL of the page. They always do if the page
    /// has a `<base>` with an absolute URL.
    #[must_use]
    pub fn with_absolute_urls(mut self, absolute_urls: bool) -> Options {
        self.absolute_urls = absolute_urls;
        self
    }

    /// Sets whether the content begins with the main heading of the page.
    #[must_use]
    pub fn with_heading(mut self, heading: Heading) -> Options {
        self.heading = heading;
        self
    }

    /// Sets how results are rendered.
    #[must_use]
    pub fn with_render(mut self, render: RenderOptions<'static>) -> Options {
        self.render = render;
        self
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

    /// What happens to the comments of readers.
    pub fn comments(&self) -> Comments {
        self.comments
    }

    /// Whether detectors record why.
    pub fn details(&self) -> bool {
        self.details
    }

    /// Whether metadata is collected.
    pub fn metadata(&self) -> bool {
        self.metadata
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
