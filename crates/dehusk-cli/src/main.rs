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
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = args::Args::parse();
    match commands::run(args) {
        Ok(outcome) => outcome.exit_code(),
        // A reader that has seen enough, such as `head`, is no failure.
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            printer::warn(&failure.to_string());
            ExitCode::from(2)
        }
    }
}
