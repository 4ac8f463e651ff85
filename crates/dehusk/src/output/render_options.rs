//! The forms a result can have.

use url::Url;

/// A form of the result.
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
    /// A record with every block, its place in the source, the decision and the reason.
    Json,
}

/// What the renderers write beside the visible text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RenderOptions<'a> {
    pub(crate) hidden: Option<bool>,
    pub(crate) links: bool,
    pub(crate) images: bool,
    pub(crate) base: Option<&'a Url>,
}

impl Default for RenderOptions<'_> {
    fn default() -> Self {
        RenderOptions { hidden: None, links: true, images: true, base: None }
    }
}

impl<'a> RenderOptions<'a> {
    /// Whether to write what carries `hidden` or `style="display:none"`. Unless set, it is written where the detector decided about
    /// it, too, and kept it.
    pub fn with_hidden(mut self, hidden: bool) -> RenderOptions<'a> {
        self.hidden = Some(hidden);
        self
    }

    /// Whether Markdown and HTML keep the targets of links; on unless unset. Their text stays either way.
    pub fn with_links(mut self, links: bool) -> RenderOptions<'a> {
        self.links = links;
        self
    }

    /// Whether Markdown and HTML keep images; on unless unset.
    pub fn with_images(mut self, images: bool) -> RenderOptions<'a> {
        self.images = images;
        self
    }

    /// Makes the URLs of links and images in Markdown and HTML absolute, starting from this one.
    pub fn with_base(mut self, base: impl Into<Option<&'a Url>>) -> RenderOptions<'a> {
        self.base = base.into();
        self
    }
}
