//! Work on many threads, with results in the order of the input.
//!
//! One thread reads, several work, and the calling thread takes the results. The bytes and batches in flight between them
//! are limited, so memory grows neither with the input nor with the results. The results do not depend on the number of threads.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::containers::{RawPage, Source};
use crate::fault::Fault;

/// A batch is sent when it holds this many bytes or pages: sending takes about a microsecond, working on a page of 50 KiB
/// some hundred.
const BATCH_BYTES: usize = 256 << 10;
const BATCH_PAGES: usize = 64;
/// Batches in flight per worker: enough to keep the others busy during one slow page.
const BATCHES_PER_WORKER: usize = 8;
/// The bytes that a fault counts as, so that the number of faults in flight is limited as well.
const FAULT_BYTES: usize = 256;

/// The number of threads, and the memory for pages in flight.
#[derive(Clone, Debug)]
pub struct RunOptions {
    threads: usize,
    max_bytes_in_flight: usize,
}

impl Default for RunOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        RunOptions { threads, max_bytes_in_flight: 64 << 20 }
    }
}

impl RunOptions {
    /// The number of worker threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// The number of worker threads; 1 does everything on the calling thread. 0, the default, is one for each processor.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = if threads == 0 { RunOptions::default().threads } else { threads };
        self
    }

    /// The maximum bytes of pages that are read and of results that are not yet taken. Default 64 MiB; a larger page passes alone.
    #[must_use]
    pub fn with_max_bytes_in_flight(mut self, bytes: usize) -> Self {
        self.max_bytes_in_flight = bytes;
        self
    }
}

type Item = Result<RawPage, Fault>;

/// Pages that follow each other in the input.
struct Batch {
    first: u64,
    bytes: usize,
    /// Each with its bytes.
    items: Vec<(usize, Item)>,
}

/// Results that follow each other in the input: those of a batch, or of a part of it where they are large.
struct Piece<T> {
    first: u64,
    bytes: usize,
    results: Vec<T>,
    ends_batch: bool,
}

/// What comes back from the threads.
enum Message<T> {
    Done(Piece<T>),
    /// The reader is done; the number of pages.
    Read(u64),
    Panicked(Box<dyn Any + Send>),
}

/// Runs `work` on every page and fault of `source` and hands the results to `take` in input order.
///
/// `start` makes the state of one thread, reused for all its pages. `take` runs on the calling thread; its first error
/// ends the run and is returned. A panic in any of the four ends the run and is resumed on the calling thread. A result
/// counts as many bytes in flight as its page; where it can be larger, use [`run_ordered_sized`].
///
/// # Errors
/// The first error of `take`.
pub fn run_ordered<T, S, E>(
    source: &mut dyn Source,
    options: &RunOptions,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Result<RawPage, Fault>) -> T + Sync,
    take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E>
where
    T: Send,
{
    run_ordered_sized(source, options, start, work, |_| 0, take)
}

/// Like [`run_ordered`], for results that can be larger than their pages: `size` gives the bytes of one. While too many
/// bytes wait to be taken, only the page whose result is taken next is worked on.
///
/// # Errors
/// The first error of `take`.
pub fn run_ordered_sized<T, S, E>(
    source: &mut dyn Source,
    options: &RunOptions,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Result<RawPage, Fault>) -> T + Sync,
    size: impl Fn(&T) -> usize + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E>
