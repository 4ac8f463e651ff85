//! One page with what its container says about it.

use crate::input_value::InputValue;
use crate::location::Location;

/// One page, ready to work on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InputPage {
    /// The address of the page, or its path if the input has no addresses.
    pub url: String,
    /// The id that the input gives the page.
    pub id: Option<InputValue>,
    /// The page without transfer and content encodings, in its own character encoding.
    pub html: Vec<u8>,
    /// The content type with its charset, as the server or the container states it.
    pub content_type: Option<String>,
    /// The fields to carry over, in the order of the options; null if the input has none.
    pub carried: Vec<(String, InputValue)>,
    /// Whether the input holds only the start of the page.
    pub truncated: bool,
    /// Where the page was read.
    pub location: Location,
}

impl InputPage {
    /// The address of the page, or its location if it has none.
    #[must_use]
    pub fn name(&self) -> String {
        if self.url.is_empty() { self.location.to_string() } else { self.url.clone() }
    }
}
