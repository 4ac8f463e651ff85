//! The interface of all readers.

use crate::containers::raw_page::RawPage;
use crate::fault::Fault;

/// A sequence of pages and faults. After a fault the next call continues with what follows it.
pub trait Source: Send {
    /// The next page or fault, `None` at the end.
    fn next(&mut self) -> Option<Result<RawPage, Fault>>;

    /// The bytes of the inputs read so far, as they are on disk.
    fn bytes_read(&self) -> u64;

    /// The bytes of all inputs, if known without walking folders.
    fn bytes_total(&self) -> Option<u64>;
}
