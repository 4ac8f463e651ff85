//! The names of the detectors that a result comes from.

use std::fmt;

/// The largest number of detectors of one result: fusion, the counts and a few methods that learn templates.
const MAX_DETECTORS: usize = 6;

/// The detectors that produced a result. Displayed as names, such as `fusion+sitelevel`, or `none`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Detectors([&'static str; MAX_DETECTORS]);

impl Detectors {
    /// No detector.
    pub const NONE: Detectors = Detectors([""; MAX_DETECTORS]);

    /// These detectors, then those of the others that are not among them.
    #[must_use]
    pub fn and(mut self, others: impl Into<Detectors>) -> Detectors {
        for other in others.into().iter() {
            if !self.contains(other)
                && let Some(free) = self.0.iter_mut().find(|name| name.is_empty())
            {
                *free = other;
            }
        }
        self
    }

    /// Whether a detector is among them.
    #[must_use]
    pub fn contains(self, name: &str) -> bool {
        self.iter().any(|own| own == name)
    }

    /// Their names.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.into_iter().filter(|name| !name.is_empty())
    }
}

impl From<&'static str> for Detectors {
    fn from(name: &'static str) -> Detectors {
        let mut detectors = Detectors::NONE;
        detectors.0[0] = name;
        detectors
    }
}

impl fmt::Display for Detectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, name) in self.iter().enumerate() {
            f.write_str(if number > 0 { "+" } else { "" })?;
            f.write_str(name)?;
        }
        f.write_str(if *self == Detectors::NONE { "none" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_detectors_are_displayed_in_order_and_once() {
        let both = Detectors::from("fusion").and("sitelevel").and(Detectors::from("fusion").and("align"));
        assert_eq!(both.to_string(), "fusion+sitelevel+align");
        assert!(both.contains("align") && !both.contains("treemap"));
        assert_eq!(Detectors::NONE.to_string(), "none");
    }

    #[test]
    fn more_names_than_fit_are_left_out() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let all = names.into_iter().fold(Detectors::NONE, Detectors::and);
        assert_eq!(all.to_string(), "a+b+c+d+e+f");
    }
}