where
    T: Send,
{
    if options.threads <= 1 {
        let mut state = start();
        while let Some(item) = source.next() {
            take(work(&mut state, item))?;
        }
        return Ok(());
    }
    let gate = Gate::new(options.max_bytes_in_flight, options.threads * BATCHES_PER_WORKER);
    // Unbounded, because the gate already limits what is in flight.
    let (batch_out, batch_in) = unbounded::<Batch>();
    let (message_out, message_in) = unbounded::<Message<T>>();
    let (gate, start, work, size) = (&gate, &start, &work, &size);
    let ended = std::thread::scope(|scope| {
        // On every way out, so that the scope never waits for a thread that waits for this one.
        let _stop = StopOnDrop(gate);
        let reader_out = message_out.clone();
        scope.spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| read(source, gate, &batch_out)));
            // Tells the workers that no more batches come.
            drop(batch_out);
            // The receiver is dropped only when the run has ended already.
            let _ = reader_out.send(outcome.map_or_else(Message::Panicked, Message::Read));
        });
        for _ in 0..options.threads {
            let worker = Worker { batches: batch_in.clone(), messages: message_out.clone(), gate };
            scope.spawn(move || {
                let outcome = catch_unwind(AssertUnwindSafe(|| worker.run(start, work, size)));
                if let Err(panic) = outcome {
                    let _ = worker.messages.send(Message::Panicked(panic));
                }
            });
        }
        // A channel closes with its last sender, so this thread must not keep one.
        drop((batch_in, message_out));
        take_in_order(&message_in, gate, &mut take)
    });
    match ended {
        Ok(()) => Ok(()),
        Err(Stopped::Taker(error)) => Err(error),
        Err(Stopped::Panic(panic)) => resume_unwind(panic),
    }
}

enum Stopped<E> {
    Taker(E),
    Panic(Box<dyn Any + Send>),
}

/// The reading thread: divides the input into batches. Returns the number of pages.
fn read(source: &mut dyn Source, gate: &Gate, out: &Sender<Batch>) -> u64 {
    let mut batch = Batch { first: 0, bytes: 0, items: Vec::new() };
    loop {
        let item = source.next();
        let at_end = item.is_none();
        if let Some(item) = item {
            let bytes = item.as_ref().map_or(FAULT_BYTES, RawPage::size);
            batch.bytes = batch.bytes.saturating_add(bytes);
            batch.items.push((bytes, item));
        }
        let is_full = batch.bytes >= BATCH_BYTES || batch.items.len() >= BATCH_PAGES;
        if is_full || at_end && !batch.items.is_empty() {
            if !gate.enter(batch.bytes) {
                return batch.first;
            }
            let first = batch.first + batch.items.len() as u64;
            let full = std::mem::replace(&mut batch, Batch { first, bytes: 0, items: Vec::new() });
            if out.send(full).is_err() {
                return first;
            }
        }
        if at_end || gate.is_stopped() {
            return batch.first;
        }
    }
}

/// A worker thread.
struct Worker<'a, T> {
    batches: Receiver<Batch>,
    messages: Sender<Message<T>>,
    gate: &'a Gate,
}

impl<T> Worker<'_, T> {
    fn run<S>(
        &self,
        start: &(impl Fn() -> S + Sync),
        work: &(impl Fn(&mut S, Item) -> T + Sync),
        size: &(impl Fn(&T) -> usize + Sync),
    ) {
        let mut state = start();
        while let Ok(Batch { first, items, .. }) = self.batches.recv() {
            let mut piece = Piece { first, bytes: 0, results: Vec::with_capacity(items.len()), ends_batch: false };
            for (number, (bytes, item)) in (first..).zip(items) {
                if piece.bytes >= BATCH_BYTES || !self.gate.try_work(number) {
                    // What is done must be on its way before this thread waits: it may be what is taken next.
                    let rest = Piece { first: number, bytes: 0, results: Vec::new(), ends_batch: false };
                    let done = std::mem::replace(&mut piece, rest);
                    if !done.results.is_empty() && !self.send(done) || !self.gate.wait_to_work(number) {
                        return;
                    }
                }
                let result = work(&mut state, item);
                let held = bytes.max(size(&result));
                self.gate.grow(held - bytes);
                piece.bytes = piece.bytes.saturating_add(held);
                piece.results.push(result);
            }
            piece.ends_batch = true;
            if !self.send(piece) {
                return;
            }
        }
    }

    fn send(&self, piece: Piece<T>) -> bool {
        self.messages.send(Message::Done(piece)).is_ok()
    }
}

