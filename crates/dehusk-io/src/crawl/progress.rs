//! How far a run has got, for whoever watches it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::containers::{RawPage, Source};
use crate::fault::Fault;

/// What became of an input page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PageOutcome {
    /// It was read.
    Done,
    /// It could not be read; its output row has the error.
    Failed,
    /// It does not hold a page.
    Skipped,
}

/// Follows a run.
pub trait Progress: Sync {
    /// A pass begins, with the bytes it will read if that is known.
    fn pass(&self, name: &str, bytes: Option<u64>);
    /// An input page is done: how many bytes of the inputs have been read, and what became of it.
    fn page(&self, position: u64, outcome: PageOutcome);
    /// An input page could not be read, for a reason of this kind. Called only by work that writes no row for it.
    fn fault(&self, _kind: &str) {}
    /// Whether the run should stop now. Nothing is lost: it can be resumed.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Follows nothing.
impl Progress for () {
    fn pass(&self, _: &str, _: Option<u64>) {}
    fn page(&self, _: u64, _: PageOutcome) {}
}

/// A source whose position other threads can see while it is being read.
pub struct TrackedSource<'a> {
    source: Box<dyn Source>,
    position: &'a AtomicU64,
}

impl<'a> TrackedSource<'a> {
    /// Keeps `position` at the number of bytes that `source` has read.
    #[must_use]
    pub fn new(source: Box<dyn Source>, position: &'a AtomicU64) -> TrackedSource<'a> {
        TrackedSource { source, position }
    }
}

impl Source for TrackedSource<'_> {
    fn next(&mut self) -> Option<Result<RawPage, Fault>> {
        let next = self.source.next();
        // Only shown to people, so no other memory has to be in step with it.
        self.position.store(self.source.bytes_read(), Ordering::Relaxed);
        next
    }

    fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    fn bytes_total(&self) -> Option<u64> {
        self.source.bytes_total()
    }
}
