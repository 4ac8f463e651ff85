//! `dehusk inspect`: the inspector in the browser.

use crate::args::Inspect;
use crate::outcome::{Failure, Outcome};

pub(super) fn inspect(_args: &Inspect) -> Result<Outcome, Failure> {
    Err(Failure::new("not there yet"))
}
