//! The option that says what happens to the comments of readers.

use crate::error::Error;
use std::str::FromStr;

/// What happens to the comments of readers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Comments {
    /// As the detector decides: comments under an article are mostly dropped, the posts of a forum kept.
    #[default]
    Auto,
    /// Comments are kept.
    Keep,
    /// Comments are dropped. The posts of a forum are not comments.
    Drop,
    /// Only comments are kept, and the posts of a forum.
    Only,
}

impl Comments {
    /// All of them, the default first.
    pub const ALL: [Comments; 4] = [Comments::Auto, Comments::Keep, Comments::Drop, Comments::Only];

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Comments::Auto => "auto",
            Comments::Keep => "keep",
            Comments::Drop => "drop",
            Comments::Only => "only",
        }
    }
}

impl FromStr for Comments {
    type Err = Error;

    fn from_str(name: &str) -> Result<Comments, Error> {
        let found = Comments::ALL.into_iter().find(|known| known.name() == name);
        found.ok_or_else(|| Error::unknown_name("choice for comment", name, &Comments::ALL.map(Comments::name)))
    }
}
