//! Conformance, quality, scale, peers and papers: five suites that measure dehusk on test suites and corpora.
//!
//! Each measurement prints a table and writes it to `docs/results/<name>.md`. The data is not part of the repository; a
//! measurement whose data is missing says so on standard error, keeps its results file and counts as no failure.

// Printing tables is the purpose of this program.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod conformance;
#[cfg(test)]
mod documented;
mod papers;
mod peers;
mod quality;
mod scale;
mod shared;
mod suite;
mod suites;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use suite::{Arguments, Folders};
use suites::{CONFORMANCE, PAPERS, PEERS, QUALITY, SCALE};

#[derive(Parser)]
#[command(about = "Measures dehusk on test suites and corpora", name = "eval")]
struct CommandLine {
    #[command(flatten)]
    folders: Folders,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What is right or wrong: html5lib, trees, spans, properties, oracles
    #[command(after_help = format!("Measurements:\n{}", CONFORMANCE.list()))]
    Conformance(Arguments<conformance::Options>),
    /// How much of the content is kept and of the template dropped
    #[command(after_help = format!("Measurements:\n{}", QUALITY.list()))]
    Quality(Arguments<quality::Options>),
    /// Time and memory, and how they grow
    #[command(after_help = format!("Measurements:\n{}", SCALE.list()))]
    Scale(Arguments<scale::Options>),
    /// Dehusk beside other extractors
    #[command(after_help = format!("Measurements:\n{}", PEERS.list()))]
    Peers(Arguments<peers::Options>),
    /// The experiments of the five papers, and their methods
    #[command(after_help = format!("Measurements:\n{}", PAPERS.list()))]
    Papers(Arguments<papers::Options>),
    #[command(flatten)]
    Child(Child),
}

/// What measurements start as a process of its own, to measure it.
#[derive(Subcommand)]
enum Child {
    /// A program: its exit code, time and memory
    #[command(hide = true)]
    Measured {
        /// The program and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// One size of `align`
    #[command(hide = true)]
    AlignCost {
        /// Tokens of a page
        tokens: usize,
        /// Percentage of them that all pages share
        percent: usize,
    },
    /// The memory of our parser, for `parse-speed`
    #[command(hide = true)]
    PeakMemory {
        /// Bytes of the largest page
        largest: usize,
    },
    /// Dehusk, for `peers`
    #[command(hide = true)]
    PeersOurs {
        /// What is measured
        #[arg(value_enum)]
        what: peers::Ours,
        /// JSONL with id, url and html
        pages: PathBuf,
        /// The file to append results to
        out: PathBuf,
        /// The number of the first page
        first: usize,
    },
}

/// Why a measurement has no results.
enum Stop {
    /// The data is missing; not a failure.
    Absent(String),
    /// The measurement found an error, which the results describe.
    Failed(String),
    /// Something could not be read or written.
    Broken(String),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Stop {
        Stop::Broken(error.to_string())
    }
}

fn main() -> ExitCode {
    let matches = CommandLine::command().get_matches();
    let CommandLine { folders, command } = CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    // What was given is asked of the matches, since a value may also be a default.
    let given = matches.subcommand().map_or(&matches, |(_, given): (&str, &ArgMatches)| given);
    match command {
        Command::Conformance(arguments) => CONFORMANCE.run(&arguments, given, folders),
        Command::Quality(arguments) => QUALITY.run(&arguments, given, folders),
        Command::Scale(arguments) => SCALE.run(&arguments, given, folders),
        Command::Peers(arguments) => PEERS.run(&arguments, given, folders),
        Command::Papers(arguments) => PAPERS.run(&arguments, given, folders),
        Command::Child(child) => run_child(child),
    }
}

fn run_child(child: Child) -> ExitCode {
    let outcome = match child {
        Child::Measured { command } => shared::program::measured(&command),
        Child::AlignCost { tokens, percent } => papers::align::measure_cost(tokens, percent),
        Child::PeakMemory { largest } => scale::parse_speed::measure(largest),
        Child::PeersOurs { what, pages, out, first } => peers::measure(what, &pages, &out, first),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Absent(what) | Stop::Failed(what) | Stop::Broken(what)) => {
            eprintln!("error: {what}");
            ExitCode::from(2)
        }
    }
}
