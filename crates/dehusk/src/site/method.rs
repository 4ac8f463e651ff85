//! The methods that find a site's template, and the combinations of detectors that run on its pages.

use super::rules::Rules;
use crate::detector::{Detector, Detectors};
use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// A method that finds what the pages of a site share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Method {
    /// Counts the pages that contain each part: `sitelevel`.
    #[default]
    SiteLevel,
    /// The common tree of the pages of a group: `treemap`.
    TreeMap,
    /// The common sequence of tags and texts of the pages of a group: `align`.
    Align,
    /// The one of these, or the combination, that agrees best with held-out pages: `auto`.
    Auto,
    /// TreeMap as in the paper, with one template for all pages and none of our rules: `treemap-paper`.
    TreeMapPaper,
    /// Align as in the paper, with one template for all pages, a share of one half and none of our rules: `align-paper`.
    AlignPaper,
}

impl Method {
    /// All methods but the two that repeat a paper.
    pub const ALL: [Method; 4] = [Method::SiteLevel, Method::TreeMap, Method::Align, Method::Auto];
    /// The methods of papers without our rules, for comparison.
    pub const PAPERS: [Method; 2] = [Method::TreeMapPaper, Method::AlignPaper];

    /// The name in files, flags and records.
    pub fn name(self) -> &'static str {
        match self {
            Method::SiteLevel => "sitelevel",
            Method::TreeMap => "treemap",
            Method::Align => "align",
            Method::Auto => "auto",
            Method::TreeMapPaper => "treemap-paper",
            Method::AlignPaper => "align-paper",
        }
    }

    /// The combination of a method that does not choose one.
    pub(crate) fn combination(self) -> Combination {
        match self {
            Method::SiteLevel | Method::Auto => Combination::SITE_LEVEL,
            Method::TreeMap | Method::TreeMapPaper => Combination::TREE_MAP,
            Method::Align | Method::AlignPaper => Combination::ALIGN,
        }
    }

    /// Which of our rules a method follows.
    pub(crate) fn rules(self) -> Rules {
        if Method::PAPERS.contains(&self) { Rules::Paper } else { Rules::All }
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Method, Error> {
        let found = Method::ALL.into_iter().chain(Method::PAPERS).find(|method| method.name() == name);
        found.ok_or_else(|| Error::unknown_name("method", name, &Method::ALL.map(Method::name)))
    }
}

/// The detectors that run on a page. A node is dropped if any of them drops it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Combination {
    /// Runs SITELEVEL.
    pub site_level: bool,
    /// Runs TreeMap.
    pub tree_map: bool,
    /// Runs Align.
    pub align: bool,
}

impl Combination {
    pub(crate) const SITE_LEVEL: Combination = Combination::of(true, false, false);
    pub(crate) const TREE_MAP: Combination = Combination::of(false, true, false);
    pub(crate) const ALIGN: Combination = Combination::of(false, false, true);
    const ALL: [Combination; 6] = [
        Combination::SITE_LEVEL,
        Combination::TREE_MAP,
        Combination::ALIGN,
        Combination::of(true, true, false),
        Combination::of(true, false, true),
        Combination::of(true, true, true),
    ];
    /// The combinations `auto` chooses from, cheapest first. All of them include the counts: on the sites of `eval
    /// methods`, combinations without them, or with two of three detectors deciding, lost more on sites with
    /// misleading evidence than they won on others (mean F 0.882 with them, 0.888 without).
    pub(crate) const CANDIDATES: [Combination; 4] =
        [Combination::ALL[0], Combination::ALL[3], Combination::ALL[4], Combination::ALL[5]];

    const fn of(site_level: bool, tree_map: bool, align: bool) -> Combination {
        Combination { site_level, tree_map, align }
    }

    /// Whether templates learned for this combination are sufficient for another.
    pub(crate) fn covers(self, other: Combination) -> bool {
        self.site_level >= other.site_level && self.tree_map >= other.tree_map && self.align >= other.align
    }

    /// The set of detectors.
    pub(crate) fn detectors(self) -> Detectors {
        let of = |used: bool, detector: Detector| if used { detector.into() } else { Detectors::default() };
        of(self.site_level, Detector::SiteLevel)
            .and(of(self.tree_map, Detector::TreeMap))
            .and(of(self.align, Detector::Align))
    }

    /// Returns the combination with a name, as in `sitelevel+treemap`.
    pub(crate) fn of_name(name: &str) -> Option<Combination> {
        Combination::ALL.into_iter().find(|combination| combination.to_string() == name)
    }
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.detectors().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for method in Method::ALL.into_iter().chain(Method::PAPERS) {
            assert_eq!(method.name().parse(), Ok(method));
        }
        for combination in Combination::ALL {
            assert_eq!(Combination::of_name(&combination.to_string()), Some(combination));
        }
        assert!("magic".parse::<Method>().is_err());
    }
}
