use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::containers::Content;
use crate::fault::FaultKind;
use crate::location::{Location, Position};
use crate::read_options::ReadOptions;

/// Numbered pages, every seventh a fault.
struct Numbers {
    next: u64,
    count: u64,
    page_bytes: usize,
    panic_at: Option<u64>,
}

fn numbers(count: u64, page_bytes: usize) -> Numbers {
    Numbers { next: 0, count, page_bytes, panic_at: None }
}

impl Source for Numbers {
    fn next(&mut self) -> Option<Item> {
        if self.next == self.count {
            return None;
        }
        self.next += 1;
        assert_ne!(Some(self.next), self.panic_at, "reader");
        let location = Location::new(Path::new("n").into(), Position::Line(self.next));
        if self.next.is_multiple_of(7) {
            return Some(Err(Fault::new(location, FaultKind::BadJson, "seventh")));
        }
        let line = format!("{{\"url\":\"{}\",\"html\":\"{}\"}}", self.next, "x".repeat(self.page_bytes));
        Some(Ok(RawPage::new(location, Content::JsonLine(line.into_bytes()))))
    }

    fn bytes_read(&self) -> u64 {
        0
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }
}

fn url_after_delay(item: Item) -> String {
    match item.and_then(|raw| raw.open(&ReadOptions::default())) {
        Ok(page) => {
            let number: u64 = page.url.parse().unwrap();
            if number.is_multiple_of(5) {
                std::thread::sleep(Duration::from_micros(number * 7919 % 3000));
            }
            page.url
        }
        Err(fault) => fault.to_string(),
    }
}

#[test]
fn the_order_and_the_results_do_not_depend_on_the_threads() {
    let run = |threads, bytes| {
        let mut all = Vec::new();
        let options = RunOptions::default().with_threads(threads).with_max_bytes_in_flight(bytes);
        let work = |count: &mut u64, item| {
            *count += 1;
            url_after_delay(item)
        };
        let take = |text| {
            all.push(text);
            Ok::<(), ()>(())
        };
        run_ordered(&mut numbers(2000, 300), &options, || 0u64, work, take).unwrap();
        all
    };
    let expected = run(1, 1 << 20);
    assert_eq!(expected.len(), 2000);
    for (threads, bytes) in [(2, 1 << 20), (8, 1 << 20), (8, 1), (3, 50_000)] {
        assert!(run(threads, bytes) == expected, "{threads} threads, {bytes} bytes");
    }
}

#[test]
fn what_is_in_flight_stays_within_the_budget() {
    const PAGE: usize = 100_000;
    let (held, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    struct Counted<'a>(Numbers, &'a AtomicUsize, &'a AtomicUsize);
    impl Source for Counted<'_> {
        fn next(&mut self) -> Option<Item> {
            let item = self.0.next();
            let now = self.1.fetch_add(1, Ordering::SeqCst) + 1;
            self.2.fetch_max(now, Ordering::SeqCst);
            item
        }
        fn bytes_read(&self) -> u64 {
            0
        }
        fn bytes_total(&self) -> Option<u64> {
            None
        }
    }
    let options = RunOptions::default().with_threads(4).with_max_bytes_in_flight(10 * PAGE);
    let take = |_| {
        std::thread::sleep(Duration::from_micros(300));
        held.fetch_sub(1, Ordering::SeqCst);
        Ok::<(), ()>(())
    };
    run_ordered(&mut Counted(numbers(300, PAGE), &held, &most), &options, || (), |(), item| item.is_ok(), take)
        .unwrap();
    // Ten pages of budget, and the batch that waits to get in.
    assert!(most.load(Ordering::SeqCst) <= 10 + 2 * (BATCH_BYTES / PAGE + 2), "{most:?}");
}

#[test]
fn an_error_of_the_taker_ends_the_run() {
    for threads in [1, 2, 8] {
        let mut taken = 0;
        let take = |_| {
            taken += 1;
            if taken == 100 { Err("full") } else { Ok(()) }
        };
        let options = RunOptions::default().with_threads(threads);
        let ended = run_ordered(&mut numbers(1_000_000, 10), &options, || (), |(), item| url_after_delay(item), take);
        assert_eq!((ended, taken), (Err("full"), 100));
    }
}

#[test]
fn a_panic_anywhere_ends_the_run_and_is_resumed() {
    for threads in [1, 2, 8] {
        for place in ["reader", "start", "work", "take"] {
            let mut source = numbers(5000, 10);
            source.panic_at = (place == "reader").then_some(777);
            let options = RunOptions::default().with_threads(threads);
            let run = || {
                let start = || assert_ne!(place, "start", "start");
                let work = |(): &mut (), item| {
                    let url = url_after_delay(item);
                    assert!(place != "work" || url != "2500", "work");
                    url
                };
                let take = |url: String| {
                    assert!(place != "take" || url != "99", "take");
                    Ok::<(), ()>(())
                };
                run_ordered(&mut source, &options, start, work, take)
            };
            let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap();
            assert!(text.contains(place), "{text}");
        }
    }
}

#[test]
fn an_empty_source_calls_nothing() {
    for threads in [1, 4] {
        let options = RunOptions::default().with_threads(threads);
        run_ordered(&mut numbers(0, 0), &options, || (), |(), _| (), |()| Err(())).unwrap();
    }
}

#[test]
fn results_that_are_larger_than_their_pages_stay_within_the_budget() {
    const RESULT: usize = 100_000;
    const THREADS: usize = 4;
    for budget in [1, 3 * RESULT, 10 * RESULT] {
        let (held, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let options = RunOptions::default().with_threads(THREADS).with_max_bytes_in_flight(budget);
        let work = |(): &mut (), item| {
            let url = url_after_delay(item);
            most.fetch_max(held.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            url
        };
        let mut taken = Vec::new();
        let take = |url: String| {
            std::thread::sleep(Duration::from_micros(200));
            held.fetch_sub(1, Ordering::SeqCst);
            taken.push(url);
            Ok::<(), ()>(())
        };
        run_ordered_sized(&mut numbers(500, 10), &options, || (), work, |_| RESULT, take).unwrap();
        assert_eq!(taken.len(), 500);
        assert!(taken.iter().zip(1u64..).all(|(url, number)| number % 7 == 0 || *url == number.to_string()));
        // Those in the budget, and one that each thread has begun.
        let most = most.load(Ordering::SeqCst);
        assert!(most <= budget / RESULT + 1 + THREADS, "{most} results in {budget} bytes");
    }
}
