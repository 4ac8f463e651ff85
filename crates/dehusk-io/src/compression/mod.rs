//! Compressed files, read in bounded memory.

mod codec;
mod inflate;

pub(crate) use codec::{Codec, Gzip, Start, ZSTD_MAGIC};
pub(crate) use inflate::InflatedStream;
