//! How much is kept: from precision to recall.

use crate::error::{Error, ErrorKind};

/// From precision (0) to recall (1). More keeps all that less keeps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Focus(pub(crate) f32);

impl Focus {
    /// Rather too little than anything wrong.
    pub const PRECISION: Focus = Focus(0.25);
    /// The best of both.
    pub const BALANCED: Focus = Focus(0.5);
    /// Rather too much than anything lost.
    pub const RECALL: Focus = Focus(0.75);
    /// How far the log-odds of the cut move from one end to the other.
    const RANGE: f32 = 10.0;

    /// A focus between 0 and 1.
    pub fn new(focus: f32) -> Result<Focus, Error> {
        match (0.0..=1.0).contains(&focus) {
            true => Ok(Focus(focus)),
            false => Err(Error::new(ErrorKind::BadOptions, format!("the focus is {focus}, it must be 0 to 1"))),
        }
    }

    /// The chance from which on blocks are kept, where the best threshold is `best`.
    pub(crate) fn threshold(self, best: f32) -> f32 {
        if self == Focus::BALANCED {
            return best;
        }
        let odds = (best / (1.0 - best).max(1e-6)).ln() + (0.5 - self.0) * Focus::RANGE;
        1.0 / (1.0 + (-odds).exp())
    }
}

impl Default for Focus {
    fn default() -> Focus {
        Focus::BALANCED
    }
}
