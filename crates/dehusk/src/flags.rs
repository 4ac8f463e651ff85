//! What is out of the ordinary about a result.

use crate::dom::Limit;
use crate::fallback_source::FallbackSource;
use std::fmt;

/// Something out of the ordinary about a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Flag {
    /// The container holds only the beginning of the page.
    Truncated,
    /// No template of the page's site is known.
    NoTemplate,
    /// None of the templates of the page's site fits the page.
    NoTemplateFits,
    /// The page seems to have no content.
    NoContent,
    /// The evidence of the page and that of its site together left nothing, so that only one of them was used.
    EvidenceDisputed,
    /// Bytes that mean nothing in the page's encoding were replaced.
    ReplacedBytes,
    /// A limit was hit, so that the result is partial.
    LimitHit(Limit),
    /// Hardly any text is visible; the content comes from elsewhere on the page.
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
            Flag::Fallback(source) => source.flag(),
        }
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
