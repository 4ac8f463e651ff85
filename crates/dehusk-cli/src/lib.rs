//! The `dehusk` program: pages and sites from files, results to files or standard output.
//!
//! Options come from `dehusk-options`, which other surfaces share.

mod args;
#[cfg(unix)]
mod chromium;
mod commands;
mod files;
mod layout;
mod outcome;
mod printer;
mod temporary;

use clap::Parser as _;
use std::ffi::OsString;
use std::panic::catch_unwind;
use std::sync::{Mutex, PoisonError};

/// Runs the program. The first argument is its name. Returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let args = match args::Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            // Help that was asked for is such an "error", too. There is nothing to do if it cannot be printed.
            let _ = error.print();
            return error.exit_code() as u8;
        }
    };
    keep_panics_quiet();
    let done = catch_unwind(|| commands::run(args));
    temporary::wait_if_interrupted();
    match done {
        Ok(Ok(outcome)) => outcome.exit_code(),
        // A reader that has seen enough, such as `head`, is no failure.
        Ok(Err(failure)) if failure.is_closed_pipe() => 0,
        Ok(Err(failure)) => {
            printer::warn(&failure.to_string());
            2
        }
        Err(_) => {
            let last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
            printer::warn(&format!("internal error, please report it: {last}"));
            101
        }
    }
}

/// The text and the place of the last panic.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// A panic on a page or in a library that reads a damaged file is caught where it happens and becomes the error of that page or file. It
/// prints nothing by itself, unless `RUST_BACKTRACE` is set.
fn keep_panics_quiet() {
    if std::env::var_os("RUST_BACKTRACE").is_some() {
        return;
    }
    std::panic::set_hook(Box::new(|info| {
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string().replace('\n', " ");
    }));
}
