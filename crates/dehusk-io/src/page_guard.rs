//! What keeps one page from costing a run: its panics are caught, and large pages do not fill the memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, PoisonError};

use dehusk::Scratch;

/// The default limit on the bytes of pages worked on at the same time. A page can need twenty times its size.
const BYTES_AT_WORK: usize = 16 << 20;

/// Works on a page of this many bytes. Nothing comes back if the work panics: the page fails, and the thread goes on with fresh buffers.
#[must_use]
pub fn guarded<T>(scratch: &mut Scratch, page_bytes: usize, work: impl FnOnce(&mut Scratch) -> T) -> Option<T> {
    let outcome = catch_unwind(AssertUnwindSafe(|| work(scratch))).ok();
    match outcome {
        Some(_) => scratch.free_if_large(page_bytes),
        // A panic may have left them in any state.
        None => *scratch = Scratch::default(),
    }
    outcome
}

/// Pages that are worked on at the same time, limited by their bytes: a page needs several times its size in memory while
/// it is worked on, so large ones are worked on one after the other whatever the number of threads.
pub struct PagesAtWork {
    bytes: Mutex<usize>,
    changed: Condvar,
    max_bytes: usize,
}

impl PagesAtWork {
    /// At most this many bytes of pages at the same time.
    #[must_use]
    pub fn new(max_bytes: usize) -> PagesAtWork {
        PagesAtWork { bytes: Mutex::new(0), changed: Condvar::new(), max_bytes }
    }

    /// Waits until a page of this size fits; one that is larger than the limit is worked on alone. Drop the result
    /// when the page is done, and wait for nothing else before that.
    #[must_use]
    pub fn begin(&self, bytes: usize) -> PageAtWork<'_> {
        let mut at_work = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        while *at_work > 0 && at_work.saturating_add(bytes) > self.max_bytes {
            at_work = self.changed.wait(at_work).unwrap_or_else(PoisonError::into_inner);
        }
        *at_work = at_work.saturating_add(bytes);
        PageAtWork { pages: self, bytes }
    }
}

/// A page that is being worked on.
pub struct PageAtWork<'a> {
    pages: &'a PagesAtWork,
    bytes: usize,
}

impl Drop for PageAtWork<'_> {
    fn drop(&mut self) {
        let mut at_work = self.pages.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *at_work = at_work.saturating_sub(self.bytes);
        self.pages.changed.notify_all();
    }
}

impl Default for PagesAtWork {
    /// At most 16 MiB of pages.
    fn default() -> PagesAtWork {
        PagesAtWork::new(BYTES_AT_WORK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn large_pages_are_worked_on_alone() {
        let (at_work, now, most) = (PagesAtWork::new(100), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for bytes in [60, 500, 60] {
                        let _page = at_work.begin(bytes);
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_micros(300));
                        now.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_panic_costs_one_page() {
        let mut scratch = Scratch::default();
        assert_eq!(guarded(&mut scratch, 10, |_| 7), Some(7));
        assert_eq!(guarded(&mut scratch, 10, |_| -> u32 { panic!("this page") }), None);
        assert_eq!(guarded(&mut scratch, 4 << 20, |_| 8), Some(8));
    }
}
