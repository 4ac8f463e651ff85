//! Work on many threads, with results in the order of the input.
//!
//! One thread reads, several work, and the calling thread takes the results. The bytes and batches in flight between them
//! are limited, so memory does not grow with the input. The results do not depend on the number of threads.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::containers::{RawRecord, Source};
use crate::fault::Fault;

/// A batch is sent when it holds this many bytes or records: sending takes about a microsecond, working on a page of 50 KiB
/// some hundred.
const BATCH_BYTES: usize = 256 << 10;
const BATCH_RECORDS: usize = 64;
/// Batches in flight per worker: enough to keep the others busy during one slow page.
const BATCHES_PER_WORKER: usize = 8;
/// The bytes that a fault counts as, so that many faults are limited, too.
const FAULT_BYTES: usize = 256;

/// The number of threads, and the memory for records in flight.
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
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = if threads == 0 { RunOptions::default().threads } else { threads };
        self
    }

    /// The maximum bytes of records that are read and not yet taken. Default 64 MiB; a larger record passes alone.
    pub fn with_max_bytes_in_flight(mut self, bytes: usize) -> Self {
        self.max_bytes_in_flight = bytes;
        self
    }
}

type Item = Result<RawRecord, Fault>;

/// Records with their number in the input.
struct Batch<I> {
    number: u64,
    bytes: usize,
    items: Vec<I>,
}

/// What comes back from the threads.
enum Message<T> {
    Done(Batch<T>),
    /// The reader is done; the number of batches.
    Read(u64),
    Panicked(Box<dyn Any + Send>),
}

/// Runs `work` on every record and fault of `source` and hands the results to `take` in input order.
///
/// `start` makes the state of one thread, reused for all its records. `take` runs on the calling thread; its first error
/// ends the run and is returned. A panic in any of the four ends the run and is resumed on the calling thread.
pub fn run_ordered<T, S, E>(
    source: &mut dyn Source,
    options: &RunOptions,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Result<RawRecord, Fault>) -> T + Sync,
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
    let (batch_out, batch_in) = unbounded::<Batch<Item>>();
    let (message_out, message_in) = unbounded::<Message<T>>();
    let (gate, start, work) = (&gate, &start, &work);
    let ended = std::thread::scope(|scope| {
        // On every way out, so that the scope never waits for a thread that waits for this one.
        let _stop = StopOnDrop(gate);
        let reader_out = message_out.clone();
        scope.spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| read(source, gate, &batch_out)));
            drop(batch_out);
            // The receiver is dropped only when the run has ended already.
            let _ = reader_out.send(outcome.map_or_else(Message::Panicked, Message::Read));
        });
        for _ in 0..options.threads {
            let (batches, messages) = (batch_in.clone(), message_out.clone());
            scope.spawn(move || {
                let outcome = catch_unwind(AssertUnwindSafe(|| work_through(&batches, &messages, gate, start, work)));
                if let Err(panic) = outcome {
                    let _ = messages.send(Message::Panicked(panic));
                }
            });
        }
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

/// The reading thread: divides the input into batches. Returns their number.
fn read(source: &mut dyn Source, gate: &Gate, out: &Sender<Batch<Item>>) -> u64 {
    let mut number = 0;
    let mut batch = Batch { number, bytes: 0, items: Vec::new() };
    loop {
        let item = source.next();
        let at_end = item.is_none();
        if let Some(item) = item {
            batch.bytes += item.as_ref().map_or(FAULT_BYTES, RawRecord::size);
            batch.items.push(item);
        }
        let is_full = batch.bytes >= BATCH_BYTES || batch.items.len() >= BATCH_RECORDS;
        if is_full || at_end && !batch.items.is_empty() {
            if !gate.enter(batch.bytes) {
                return number;
            }
            number += 1;
            let full = std::mem::replace(&mut batch, Batch { number, bytes: 0, items: Vec::new() });
            if out.send(full).is_err() {
                return number;
            }
        }
        if at_end || gate.is_stopped() {
            return number;
        }
    }
}

/// A worker thread.
fn work_through<T, S>(
    batches: &Receiver<Batch<Item>>,
    messages: &Sender<Message<T>>,
    gate: &Gate,
    start: &(impl Fn() -> S + Sync),
    work: &(impl Fn(&mut S, Item) -> T + Sync),
) {
    let mut state = start();
    while let Ok(Batch { number, bytes, items }) = batches.recv() {
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            if gate.is_stopped() {
                return;
            }
            results.push(work(&mut state, item));
        }
        if messages.send(Message::Done(Batch { number, bytes, items: results })).is_err() {
            return;
        }
    }
}

/// The calling thread: puts batches back in order.
fn take_in_order<T, E>(
    messages: &Receiver<Message<T>>,
    gate: &Gate,
    take: &mut impl FnMut(T) -> Result<(), E>,
) -> Result<(), Stopped<E>> {
    let mut waiting: BTreeMap<u64, Batch<T>> = BTreeMap::new();
    let mut next = 0;
    let mut total = None;
    while total != Some(next) {
        match messages.recv() {
            Ok(Message::Done(batch)) => {
                waiting.insert(batch.number, batch);
            }
            Ok(Message::Read(batches)) => total = Some(batches),
            Ok(Message::Panicked(panic)) => return Err(Stopped::Panic(panic)),
            // Every thread sends its outcome before it ends, so the channel closes only after the last batch.
            Err(_) => return Ok(()),
        }
        while let Some(batch) = waiting.remove(&next) {
            for result in batch.items {
                take(result).map_err(Stopped::Taker)?;
            }
            gate.leave(batch.bytes);
            next += 1;
        }
    }
    Ok(())
}

/// Admits batches up to the limits.
struct Gate {
    in_flight: Mutex<InFlight>,
    changed: Condvar,
    max_bytes: usize,
    max_batches: usize,
}

struct InFlight {
    bytes: usize,
    batches: usize,
    stopped: bool,
}

impl Gate {
    fn new(max_bytes: usize, max_batches: usize) -> Self {
        let in_flight = Mutex::new(InFlight { bytes: 0, batches: 0, stopped: false });
        Gate { in_flight, changed: Condvar::new(), max_bytes, max_batches }
    }

    fn lock(&self) -> MutexGuard<'_, InFlight> {
        // Nothing panics while holding the lock, and the numbers would be consistent if it did.
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a batch fits. False if the run has been stopped.
    fn enter(&self, bytes: usize) -> bool {
        let mut in_flight = self.lock();
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

    fn leave(&self, bytes: usize) {
        let mut in_flight = self.lock();
        in_flight.bytes = in_flight.bytes.saturating_sub(bytes);
        in_flight.batches -= 1;
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
