//! The crawl job, with its progress in Python.

use crate::errors::Problem;
use dehusk_cli::embedded;
use dehusk_io::crawl::{PageOutcome, Progress};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often Python is told how far the job is, and asked whether the user wants to stop.
const INTERVAL: Duration = Duration::from_millis(100);

struct Callback<'a> {
    callback: Option<&'a Py<PyAny>>,
    state: Mutex<State>,
    pages: AtomicU64,
    failed: AtomicU64,
    stop: AtomicBool,
}

struct State {
    pass: String,
    bytes: Option<u64>,
    last: Instant,
    raised: Option<PyErr>,
}

impl Callback<'_> {
    fn call(&self, state: &mut State, position: u64) {
        let called = Python::attach(|py| {
            py.check_signals()?;
            if let Some(callback) = self.callback {
                let counts = (self.pages.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed));
                callback.call1(py, (&state.pass, position, state.bytes, counts.0, counts.1))?;
            }
            Ok::<(), PyErr>(())
        });
        if let Err(error) = called {
            state.raised = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Progress for Callback<'_> {
    fn pass(&self, name: &str, bytes: Option<u64>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.pass, state.bytes) = (name.to_string(), bytes);
        self.pages.store(0, Ordering::Relaxed);
        self.failed.store(0, Ordering::Relaxed);
        self.call(&mut state, 0);
    }

    fn page(&self, position: u64, outcome: PageOutcome) {
        self.pages.fetch_add((outcome != PageOutcome::Skipped) as u64, Ordering::Relaxed);
        self.failed.fetch_add((outcome == PageOutcome::Failed) as u64, Ordering::Relaxed);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.last.elapsed() >= INTERVAL {
            self.call(&mut state, position);
            state.last = Instant::now();
        }
    }

    fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Runs the program's `clean` without its messages. Returns its report as JSON.
#[pyfunction]
#[pyo3(signature = (options, callback=None))]
pub(crate) fn clean(py: Python<'_>, options: Vec<OsString>, callback: Option<Py<PyAny>>) -> PyResult<String> {
    let state = State { pass: String::new(), bytes: None, last: Instant::now(), raised: None };
    let progress = Callback {
        callback: callback.as_ref(),
        state: Mutex::new(state),
        pages: AtomicU64::new(0),
        failed: AtomicU64::new(0),
        stop: AtomicBool::new(false),
    };
    let result = py.detach(|| embedded::clean(&options, &progress));
    let state = progress.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.raised {
        Some(raised) => Err(raised),
        None => Ok(result.map_err(Problem::from)?),
    }
}
