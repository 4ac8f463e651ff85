//! Hand-labelled pages.
pub(crate) mod pages;
