//! Flags: unusual facts about a result.

use crate::dom::Limit;
use crate::fallback_source::FallbackSource;
use std::fmt;

/// An unusual fact about a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Flag {
    /// The container has only the beginning of the page.
    Truncated,
    /// No template of the page's site is known.
    NoTemplate,
    /// None of the templates of the page's site fits the page.
    NoTemplateFits,
    /// The page seems to have no content.
    NoContent,
    /// The evidence of the page and of its site together would keep nothing, so only one of them was used.
    EvidenceDisputed,
    /// Bytes that are invalid in the page's encoding were replaced.
    ReplacedBytes,
    /// A limit was hit; the result is partial.
    LimitHit(Limit),
    /// Records were left out because a limit was hit.
    CutRecords,
    /// Paths of records were left out because together they would be much longer than the page.
    CutPaths,
    /// Hardly any text is visible; the content is from this fallback source.
    Fallback(FallbackSource),
}

impl Flag {
    /// The name in records, such as `no_content`.
    pub fn name(self) -> &'static str {
        match self {
            Flag::Truncated => "truncated",
            Flag::NoTemplate => "no_template",
            Flag::NoTemplateFits => "no_template_fits",
            Flag::NoContent => "no_content",
            Flag::EvidenceDisputed => "evidence_disputed",
            Flag::ReplacedBytes => "replaced_bytes",
            Flag::LimitHit(Limit::Nodes) => "cut_nodes",
            Flag::LimitHit(Limit::Depth) => "cut_depth",
            Flag::LimitHit(Limit::Formatting) => "cut_formatting",
            Flag::LimitHit(Limit::Attributes) => "cut_attributes",
            Flag::LimitHit(Limit::Work) => "cut_work",
            Flag::LimitHit(_) => "cut",
            Flag::CutRecords => "cut_records",
            Flag::CutPaths => "cut_paths",
            Flag::Fallback(source) => source.flag(),
        }
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
