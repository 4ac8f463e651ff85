//! The `dehusk` program: pages and sites from files, results to files or standard output.

mod args;
#[cfg(unix)]
mod chromium;
mod commands;
mod files;
mod layout;
mod outcome;
mod printer;

use clap::Parser as _;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

fn main() -> ExitCode {
    let args = args::Args::parse();
    keep_panics_quiet();
    match catch_unwind(|| commands::run(args)) {
        Ok(Ok(outcome)) => outcome.exit_code(),
        // A reader that has seen enough, such as `head`, is no failure.
        Ok(Err(failure)) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Ok(Err(failure)) => {
            printer::warn(&failure.to_string());
            ExitCode::from(2)
        }
        Err(_) => {
            let last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
            printer::warn(&format!("internal error, please report it: {last}"));
            ExitCode::from(101)
        }
    }
}

/// The text and the place of the last panic.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// A panic on a page or in a library that reads a damaged file is caught where it happens and becomes the error of that page or file. It says
/// nothing by itself; `RUST_BACKTRACE=1` makes it.
fn keep_panics_quiet() {
    if std::env::var_os("RUST_BACKTRACE").is_some() {
        return;
    }
    std::panic::set_hook(Box::new(|info| {
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string().replace('\n', " ");
    }));
}
