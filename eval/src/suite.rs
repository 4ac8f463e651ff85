//! A suite: measurements that one command runs. Takes what the command line says and runs all of its measurements, or those named with
//! `--only`, one after the other; a failure does not stop the next. The suites themselves are in `suites.rs`.

use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::report::Results;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

/// Something that is measured, with the options `O` of its suite.
pub(crate) struct Measurement<O> {
    /// What `--only` calls it. Its results are in `docs/results/<name>.md`, unless they say otherwise.
    pub(crate) name: &'static str,
    /// One line for the list.
    pub(crate) help: &'static str,
    /// The options of the suite that it reads, by their long names.
    pub(crate) options: &'static [&'static str],
    pub(crate) run: fn(&Context, &O) -> Result<(), Stop>,
}

/// The measurements of one command, in the order in which they run.
pub(crate) struct Suite<O: 'static> {
    pub(crate) name: &'static str,
    pub(crate) measurements: &'static [Measurement<O>],
}

/// Where a measurement reads and writes.
pub(crate) struct Context {
    pub(crate) data: Data,
    pub(crate) results: Results,
}

/// The folders, which all suites have.
#[derive(Args)]
pub(crate) struct Folders {
    /// Folder of the test suites and corpora
    #[arg(long, global = true, default_value = "../shared/data")]
    data: PathBuf,
    /// Folder the results are written to
    #[arg(long, global = true, default_value = "docs/results")]
    results: PathBuf,
}

/// The command line of a suite.
#[derive(Args)]
pub(crate) struct Arguments<O: Args> {
    /// Only these measurements
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    only: Vec<String>,
    /// List the measurements, and run none
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    options: O,
}

impl<O: Args> Suite<O> {
    /// A line for each measurement.
    pub(crate) fn list(&self) -> String {
        let width = self.measurements.iter().map(|measurement| measurement.name.len()).max().unwrap_or(0);
        self.measurements.iter().fold(String::new(), |mut out, measurement| {
            let _ = writeln!(out, "  {:width$}  {}", measurement.name, measurement.help);
            out
        })
    }

    /// The measurements to run. An error if a name is unknown, or an option would not be read.
    pub(crate) fn select(
        &self,
        arguments: &Arguments<O>,
        matches: &ArgMatches,
    ) -> Result<Vec<&'static Measurement<O>>, clap::Error> {
        for name in &arguments.only {
            if !self.measurements.iter().any(|measurement| measurement.name == name) {
                return Err(refuse(format!("{} has no measurement {name}; it has:\n{}", self.name, self.list())));
            }
        }
        let options = self.measurements.iter().flat_map(|measurement| measurement.options);
        for option in options.filter(|option| is_given(matches, option)) {
            self.check_option(option, &arguments.only).map_err(refuse)?;
        }
        let is_wanted = |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
        Ok(self.measurements.iter().filter(|measurement| is_wanted(measurement.name)).collect())
    }

    /// Whether the option is read as its user expects. One that only one of several measurements reads is for a run of that
    /// measurement: most such options make it write no results.
    fn check_option(&self, option: &str, only: &[String]) -> Result<(), String> {
        let readers: Vec<&str> = self
            .measurements
            .iter()
            .filter(|measurement| measurement.options.contains(&option))
            .map(|measurement| measurement.name)
            .collect();
        let is_read = match only {
            [] => readers.len() > 1 || self.measurements.len() == 1,
            only => only.iter().any(|name| readers.contains(&name.as_str())),
        };
        if is_read {
            return Ok(());
        }
        Err(format!("--{option} is an option of {}; give it with `--only {}`", readers.join(", "), readers.join(",")))
    }

    /// Runs what the command line asks for. The exit code is 1 if a measurement failed.
    pub(crate) fn run(&self, arguments: &Arguments<O>, matches: &ArgMatches, folders: Folders) -> ExitCode {
        if arguments.list {
            print!("{}", self.list());
            return ExitCode::SUCCESS;
        }
        let selected = self.select(arguments, matches).unwrap_or_else(|error| error.exit());
        let context = Context { data: Data::new(folders.data), results: Results::new(folders.results, self.name) };
        let mut failed = Vec::new();
        for measurement in selected {
            // A panic of one measurement must not lose the results of the others.
            let outcome = catch_unwind(AssertUnwindSafe(|| (measurement.run)(&context, &arguments.options)));
            match outcome.unwrap_or_else(|_| Err(Stop::Broken("it panicked".into()))) {
                Ok(()) => {}
                Err(Stop::Absent(what)) => eprintln!("{}: skipped: {what}", measurement.name),
                Err(Stop::Failed(what)) => {
                    eprintln!("{}: failed: {what}", measurement.name);
                    failed.push(measurement.name);
                }
                Err(Stop::Broken(what)) => {
                    eprintln!("{}: error: {what}", measurement.name);
                    failed.push(measurement.name);
                }
            }
        }
        if failed.is_empty() {
            return ExitCode::SUCCESS;
        }
        eprintln!("{}: failed: {}", self.name, failed.join(", "));
        ExitCode::FAILURE
    }
}

/// Whether an option is on the command line; a default does not count.
fn is_given(matches: &ArgMatches, option: &str) -> bool {
    matches.value_source(&option.replace('-', "_")) == Some(ValueSource::CommandLine)
}

fn refuse(message: String) -> clap::Error {
    clap::Error::raw(ErrorKind::InvalidValue, message + "\n")
}
