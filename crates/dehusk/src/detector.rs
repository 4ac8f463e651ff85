//! The names of the detectors.

use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// A method that decides which nodes of a page are template.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Detector {
    /// One model over the text blocks of a page, with evidence from the page's site if known.
    #[default]
    Fusion,
    /// Drops what appears on many pages of the site.
    SiteLevel,
    /// Drops what the trees of a few pages of the site have in common.
    TreeMap,
    /// Drops what a few pages of the site have in the same order.
    Align,
    /// The one of these three, or of their combinations, that agrees best with the pages of the site.
    Auto,
    /// A model over the nodes of a page, with scores smoothed over the tree.
    PageLevel,
    /// The same model without smoothing.
    PageLevelBasic,
    /// A model over the blocks of a page.
    Block,
    /// Drops nothing.
    None,
}

impl Detector {
    /// All detectors, the default first.
    pub const ALL: [Detector; 9] = [
        Detector::Fusion,
        Detector::SiteLevel,
        Detector::TreeMap,
        Detector::Align,
        Detector::Auto,
        Detector::PageLevel,
        Detector::PageLevelBasic,
        Detector::Block,
        Detector::None,
    ];

    /// The name in flags and records, such as `sitelevel`.
    pub fn name(self) -> &'static str {
        match self {
            Detector::Fusion => "fusion",
            Detector::SiteLevel => "sitelevel",
            Detector::TreeMap => "treemap",
            Detector::Align => "align",
            Detector::Auto => "auto",
            Detector::PageLevel => "pagelevel",
            Detector::PageLevelBasic => "pagelevel-basic",
            Detector::Block => "block",
            Detector::None => "none",
        }
    }
}

impl FromStr for Detector {
    type Err = Error;

    fn from_str(name: &str) -> Result<Detector, Error> {
        let found = Detector::ALL.into_iter().find(|detector| detector.name() == name);
        found.ok_or_else(|| Error::unknown_name("detector", name, &Detector::ALL.map(Detector::name)))
    }
}

impl fmt::Display for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The set of detectors that produced a result. Displayed as names, such as `fusion+sitelevel`, or `none`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Detectors(u16);

impl Detectors {
    /// The union of both sets.
    pub fn and(self, others: impl Into<Detectors>) -> Detectors {
        Detectors(self.0 | others.into().0)
    }

    /// Whether a detector is in the set.
    pub fn contains(self, detector: Detector) -> bool {
        self.0 & Detectors::from(detector).0 != 0
    }

    /// The detectors, in the order of [`Detector::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Detector> {
        Detector::ALL.into_iter().filter(move |detector| self.contains(*detector))
    }
}

impl From<Detector> for Detectors {
    fn from(detector: Detector) -> Detectors {
        Detectors(if detector == Detector::None { 0 } else { 1 << detector as u16 })
    }
}

impl fmt::Display for Detectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str(Detector::None.name());
        }
        for (number, detector) in self.iter().enumerate() {
            f.write_str(if number > 0 { "+" } else { "" })?;
            f.write_str(detector.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for detector in Detector::ALL {
            assert_eq!(detector.name().parse(), Ok(detector));
        }
        assert!("magic".parse::<Detector>().is_err());
    }

    #[test]
    fn several_detectors_are_displayed_in_a_fixed_order() {
        let both = Detectors::from(Detector::Align).and(Detector::SiteLevel).and(Detector::Fusion);
        assert_eq!(both.to_string(), "fusion+sitelevel+align");
        assert!(both.contains(Detector::Align) && !both.contains(Detector::TreeMap));
        assert_eq!(Detectors::from(Detector::None).to_string(), "none");
    }
}
