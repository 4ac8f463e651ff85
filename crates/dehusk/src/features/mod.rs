//! Numbers that describe parts of a page, for models to read.

pub mod nodes;
