//! What a run counts, for all pages and for each site, and the report about it.

pub(crate) mod host_table;
pub(crate) mod report;
pub(crate) mod tally;
