//! Where content can be that is not in the visible text of a page.

/// Where content was found that is not in the visible text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum HiddenSource {
    /// The body of an article, a post or an answer in JSON-LD.
    JsonLd,
    /// `<noscript>`.
    Noscript,
    /// `<template>`.
    Template,
    /// Data for scripts: `__NEXT_DATA__`, `window.__INITIAL_STATE__ = …`, `data-…` attributes.
    DataIsland,
    /// No more than the description in `<meta>` or JSON-LD; it is never used in place of the visible text.
    Description,
}

impl HiddenSource {
    /// All sources, the ones that are believed first in front.
    pub const ALL: [HiddenSource; 5] = [
        HiddenSource::JsonLd,
        HiddenSource::Noscript,
        HiddenSource::Template,
        HiddenSource::DataIsland,
        HiddenSource::Description,
    ];

    /// The flag of a record whose content is from here.
    pub fn flag(self) -> &'static str {
        match self {
            HiddenSource::JsonLd => "from_json_ld",
            HiddenSource::Noscript => "from_noscript",
            HiddenSource::Template => "from_template",
            HiddenSource::DataIsland => "from_data_island",
            HiddenSource::Description => "from_description",
        }
    }
}
