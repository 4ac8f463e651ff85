//! The records of a page: similar siblings such as posts, cards and rows, and the columns of their fields.

pub(crate) mod columns;
pub(crate) mod regions;
