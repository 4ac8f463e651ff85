//! A page that somebody else holds: its bytes, and what is known of it. Nothing is copied or parsed.

use crate::input_page::InputPage;
use crate::input_value::InputValue;
use crate::location::Location;

/// A page as the caller holds it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PageRef<'a> {
    /// The address of the page; empty if it has none.
    pub url: &'a str,
    /// The page in its own character encoding.
    pub html: &'a [u8],
    /// The content type with its charset, as the server states it.
    pub content_type: Option<&'a str>,
    /// Whether this is only the start of the page.
    pub truncated: bool,
    /// The id of the page, for its row.
    pub id: Option<&'a InputValue>,
    /// The values to carry over to its row.
    pub(super) carried: &'a [(String, InputValue)],
    /// Where it was read.
    location: Option<&'a Location>,
}

impl<'a> PageRef<'a> {
    /// A page of which nothing else is known.
    #[must_use]
    pub fn new(url: &'a str, html: &'a [u8]) -> PageRef<'a> {
        PageRef { url, html, content_type: None, truncated: false, id: None, carried: &[], location: None }
    }

    /// The id of the page, for its row.
    #[must_use]
    pub fn with_id(mut self, id: Option<&'a InputValue>) -> PageRef<'a> {
        self.id = id;
        self
    }

    /// The content type with its charset, as the server states it.
    #[must_use]
    pub fn with_content_type(mut self, content_type: Option<&'a str>) -> PageRef<'a> {
        self.content_type = content_type;
        self
    }

    /// Whether this is only the start of the page.
    #[must_use]
    pub fn with_truncated(mut self, truncated: bool) -> PageRef<'a> {
        self.truncated = truncated;
        self
    }

    /// Where it was read, if that is known.
    pub(super) fn location(&self) -> Option<&Location> {
        self.location
    }

    /// Its address, or else where it was read.
    pub(super) fn name(&self) -> String {
        match self.location {
            Some(location) if self.url.is_empty() => location.to_string(),
            _ => self.url.to_string(),
        }
    }
}

impl<'a> From<&'a InputPage> for PageRef<'a> {
    fn from(page: &'a InputPage) -> PageRef<'a> {
        PageRef {
            url: &page.url,
            html: &page.html,
            content_type: page.content_type.as_deref(),
            truncated: page.truncated,
            id: page.id.as_ref(),
            carried: &page.carried,
            location: Some(&page.location),
        }
    }
}
