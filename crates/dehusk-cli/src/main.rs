//! The `dehusk` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(dehusk_cli::run(std::env::args_os()))
}
