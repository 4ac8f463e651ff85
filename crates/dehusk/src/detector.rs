//! The names of the detectors.

use std::fmt;

/// A way to find the template of a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Detector {
    /// One model over the text blocks of a page; what is known of the page's site counts as evidence.
    #[default]
    Fusion,
    /// What appears on many pages of the site.
    SiteLevel,
    /// What the trees of some pages of the site have in common.
    TreeMap,
    /// What some pages of the site have in the same order.
    Align,
    /// Whichever of these three, or of their combinations, was found to agree best with the pages of the site.
    Auto,
    /// A model of what template nodes look like, smoothed over the tree of the page.
    PageLevel,
    /// The same model without smoothing.
    PageLevelBasic,
    /// A model of what template blocks look like.
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

    /// The detector of a name.
    pub fn from_name(name: &str) -> Option<Detector> {
        Detector::ALL.into_iter().find(|detector| detector.name() == name)
    }
}

impl fmt::Display for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The detectors a result comes from. Shown as their names, such as `fusion+sitelevel`; `none` where there is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Detectors(u16);

impl Detectors {
    /// These and those.
    pub fn and(self, others: impl Into<Detectors>) -> Detectors {
        Detectors(self.0 | others.into().0)
    }

    /// Whether a detector is among them.
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
    fn names_lead_back() {
        for detector in Detector::ALL {
            assert_eq!(Detector::from_name(detector.name()), Some(detector));
        }
        assert_eq!(Detector::from_name("magic"), None);
    }

    #[test]
    fn several_detectors_are_shown_in_one_order() {
        let both = Detectors::from(Detector::Align).and(Detector::SiteLevel).and(Detector::Fusion);
        assert_eq!(both.to_string(), "fusion+sitelevel+align");
        assert!(both.contains(Detector::Align) && !both.contains(Detector::TreeMap));
        assert_eq!(Detectors::from(Detector::None).to_string(), "none");
    }
}
