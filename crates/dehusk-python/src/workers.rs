//! Work on many pages on several threads.

use dehusk::Scratch;
use dehusk_io::guarded;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Threads, and the buffers that they reuse from call to call.
pub(crate) struct Workers {
    threads: usize,
    scratches: Mutex<Vec<Scratch>>,
}

impl Workers {
    /// So many threads; 0 is one for each processor.
    pub(crate) fn new(threads: usize) -> Workers {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        Workers { threads: if threads == 0 { all() } else { threads }, scratches: Mutex::default() }
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Works on each item. `bytes` is the size of its page; nothing comes back for an item on which the work panicked.
    pub(crate) fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        bytes: impl Fn(&T) -> usize + Sync,
        work: impl Fn(&T, &mut Scratch) -> R + Sync,
    ) -> Vec<Option<R>> {
        let one =
            |lent: &mut Lent<'_>, item: &T| guarded(&mut lent.scratch, bytes(item), |scratch| work(item, scratch));
        let threads = self.threads.min(items.len());
        // The threads end with the call: Python programs fork, and a child has none of its parent's threads.
        let pool = (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()).flatten();
        match pool {
            Some(pool) => pool.install(|| items.par_iter().with_max_len(1).map_init(|| self.lend(), one).collect()),
            // One page needs no other thread, and the system may refuse to start any.
            None => {
                let mut lent = self.lend();
                items.iter().map(|item| one(&mut lent, item)).collect()
            }
        }
    }

    fn lend(&self) -> Lent<'_> {
        let scratch = self.scratches.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        Lent { workers: self, scratch }
    }
}

/// Buffers that go back when they are no longer needed.
struct Lent<'a> {
    workers: &'a Workers,
    scratch: Scratch,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let scratch = std::mem::take(&mut self.scratch);
        self.workers.scratches.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}
