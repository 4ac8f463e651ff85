//! The flags of `dehusk serve`.

use clap::Args as ClapArgs;

/// Answer requests over HTTP: extract pages, learn sites.
#[derive(ClapArgs, Debug)]
pub(crate) struct Serve {}
