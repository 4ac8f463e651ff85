//! The input of an extraction: the bytes of a page and what is known about it.

use crate::layout::supplied_boxes::SuppliedBoxes;
use crate::site::templates::site_templates::SiteTemplates;

/// A page to extract from: its bytes, and what is known about it.
///
/// ```
/// use dehusk::Page;
///
/// let page = Page::new(b"<p>Nets are mended in May.").with_url("https://harbour.example/nets").with_content_type("text/html");
/// # let _ = page;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) content_type: Option<&'a str>,
    pub(crate) url: Option<&'a str>,
    pub(crate) site: Option<&'a SiteTemplates>,
    pub(crate) boxes: Option<&'a SuppliedBoxes>,
}

impl<'a> Page<'a> {
    /// Creates a page of which only the bytes are known.
    pub fn new(bytes: &'a (impl AsRef<[u8]> + ?Sized)) -> Page<'a> {
        Page { bytes: bytes.as_ref(), content_type: None, url: None, site: None, boxes: None }
    }

    /// Sets the value of the HTTP header `Content-Type`.
    pub fn with_content_type(mut self, content_type: impl Into<Option<&'a str>>) -> Page<'a> {
        self.content_type = content_type.into();
        self
    }

    /// Sets the URL of the page. It is the base of absolute URLs, and PageLevel uses it to separate links within the site from
    /// others.
    pub fn with_url(mut self, url: impl Into<Option<&'a str>>) -> Page<'a> {
        self.url = url.into();
        self
    }

    /// Sets the templates of the page's site.
    pub fn with_site(mut self, site: impl Into<Option<&'a SiteTemplates>>) -> Page<'a> {
        self.site = site.into();
        self
    }

    /// Sets the boxes of the page's elements, as measured by a browser. Without them, PageLevel estimates the layout.
    pub fn with_boxes(mut self, boxes: impl Into<Option<&'a SuppliedBoxes>>) -> Page<'a> {
        self.boxes = boxes.into();
        self
    }
}

impl<'a> Page<'a> {
    /// Its URL, if known.
    #[must_use]
    pub fn url(&self) -> Option<&'a str> {
        self.url
    }

    /// The boxes of its elements, if a browser measured them.
    #[must_use]
    pub fn boxes(&self) -> Option<&'a SuppliedBoxes> {
        self.boxes
    }
}

/// Bytes or text without further knowledge about the page.
impl<'a, T: AsRef<[u8]> + ?Sized> From<&'a T> for Page<'a> {
    fn from(bytes: &'a T) -> Page<'a> {
        Page::new(bytes)
    }
}
