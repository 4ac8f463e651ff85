//! A parsed page with statistics and fingerprints that are computed on demand.

use crate::dom::{Document, EncodingRule, Fingerprints, Stats};
use std::cell::{Cell, OnceCell};

/// A parsed page, its statistics and its fingerprints.
#[derive(Clone, Copy, Debug)]
pub struct ParsedPage<'a> {
    /// The tree.
    pub document: &'a Document,
    counted: Counted<'a>,
    /// How the bytes of the page were decoded.
    pub encoding: PageEncoding,
}

/// How the bytes of a page were decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PageEncoding {
    /// The name of the encoding, such as `UTF-8`.
    pub name: &'static str,
    /// The rule that decided it.
    pub rule: EncodingRule,
    /// Whether bytes that are invalid in that encoding were replaced.
    pub replaced: bool,
}

/// Statistics and fingerprints, computed already or on demand.
#[derive(Clone, Copy, Debug)]
enum Counted<'a> {
    Known(&'a Stats, &'a Fingerprints),
    OnDemand(&'a OnDemand<Stats>, &'a OnDemand<Fingerprints>),
}

/// A value that is computed on first use, in buffers reused from page to page.
#[derive(Default)]
pub(crate) struct OnDemand<T> {
    value: OnceCell<T>,
    spare: Cell<Option<T>>,
}

impl<T> std::fmt::Debug for OnDemand<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.value.get().is_some() { "computed" } else { "not computed" })
    }
}

impl<T: Default> OnDemand<T> {
    /// Clears the value for the next page and keeps its buffers.
    pub(crate) fn clear(&mut self) {
        if let Some(value) = self.value.take() {
            self.spare.set(Some(value));
        }
    }

    fn get(&self, compute: impl FnOnce(&mut T)) -> &T {
        self.value.get_or_init(|| {
            let mut value = self.spare.take().unwrap_or_default();
            compute(&mut value);
            value
        })
    }
}

impl PageEncoding {
    pub(crate) fn new(name: &'static str, rule: EncodingRule, replaced: bool) -> PageEncoding {
        PageEncoding { name, rule, replaced }
    }
}

impl<'a> ParsedPage<'a> {
    /// Creates a page in UTF-8 whose statistics and fingerprints are already computed.
    pub fn new(document: &'a Document, stats: &'a Stats, fingerprints: &'a Fingerprints) -> ParsedPage<'a> {
        let encoding = PageEncoding::new("UTF-8", EncodingRule::Utf8, false);
        ParsedPage { document, counted: Counted::Known(stats, fingerprints), encoding }
    }

    /// Creates a page whose statistics and fingerprints are computed on first use.
    pub(crate) fn on_demand(
        document: &'a Document,
        stats: &'a OnDemand<Stats>,
        fingerprints: &'a OnDemand<Fingerprints>,
        encoding: PageEncoding,
    ) -> ParsedPage<'a> {
        ParsedPage { document, counted: Counted::OnDemand(stats, fingerprints), encoding }
    }

    /// Text statistics by subtree.
    pub fn stats(&self) -> &'a Stats {
        match self.counted {
            Counted::Known(stats, _) => stats,
            Counted::OnDemand(stats, _) => stats.get(|stats| stats.count(self.document)),
        }
    }

    /// Fingerprints by subtree, without the `text` variant.
    pub fn fingerprints(&self) -> &'a Fingerprints {
        match self.counted {
            Counted::Known(_, fingerprints) => fingerprints,
            Counted::OnDemand(_, fingerprints) => fingerprints.get(|fingerprints| fingerprints.compute(self.document)),
        }
    }
}
