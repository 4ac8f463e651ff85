//! Time and memory: of parsing, of detectors, of whole crawls through the program, and how they grow with the size of a page.

pub(crate) mod crawl;
pub(crate) mod detectors;
pub(crate) mod fusion_speed;
pub(crate) mod memory;
pub(crate) mod parse_speed;
pub(crate) mod scaling;

use std::path::PathBuf;

/// The options of these measurements.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The program, built with `cargo build --release`; default: the one next to this program
    #[arg(long)]
    pub(crate) dehusk: Option<PathBuf>,
    /// Folder for work files, which needs 15 GB for crawl; default: a temporary folder
    #[arg(long)]
    pub(crate) work: Option<PathBuf>,
    /// parse-speed: time only our parser, and write no results
    #[arg(long)]
    pub(crate) only_ours: bool,
    /// fusion-speed: time only the stages in this process, and write no results
    #[arg(long)]
    pub(crate) only_stages: bool,
    /// crawl: run only this part; can be repeated
    #[arg(long, value_enum)]
    pub(crate) part: Vec<crawl::Part>,
    #[command(flatten)]
    pub(crate) scaling: scaling::ScalingOptions,
}
