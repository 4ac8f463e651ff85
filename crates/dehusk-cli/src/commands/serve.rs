//! `dehusk serve`: the HTTP service.

use crate::args::Serve;
use crate::outcome::{Failure, Outcome};

pub(super) fn serve(_args: &Serve) -> Result<Outcome, Failure> {
    Err(Failure::new("not there yet"))
}
