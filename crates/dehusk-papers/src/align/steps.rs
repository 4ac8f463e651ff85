//! An alignment of two sequences: at each position a token of both, or of one.

/// One position of an alignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Equal tokens of both sequences.
    Match,
    /// Different tokens of both sequences.
    Mismatch,
    /// A token of the first sequence against a gap.
    First,
    /// A token of the second sequence against a gap.
    Second,
}

/// An alignment of two sequences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// Its positions, in order.
    pub steps: Vec<Step>,
    /// Whether its score is known to be optimal. If not, the work limit was hit: the alignment is valid, but exact
    /// only between tokens that occur once in each sequence.
    pub exact: bool,
}

impl Alignment {
    /// The number of matches minus the number of gaps.
    pub fn score(&self) -> i64 {
        let value = |step: &Step| match step {
            Step::Match => 1,
            Step::Mismatch => 0,
            Step::First | Step::Second => -1,
        };
        self.steps.iter().map(value).sum()
    }
}
