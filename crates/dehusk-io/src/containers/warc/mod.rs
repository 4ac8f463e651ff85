//! WARC: an archive is split into records, and a record with an HTTP response becomes a page.

pub(crate) mod header_fields;
pub(crate) mod http;
pub(crate) mod warc_page;
pub(crate) mod warc_read;
