//! The formats of a result and the options of the renderers.

use crate::dom::NodeId;
use crate::error::Error;
use std::str::FromStr;
use url::Url;

/// A format of the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OutputFormat {
    /// Plain text.
    #[default]
    Text,
    /// Markdown with tables, lists, code and links.
    Markdown,
    /// HTML of a small, safe set of elements.
    Html,
    /// A record with every block, its position in the source, its decision and its reason.
    Json,
    /// The records of the page that are content, such as posts, cards and rows, as JSON.
    Records,
}

impl OutputFormat {
    /// All of them, the default first.
    pub const ALL: [OutputFormat; 5] =
        [OutputFormat::Text, OutputFormat::Markdown, OutputFormat::Html, OutputFormat::Json, OutputFormat::Records];

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            OutputFormat::Text => "text",
            OutputFormat::Markdown => "markdown",
            OutputFormat::Html => "html",
            OutputFormat::Json => "json",
            OutputFormat::Records => "records",
        }
    }
}

impl FromStr for OutputFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<OutputFormat, Error> {
        let found = OutputFormat::ALL.into_iter().find(|known| known.name() == name);
        found.ok_or_else(|| Error::unknown_name("format", name, &OutputFormat::ALL.map(OutputFormat::name)))
    }
}

/// What the renderers write in addition to the visible text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RenderOptions<'a> {
    pub(crate) hidden: Option<bool>,
    pub(crate) links: bool,
    pub(crate) images: bool,
    pub(crate) marks: bool,
    pub(crate) base: Option<&'a Url>,
    pub(crate) heading: HeadingPlan<'a>,
}

/// What is done with the main heading of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct HeadingPlan<'a> {
    /// A heading to write before the content.
    pub(crate) before: Option<&'a str>,
    /// A heading to leave out.
    pub(crate) without: Option<NodeId>,
}

impl Default for RenderOptions<'_> {
    fn default() -> Self {
        RenderOptions {
            hidden: None,
            links: true,
            images: true,
            marks: true,
            base: None,
            heading: HeadingPlan::default(),
        }
    }
}

impl<'a> RenderOptions<'a> {
    /// Sets whether to write elements with `hidden` or `style="display:none"`. By default they are written if the detector
    /// covers hidden elements and kept them.
    pub fn with_hidden(mut self, hidden: bool) -> RenderOptions<'a> {
        self.hidden = Some(hidden);
        self
    }

    /// Sets whether Markdown and HTML keep the targets of links; on by default. The text of links is always kept.
    pub fn with_links(mut self, links: bool) -> RenderOptions<'a> {
        self.links = links;
        self
    }

    /// Sets whether Markdown and HTML keep images; on by default.
    pub fn with_images(mut self, images: bool) -> RenderOptions<'a> {
        self.images = images;
        self
    }

    /// Sets whether plain text has list marks and sets superscripts and subscripts apart; on by default. Without them it has only
    /// the words of the page.
    pub fn with_marks(mut self, marks: bool) -> RenderOptions<'a> {
        self.marks = marks;
        self
    }

    /// Sets the base URL by which links and images in Markdown and HTML are made absolute.
    pub fn with_base(mut self, base: impl Into<Option<&'a Url>>) -> RenderOptions<'a> {
        self.base = base.into();
        self
    }

    pub(crate) fn with_heading_plan(mut self, heading: HeadingPlan<'a>) -> RenderOptions<'a> {
        self.heading = heading;
        self
    }
}
