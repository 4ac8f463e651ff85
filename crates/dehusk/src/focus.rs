//! The focus: how much is kept, from precision to recall.

use crate::error::{Error, ErrorKind};

/// A setting from precision (0) to recall (1). A higher focus keeps everything that a lower one keeps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Focus(pub(crate) f32);

impl Focus {
    /// Favours precision: less boilerplate is kept, and some content may be lost.
    pub const PRECISION: Focus = Focus(0.25);
    /// Balances precision and recall.
    pub const BALANCED: Focus = Focus(0.5);
    /// Favours recall: less content is lost, and some boilerplate may be kept.
    pub const RECALL: Focus = Focus(0.75);

    /// The focus as a number from 0 to 1.
    pub fn value(self) -> f32 {
        self.0
    }

    /// A focus from 0 to 1. Other values are an error.
    pub fn new(focus: f32) -> Result<Focus, Error> {
        match (0.0..=1.0).contains(&focus) {
            true => Ok(Focus(focus)),
            false => Err(Error::new(ErrorKind::BadOptions, format!("the focus must be from 0 to 1, not {focus}"))),
        }
    }
}

impl Default for Focus {
    fn default() -> Focus {
        Focus::BALANCED
    }
}
