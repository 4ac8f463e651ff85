//! One file for each kind of request: a page, many pages, what is known of a site.

pub(crate) mod batch;
pub(crate) mod extract;
pub(crate) mod sites;
