//! One file per command.

mod apply;
mod clean;
mod detect;
mod drift;
mod features;
mod label;
mod learn;
mod page;
mod show_template;
mod train;

use crate::args::{Args, Command};
use crate::files;
use clap::CommandFactory as _;
use dehusk::{Method, SiteTemplates};
use std::path::Path;
use std::process::ExitCode;

/// How a run ended that could run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Everything was done.
    Done,
    /// Pages were skipped and the user wants to know.
    Skipped,
    /// Templates no longer fit.
    Drifted,
}

impl Outcome {
    /// 0 done, 1 done with skipped pages under `--strict` or with drift; 2 is for runs that could not run.
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Outcome::Done => ExitCode::SUCCESS,
            Outcome::Skipped | Outcome::Drifted => ExitCode::from(1),
        }
    }
}

/// Why a run could not run. The text names the input, what is wrong and what to do.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    closed_pipe: bool,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), closed_pipe: false }
    }

    /// A failure to write to standard output.
    pub(crate) fn output(error: std::io::Error) -> Failure {
        let closed_pipe = error.kind() == std::io::ErrorKind::BrokenPipe;
        Failure { message: format!("standard output: {error}"), closed_pipe }
    }

    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.closed_pipe
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

pub(crate) fn run(args: Args) -> Result<Outcome, Failure> {
    match args.command {
        Command::Extract(args) => page::extract(&args),
        Command::Strip(args) => page::strip(&args),
        Command::Explain(args) => page::explain(&args),
        Command::Learn(args) => learn::learn(&args),
        Command::Apply(args) => apply::apply(&args),
        Command::Clean(args) => clean::clean(&args),
        Command::Drift(args) => drift::drift(&args),
        Command::ShowTemplate(args) => show_template::show_template(&args),
        Command::Features(args) => features::features(&args),
        Command::Label(args) => label::label(&args),
        Command::Train(args) => train::train(&args),
        Command::Eval(args) => train::eval(&args),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Args::command(), "dehusk", &mut std::io::stdout());
            Ok(Outcome::Done)
        }
    }
}

/// No template file is larger.
const MOST_TEMPLATE_BYTES: usize = 1 << 30;

fn read_template(path: &Path) -> Result<SiteTemplates, Failure> {
    let bytes = files::read(path, MOST_TEMPLATE_BYTES)?;
    SiteTemplates::from_bytes(&bytes).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

/// Reads a template that is to judge pages by a method.
fn read_template_for(path: &Path, method: Option<Method>) -> Result<SiteTemplates, Failure> {
    let site = read_template(path)?;
    let checked = method.map_or(Ok(()), |method| site.check_method(method));
    checked.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok(site)
}

/// The day, for template files. `SOURCE_DATE_EPOCH` sets it, as for other builds that must be the same twice.
fn today() -> String {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let now = fixed.and_then(|seconds| time::OffsetDateTime::from_unix_timestamp(seconds).ok());
    now.unwrap_or_else(time::OffsetDateTime::now_utc).date().to_string()
}

fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::new(format!("cannot start threads: {error}")))
}
