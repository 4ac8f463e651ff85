//! The threads that work on pages, and the places in front of them.
//!
//! A request takes a place before its work is handed over and keeps it until that is done, so there are never more requests at work and
//! waiting than there are places. Work is done in the order it came.

use dehusk::Scratch;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

type Job = Box<dyn FnOnce(&mut Scratch) + Send>;

/// A fixed number of threads with a bounded queue.
pub(super) struct Pool {
    queue: Arc<Queue>,
    places: Arc<Semaphore>,
}

/// The right to one piece of work.
pub(super) struct Place(#[expect(dead_code, reason = "held, not read")] OwnedSemaphorePermit);

#[derive(Default)]
struct Queue {
    jobs: Mutex<Jobs>,
    changed: Condvar,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next job; nothing once the queue is closed and empty.
    fn next(&self) -> Option<Job> {
        let mut jobs = self.lock();
        loop {
            match jobs.waiting.pop_front() {
                Some(job) => return Some(job),
                None if jobs.closed => return None,
                None => jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl Pool {
    /// Starts the threads. `waiting` pieces of work can wait besides those that are being done.
    pub(super) fn start(threads: usize, waiting: usize) -> std::io::Result<Pool> {
        let queue = Arc::<Queue>::default();
        let places = Arc::new(Semaphore::new(threads.saturating_add(waiting).min(Semaphore::MAX_PERMITS)));
        let pool = Pool { queue, places };
        for number in 0..threads {
            let queue = pool.queue.clone();
            std::thread::Builder::new().name(format!("worker-{number}")).spawn(move || work(&queue))?;
        }
        Ok(pool)
    }

    /// A place, if one is free at once.
    pub(super) fn try_place(&self) -> Option<Place> {
        self.places.clone().try_acquire_owned().ok().map(Place)
    }

    /// Waits for a place.
    pub(super) async fn place(&self) -> Option<Place> {
        self.places.clone().acquire_owned().await.ok().map(Place)
    }

    /// Whether no place is free.
    pub(super) fn is_full(&self) -> bool {
        self.places.available_permits() == 0
    }

    /// How many pieces of work wait.
    pub(super) fn waiting(&self) -> usize {
        self.queue.lock().waiting.len()
    }

    /// Hands work over. The answer fails if the work panics; dropping it before the work has begun cancels the work.
    pub(super) fn run<T: Send + 'static>(
        &self,
        place: Place,
        work: impl FnOnce(&mut Scratch) -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        let job = move |scratch: &mut Scratch| {
            // Owned by the job, so that the place is free again even if the work panics or is cancelled.
            let place = place;
            if !sender.is_closed() {
                let answer = work(scratch);
                // Before the answer is sent: its receiver may ask for a place at once.
                drop(place);
                let _ = sender.send(answer);
            }
        };
        self.queue.lock().waiting.push_back(Box::new(job));
        self.queue.changed.notify_one();
        receiver
    }
}

impl Drop for Pool {
    /// Ends the threads once they have done what is waiting. Nobody waits for them: whatever is still being done was given up.
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.changed.notify_all();
    }
}

fn work(queue: &Queue) {
    let mut scratch = Scratch::default();
    while let Some(job) = queue.next() {
        if catch_unwind(AssertUnwindSafe(|| job(&mut scratch))).is_err() {
            scratch = Scratch::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn places_bound_what_is_at_work_and_what_waits() {
        let pool = Pool::start(1, 2).unwrap();
        let (begun, has_begun) = mpsc::channel();
        let (go, may_go) = mpsc::channel::<()>();
        let first = pool.run(pool.try_place().unwrap(), move |_| {
            begun.send(()).unwrap();
            may_go.recv().unwrap();
            1
        });
        has_begun.recv().unwrap();
        let second = pool.run(pool.try_place().unwrap(), |_| 2);
        let third = pool.run(pool.try_place().unwrap(), |_| 3);
        assert!(pool.is_full() && pool.try_place().is_none());
        assert_eq!(pool.waiting(), 2);
        // Nobody waits for the second any more: it is not done.
        drop(second);
        go.send(()).unwrap();
        assert_eq!((first.blocking_recv(), third.blocking_recv()), (Ok(1), Ok(3)));
        assert!(pool.try_place().is_some());
    }

    #[test]
    fn a_panic_costs_one_piece_of_work() {
        let pool = Pool::start(1, 1).unwrap();
        let broken = pool.run(pool.try_place().unwrap(), |_| -> u8 { panic!("a broken page") });
        assert!(broken.blocking_recv().is_err());
        assert_eq!(pool.run(pool.try_place().unwrap(), |_| 5).blocking_recv(), Ok(5));
        assert!(!pool.is_full());
    }
}
