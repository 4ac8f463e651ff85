//! What tests of the parser share: the reference parser, trees as text, checks of spans.

pub(crate) mod dump;
pub(crate) mod reference;
pub(crate) mod spans;
