//! What is right or wrong: the parser against test suites and another parser, decisions against properties they must have, methods
//! against plain implementations of their definitions.

pub(crate) mod html5lib;
pub(crate) mod oracles;
pub(crate) mod properties;
pub(crate) mod spans;
pub(crate) mod trees;

/// The options of these measurements.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Print what is wrong: cases that do not pass, where trees differ, spans
    #[arg(long)]
    pub(crate) verbose: bool,
}
