//! Conformance, quality and speed of dehusk on test suites and corpora.
//!
//! Each command prints a table and writes it to `docs/results/<name>.md`. The data is not part of the repository; a
//! command whose data is missing says so on standard error, keeps its results file and exits with success.

// Printing tables is the purpose of this program.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod align;
mod block;
mod corpus;
mod corrections;
mod crawl;
mod detectors;
mod duplicates;
mod evidence;
mod fusion;
mod fusion_calibration;
mod fusion_folds;
mod fusion_speed;
mod hidden;
mod html5lib;
mod isotonic;
mod judge;
#[path = "../../crates/dehusk/tests/support/kept.rs"]
mod kept;
mod made;
#[path = "../../crates/dehusk/tests/support/made.rs"]
mod made_sites;
mod markdown;
mod memory;
mod metadata;
mod methods;
mod oracles;
mod papers;
mod peers;
mod plot;
mod properties;
mod report;
mod scaling;
mod segment;
mod segments;
mod sitelevel;
mod spans;
mod speed;
mod structure;
#[path = "../../crates/dehusk-dom/tests/support/mod.rs"]
mod support;
mod templates;
mod treemap;
mod trees;

use clap::{Parser, Subcommand};
use corpus::Data;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Measures dehusk on test suites and corpora")]
struct Arguments {
    /// Folder of the test suites and corpora
    #[arg(long, global = true, default_value = "../shared/data")]
    data: PathBuf,
    /// Folder the results are written to
    #[arg(long, global = true, default_value = "docs/results")]
    results: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The tokenizer and tree-construction tests of html5lib
    Html5lib {
        /// Print the cases that do not pass and are not tolerated
        #[arg(long)]
        verbose: bool,
    },
    /// Our trees compared with html5ever's, on the pages of all corpora
    Trees {
        /// Print where unequal trees differ
        #[arg(long)]
        verbose: bool,
    },
    /// The speed of parsing wcxb-dev, compared with other parsers
    ParseSpeed {
        /// Time only our parser, and write no results
        #[arg(long)]
        only_ours: bool,
    },
    /// The block detector on held-out sites
    Block(block::Arguments),
    /// What corrections of a few pages change there, on the same sites and everywhere else
    Corrections,
    /// The time of each detector compared with parsing, on wcxb-dev
    Detectors,
    /// SITELEVEL on sites whose template or content is known
    Sitelevel,
    /// The crawl job, through the program: containers, growth, threads, kills, damaged input
    Crawl(crawl::Arguments),
    /// Internal: started by `crawl` to measure a program
    #[command(hide = true)]
    Measured {
        /// The program and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// Segmentation on hand-marked pages: GCUTS, CCLUS, `best`, roles, time, duplicates
    Segment(segment::Arguments),
    /// PageLevel on hand-labelled pages
    Segments,
    /// Estimated layout compared with Chromium's
    Layout,
    /// Fusion with and without site evidence
    Evidence(evidence::Arguments),
    /// The cost of tree isotonic regression
    Isotonic,
    /// Calibration of the default extractor's confidence, and its page types
    FusionCalibration(fusion_calibration::Arguments),
    /// The default extractor compared with parsing alone on wcxb-dev: time on one core, memory, threads
    FusionSpeed(fusion_speed::Arguments),
    /// The default extractor on held-out pages of wcxb-dev
    Fusion(fusion::Arguments),
    /// Align on sites whose template is known, and its speed
    Align,
    /// Internal: started by `align` to measure one size
    #[command(hide = true)]
    AlignCost {
        /// Tokens of a page
        tokens: usize,
        /// Percentage of them that all pages share
        percent: usize,
    },
    /// All methods and `auto` compared, on themes and on held-out pages of sites
    Methods {
        /// Only sites whose names contain this; prints, and writes no results
        #[arg(long)]
        only: Option<String>,
    },
    /// Pages whose content is known because it was put there or marked: short texts, structured documents, values of shops
    Made,
    /// Several templates per site, and values that change per request, on synthetic sites
    Templates,
    /// TreeMap on sites whose template is known, by the number of pages, and its speed
    Treemap,
    /// Content of wcxb-dev that is not in the visible text
    Hidden {
        /// Print the pages concerned
        #[arg(long)]
        verbose: bool,
    },
    /// The memory of the program on large pages and many hosts, which it makes itself
    Memory(memory::Arguments),
    /// Title, author and date of wcxb-dev against the reference values
    Metadata {
        /// A Python with trafilatura, to compare with
        #[arg(long)]
        python: Option<PathBuf>,
        /// Print the values that are wrong or missing
        #[arg(long)]
        verbose: bool,
    },
    /// Internal: started by `parse-speed` to measure memory
    #[command(hide = true)]
    PeakMemory {
        /// Bytes of the largest page
        largest: usize,
    },
    /// Dehusk and other extractors on wcxb-dev: quality, speed and memory in one run
    Peers(peers::Arguments),
    /// Internal: started by `peers` to measure Dehusk
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
    /// `dehusk duplicates` on made-up pages: growth to a million, recall and precision, beside datasketch
    Duplicates(duplicates::Arguments),
    /// Every table and figure of the five papers, on our data
    Papers(papers::Arguments),
    /// Properties of every page of all corpora: no panic, and kept text is text of the page in page order
    Properties,
    /// Growth of the cost of every stage on pages that repeat a pattern: known hostile shapes and random ones
    Scaling(scaling::Arguments),
    /// Shifted cells, lost code, titles, empty headings and posts without author on wcxb-dev and sites
    Structure,
    /// The source spans of all nodes of wcxb-dev
    Spans {
        /// Print what is wrong
        #[arg(long)]
        verbose: bool,
    },
}

/// Why a command has no results.
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
    let arguments = Arguments::parse();
    let data = Data::new(arguments.data);
    let results = report::Results::new(arguments.results);
    let outcome = match arguments.command {
        Command::Html5lib { verbose } => html5lib::run(&data, &results, verbose),
        Command::Trees { verbose } => trees::run(&data, &results, verbose),
        Command::ParseSpeed { only_ours } => speed::run(&data, &results, only_ours),
        Command::Segment(arguments) => segment::run(&data, &results, &arguments),
        Command::Segments => segments::run(&data, &results),
        Command::Layout => segments::layout::run(&data, &results),
        Command::Evidence(arguments) => evidence::run(&data, &results, &arguments),
        Command::Isotonic => isotonic::run(&results),
        Command::FusionCalibration(arguments) => fusion_calibration::run(&data, &results, &arguments),
        Command::FusionSpeed(arguments) => fusion_speed::run(&data, &results, &arguments),
        Command::Fusion(arguments) => fusion::run(&data, &results, &arguments),
        Command::Align => align::run(&data, &results),
        Command::AlignCost { tokens, percent } => align::measure_cost(tokens, percent),
        Command::Block(arguments) => block::run(&data, &results, &arguments),
        Command::Corrections => corrections::run(&data, &results),
        Command::Detectors => detectors::run(&data, &results),
        Command::Sitelevel => sitelevel::run(&data, &results),
        Command::Crawl(arguments) => crawl::run(&data, &results, &arguments),
        Command::Measured { command } => crawl::measured(&command),
        Command::Methods { only } => methods::run(&data, &results, only.as_deref()),
        Command::Made => made::run(&data, &results),
        Command::Templates => templates::run(&results),
        Command::Hidden { verbose } => hidden::run(&data, &results, verbose),
        Command::Memory(arguments) => memory::run(&results, &arguments),
        Command::Metadata { python, verbose } => metadata::run(&data, &results, python.as_deref(), verbose),
        Command::Treemap => treemap::run(&data, &results),
        Command::PeakMemory { largest } => speed::measure(largest),
        Command::Peers(arguments) => peers::run(&data, &results, &arguments),
        Command::PeersOurs { what, pages, out, first } => peers::measure(what, &pages, &out, first),
        Command::Duplicates(arguments) => duplicates::run(&results, &arguments),
        Command::Papers(arguments) => papers::run(&data, &results, &arguments),
        Command::Properties => properties::run(&data, &results),
        Command::Scaling(arguments) => scaling::run(&results, &arguments),
        Command::Structure => structure::run(&data, &results),
        Command::Spans { verbose } => spans::run(&data, &results, verbose),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Absent(what)) => {
            eprintln!("skipped: {what}");
            ExitCode::SUCCESS
        }
        Err(Stop::Failed(what)) => {
            eprintln!("failed: {what}");
            ExitCode::FAILURE
        }
        Err(Stop::Broken(what)) => {
            eprintln!("error: {what}");
            ExitCode::from(2)
        }
    }
}
