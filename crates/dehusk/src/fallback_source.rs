//! The sources of content outside the visible text of a page.

/// A source of content outside the visible text of a page, used if hardly any text is visible.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum FallbackSource {
    /// The body of an article, a post or an answer in JSON-LD.
    JsonLd,
    /// `<noscript>`.
    Noscript,
    /// `<template>`.
    Template,
    /// Data for scripts: `__NEXT_DATA__`, `window.__INITIAL_STATE__ = …`, `data-…` attributes.
    DataIsland,
    /// The description in `<meta>` or JSON-LD. It never replaces the visible text.
    Description,
}

impl FallbackSource {
    /// All sources, in order of precedence.
    pub const ALL: [FallbackSource; 5] = [
        FallbackSource::JsonLd,
        FallbackSource::Noscript,
        FallbackSource::Template,
        FallbackSource::DataIsland,
        FallbackSource::Description,
    ];

    /// The flag of a record with content from this source.
    pub fn flag(self) -> &'static str {
        match self {
            FallbackSource::JsonLd => "from_json_ld",
            FallbackSource::Noscript => "from_noscript",
            FallbackSource::Template => "from_template",
            FallbackSource::DataIsland => "from_data_island",
            FallbackSource::Description => "from_description",
        }
    }
}
