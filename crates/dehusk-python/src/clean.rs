//! The crawl job, with its progress in Python.

use crate::errors::Problem;
use crate::options::values;
use dehusk_io::crawl::{PageOutcome, Progress, report_json};
use dehusk_io::{Output, OutputContainer, OutputKind, check_crawl_output, check_outputs};
use dehusk_options::definitions::{MODEL, NO_LEARN, TEMPLATES};
use dehusk_options::{Command, Values, is_model_file};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
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

/// Runs the crawl job of `dehusk clean`. Returns its report as JSON.
#[pyfunction]
#[pyo3(signature = (inputs, output, options, callback=None))]
pub(crate) fn clean(
    py: Python<'_>,
    inputs: Vec<PathBuf>,
    output: PathBuf,
    options: &Bound<'_, PyDict>,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let values = values(Command::Clean, options)?;
    let state = State { pass: String::new(), bytes: None, last: Instant::now(), raised: None };
    let progress = Callback {
        callback: callback.as_ref(),
        state: Mutex::new(state),
        pages: AtomicU64::new(0),
        failed: AtomicU64::new(0),
        stop: AtomicBool::new(false),
    };
    let result = py.detach(|| run(&values, inputs, &output, &progress));
    let state = progress.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.raised {
        Some(raised) => Err(raised),
        None => Ok(result?),
    }
}

fn run(values: &Values, inputs: Vec<PathBuf>, output: &Path, progress: &dyn Progress) -> Result<String, Problem> {
    check_paths(values, &inputs, output)?;
    values.check_uses_site("extract pages one by one instead")?;
    check_crawl_output(output, OutputContainer::of(output), values.existing_output())?;
    let tally = values.crawl(inputs, output)?.run(progress).map_err(|error| {
        let advice = if error.is_resumable() { "; resume=True goes on with the finished part" } else { "" };
        Problem::new(error.kind().name(), format!("{error}{advice}"))
    })?;
    match (tally.pages - tally.failed, tally.failed) {
        (0, 0) => Err(Problem::new("no_page", "no page was found in the inputs")),
        (0, 1) => Err(Problem::new("no_page", "the only page could not be read")),
        (0, failed) => Err(Problem::new("no_page", format!("none of the {failed} pages could be read"))),
        _ => Ok(report_json(&tally).to_string()),
    }
}

/// Checks that the job replaces none of the files that it reads, and can write.
fn check_paths(values: &Values, inputs: &[PathBuf], output: &Path) -> Result<(), Problem> {
    if output == Path::new("-") {
        return Err(Problem::new("bad_options", "the output must be a file or a folder"));
    }
    let mut read: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    read.extend(values.path(&MODEL).filter(|path| is_model_file(path)));
    let mut written = vec![Output { path: output, kind: OutputKind::Any }];
    match values.flag(&NO_LEARN) {
        true => read.extend(values.path(&TEMPLATES)),
        false => written.extend(values.path(&TEMPLATES).map(|path| Output { path, kind: OutputKind::Kept })),
    }
    Ok(check_outputs(&read, &written)?)
}
