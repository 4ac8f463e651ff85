//! An alignment: for each position, a token of both sequences or of one.

/// One position of an alignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// A token of each, and they are equal.
    Match,
    /// A token of each, and they differ.
    Mismatch,
    /// A token of the first sequence against a gap.
    First,
    /// A token of the second sequence against a gap.
    Second,
}

/// An alignment of two sequences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// Its positions in order.
    pub steps: Vec<Step>,
    /// Whether its score is known to be the best. When not, the work limit was hit and the alignment is valid, but only
    /// exact between tokens that stand once in each sequence.
    pub exact: bool,
}

impl Alignment {
    /// Matches less gaps.
    pub fn score(&self) -> i64 {
        let value = |step: &Step| match step {
            Step::Match => 1,
            Step::Mismatch => 0,
            Step::First | Step::Second => -1,
        };
        self.steps.iter().map(value).sum()
    }
}
