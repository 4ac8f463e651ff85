//! What the tests of the library use too: the reference parser, trees as text.

#[path = "../../crates/dehusk/tests/support/dump.rs"]
pub(crate) mod dump;
#[path = "../../crates/dehusk/tests/support/reference.rs"]
pub(crate) mod reference;
