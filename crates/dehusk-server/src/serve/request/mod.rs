//! What a request says: its body in bounded memory and time, its headers, its query, its options.

pub(crate) mod held_bytes;
pub(crate) mod lines;
pub(crate) mod media;
pub(crate) mod options;
pub(crate) mod query;
pub(crate) mod request_body;
