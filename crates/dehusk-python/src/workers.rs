//! Work on many pages on several threads.

use crate::errors::Problem;
use dehusk::Scratch;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// Threads, and the buffers that they reuse from call to call.
pub(crate) struct Workers {
    threads: usize,
    /// Nothing for one thread, which is the caller's.
    pool: Option<rayon::ThreadPool>,
    scratches: Mutex<Vec<Scratch>>,
}

/// The buffers of a page of more bytes are not kept: each thread would hold those of its largest page.
const LARGE_PAGE: usize = 1 << 20;

impl Workers {
    /// This many threads; 0 is one for each processor.
    pub(crate) fn new(threads: usize) -> Result<Workers, Problem> {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads == 0 { all() } else { threads };
        let pool = match threads {
            1 => None,
            _ => Some(
                rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .map_err(|error| Problem::new("no_threads", format!("cannot start threads: {error}")))?,
            ),
        };
        Ok(Workers { threads, pool, scratches: Mutex::default() })
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Works on each item, in order of the results. `bytes` is the size of its page; nothing comes back for an item on which the work panicked.
    pub(crate) fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        bytes: impl Fn(&T) -> usize + Sync,
        work: impl Fn(&T, &mut Scratch) -> R + Sync,
    ) -> Vec<Option<R>> {
        let one = |item: &T| {
            let mut scratch = self.take();
            let result = catch_unwind(AssertUnwindSafe(|| work(item, &mut scratch))).ok();
            if result.is_some() && bytes(item) <= LARGE_PAGE {
                self.give_back(scratch);
            }
            result
        };
        match self.pool.as_ref().filter(|_| items.len() > 1) {
            Some(pool) => pool.install(|| items.par_iter().with_max_len(1).map(one).collect()),
            None => items.iter().map(one).collect(),
        }
    }

    fn take(&self) -> Scratch {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn give_back(&self, scratch: Scratch) {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}