/// The calling thread: puts pieces back in order.
fn take_in_order<T, E>(
    messages: &Receiver<Message<T>>,
    gate: &Gate,
    take: &mut impl FnMut(T) -> Result<(), E>,
) -> Result<(), Stopped<E>> {
    let mut waiting: BTreeMap<u64, Piece<T>> = BTreeMap::new();
    let mut next = 0;
    let mut total = None;
    while total != Some(next) {
        match messages.recv() {
            Ok(Message::Done(piece)) => {
                waiting.insert(piece.first, piece);
            }
            Ok(Message::Read(pages)) => total = Some(pages),
            Ok(Message::Panicked(panic)) => return Err(Stopped::Panic(panic)),
            // Every thread sends its outcome before it ends, so the channel closes only after the last piece.
            Err(_) => return Ok(()),
        }
        while let Some(piece) = waiting.remove(&next) {
            next += piece.results.len() as u64;
            for result in piece.results {
                take(result).map_err(Stopped::Taker)?;
            }
            gate.leave(piece.bytes, next, piece.ends_batch);
        }
    }
    Ok(())
}

/// Admits batches and work up to the limits.
struct Gate {
    in_flight: Mutex<InFlight>,
    changed: Condvar,
    max_bytes: usize,
    max_batches: usize,
}

struct InFlight {
    bytes: usize,
    batches: usize,
    /// The number of the page whose result is taken next. Batches are worked on in order, so a worker always has it.
    next: u64,
    stopped: bool,
}

impl Gate {
    fn new(max_bytes: usize, max_batches: usize) -> Self {
        let in_flight = Mutex::new(InFlight { bytes: 0, batches: 0, next: 0, stopped: false });
        Gate { in_flight, changed: Condvar::new(), max_bytes, max_batches }
    }

    fn lock(&self) -> MutexGuard<'_, InFlight> {
        // Nothing panics while holding the lock, and the numbers would be consistent if it did.
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a batch fits. False if the run has been stopped.
    fn enter(&self, bytes: usize) -> bool {
        let mut in_flight = self.lock();
        // A batch that is larger than the limit goes in when it is alone.
        while !in_flight.stopped
            && in_flight.batches > 0
            && (in_flight.bytes.saturating_add(bytes) > self.max_bytes || in_flight.batches >= self.max_batches)
        {
            in_flight = self.changed.wait(in_flight).unwrap_or_else(PoisonError::into_inner);
        }
        in_flight.bytes = in_flight.bytes.saturating_add(bytes);
        in_flight.batches += 1;
        !in_flight.stopped
    }

    /// Whether a page may be worked on without waiting.
    fn try_work(&self, number: u64) -> bool {
        let in_flight = self.lock();
        !in_flight.stopped && (in_flight.bytes <= self.max_bytes || in_flight.next == number)
    }

    /// Waits until a page may be worked on. False if the run has been stopped.
    fn wait_to_work(&self, number: u64) -> bool {
        let mut in_flight = self.lock();
        while !in_flight.stopped && in_flight.bytes > self.max_bytes && in_flight.next != number {
            in_flight = self.changed.wait(in_flight).unwrap_or_else(PoisonError::into_inner);
        }
        !in_flight.stopped
    }

    /// A result is larger than its page.
    fn grow(&self, bytes: usize) {
        if bytes > 0 {
            let mut in_flight = self.lock();
            in_flight.bytes = in_flight.bytes.saturating_add(bytes);
        }
    }

    fn leave(&self, bytes: usize, next: u64, ends_batch: bool) {
        let mut in_flight = self.lock();
        in_flight.bytes = in_flight.bytes.saturating_sub(bytes);
        in_flight.batches -= usize::from(ends_batch);
        in_flight.next = next;
        self.changed.notify_all();
    }

    fn is_stopped(&self) -> bool {
        self.lock().stopped
    }
}

struct StopOnDrop<'a>(&'a Gate);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
#[path = "parallel_tests.rs"]
mod tests;
