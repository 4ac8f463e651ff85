//! Why options cannot be used.

use dehusk_io::{MAX_MESSAGE, shortened};
use std::fmt;

/// Why options cannot be used: a kind for code, a message for people in the words of the surface they were given on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    kind: &'static str,
    message: String,
}

impl OptionError {
    /// An option that cannot be used.
    pub fn new(message: impl Into<String>) -> OptionError {
        OptionError { kind: "bad_options", message: shortened(&message.into(), MAX_MESSAGE).into_owned() }
    }

    /// A short name for code: `bad_options`, or the kind of the file that an option names, such as `bad_model`.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// What is wrong and what to do.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OptionError {}

impl From<dehusk::Error> for OptionError {
    fn from(error: dehusk::Error) -> OptionError {
        OptionError { kind: error.kind().name(), message: error.to_string() }
    }
}
