//! The option that says what happens to the comments of readers.

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
