//! Work on many pages on several threads.

use dehusk::Scratch;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Threads, and the buffers that they reuse from call to call.
pub(crate) struct Workers {
    threads: usize,
    scratches: Mutex<Vec<Scratch>>,
}

/// The buffers of a page of more bytes are not kept: each thread would hold those of its largest page.
const LARGE_PAGE: usize = 1 << 20;

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
        let one = |item: &T, scratch: &mut Scratch| {
            let result = catch_unwind(AssertUnwindSafe(|| work(item, scratch))).ok();
            if result.is_none() || bytes(item) > LARGE_PAGE {
                *scratch = Scratch::default();
            }
            result
        };
        let threads = self.threads.min(items.len());
        if threads <= 1 {
            let mut scratch = self.take();
            let results = items.iter().map(|item| one(item, &mut scratch)).collect();
            self.give_back(scratch);
            return results;
        }
        let next = AtomicUsize::new(0);
        let mut results: Vec<(usize, Option<R>)> = std::thread::scope(|scope| {
            let worker = || {
                let mut scratch = self.take();
                let mut own = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { break };
                    own.push((number, one(item, &mut scratch)));
                }
                self.give_back(scratch);
                own
            };
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
            let mut all = worker();
            // A worker catches the panics of its work.
            others.into_iter().for_each(|other| all.extend(other.join().unwrap_or_default()));
            all
        });
        results.sort_unstable_by_key(|(number, _)| *number);
        results.into_iter().map(|(_, result)| result).collect()
    }

    fn take(&self) -> Scratch {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn give_back(&self, scratch: Scratch) {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}
