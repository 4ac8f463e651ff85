//! Shared by the parser tests: the reference parser, tree dumps and span checks.

pub(crate) mod dump;
pub(crate) mod reference;
pub(crate) mod spans;
