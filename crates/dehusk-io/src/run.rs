//! Work on many threads, results in the order of the input.
//!
//! One thread reads, several work, and the calling thread takes the results. What is in flight between them
//! is bounded in bytes and in batches, so memory does not grow with the input. The results do not depend on
//! the number of threads.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::fault::Fault;
use crate::record::RawRecord;
use crate::source::Source;

/// A batch is sent on when it holds this many bytes or records: a channel costs about a microsecond, a
/// page of 50 KiB some hundred.
const BATCH_BYTES: usize = 256 << 10;
const BATCH_RECORDS: usize = 64;
/// Batches in flight per worker: enough to outlast one slow page, few enough to keep results few.
const BATCHES_PER_WORKER: usize = 8;
/// What a fault counts, so that a flood of faults is bounded too.
const FAULT_BYTES: usize = 256;

/// How many threads, and how much they may hold.
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
    /// The number of working threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// The number of working threads; 1 does everything on the calling thread. Default: the processors.
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The bytes of records read and not yet taken. Default 64 MiB; a larger record passes alone.
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
    /// The reader is through; so many batches there are.
    Read(u64),
    Panicked(Box<dyn Any + Send>),
}

/// Runs `work` on every record and fault of `source` and hands the results to `take` in input order.
///
/// `start` makes the state of one thread, reused for all its records. `take` runs on the calling thread; its
/// first error ends the run and is returned. A panic in any of the four ends the run and goes on from here.
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
        // Set on every way out, so that the scope never waits for a thread that waits for us.
        let _stop = StopOnDrop(gate);
        let reader_out = message_out.clone();
        scope.spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| read(source, gate, &batch_out)));
            drop(batch_out);
            // The receiver is gone only when the run has ended already.
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

/// The reading thread: cuts the input into batches. Returns their number.
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

/// A working thread.
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
            // Every thread sends its outcome before it ends, so the channel closes only behind the last batch.
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

/// Lets batches in while there is room for them.
struct Gate {
    room: Mutex<Room>,
    changed: Condvar,
    max_bytes: usize,
    max_batches: usize,
}

struct Room {
    bytes: usize,
    batches: usize,
    stopped: bool,
}

impl Gate {
    fn new(max_bytes: usize, max_batches: usize) -> Self {
        let room = Mutex::new(Room { bytes: 0, batches: 0, stopped: false });
        Gate { room, changed: Condvar::new(), max_bytes, max_batches }
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        // Nothing panics while holding the lock, and the numbers would be whole if it did.
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room. False: the run has been stopped.
    fn enter(&self, bytes: usize) -> bool {
        let mut room = self.room();
        while !room.stopped
            && room.batches > 0
            && (room.bytes.saturating_add(bytes) > self.max_bytes || room.batches >= self.max_batches)
        {
            room = self.changed.wait(room).unwrap_or_else(PoisonError::into_inner);
        }
        room.bytes = room.bytes.saturating_add(bytes);
        room.batches += 1;
        !room.stopped
    }

    fn leave(&self, bytes: usize) {
        let mut room = self.room();
        room.bytes = room.bytes.saturating_sub(bytes);
        room.batches -= 1;
        self.changed.notify_all();
    }

    fn is_stopped(&self) -> bool {
        self.room().stopped
    }
}

struct StopOnDrop<'a>(&'a Gate);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.room().stopped = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
