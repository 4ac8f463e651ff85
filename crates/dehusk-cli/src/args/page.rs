//! The flags of commands for one page.

use super::{Columns, DetectorArgs, LayoutArgs, Reading, Render, Run, SiteArgs};
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Print the content of a page as text, Markdown, HTML or JSON, or of all pages of a file or folder, each on its own.
///
/// IN is a page, or with -o anything `dehusk clean` takes: a folder, WARC, JSONL or Parquet. Pages are not compared with each
/// other here; `dehusk clean` does that.
#[derive(ClapArgs, Debug)]
pub(crate) struct Extract {
    /// A page, or - for standard input; with -o also folders, .warc, .jsonl and .parquet files.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) detector: DetectorArgs,
    #[command(flatten)]
    pub(crate) site: SiteArgs,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) run: Run,
    /// Write here instead of to standard output: for one page a file; otherwise a .jsonl (also .gz, .zst) or .parquet file or a folder.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Go on with a run that was stopped.
    #[arg(long)]
    pub(crate) resume: bool,
}

/// Print the original HTML of a page without its husk.
///
/// What stays is exactly as it was: nothing is rewritten and nothing is made safe. For safe HTML use
/// `dehusk extract --format html`.
#[derive(ClapArgs, Debug)]
pub(crate) struct Strip {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    #[command(flatten)]
    pub(crate) detector: DetectorArgs,
    #[command(flatten)]
    pub(crate) site: SiteArgs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Explain {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    #[command(flatten)]
    pub(crate) detector: DetectorArgs,
    #[command(flatten)]
    pub(crate) site: SiteArgs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How deep into the tree to go.
    #[arg(long, default_value_t = 64)]
    pub(crate) depth: usize,
    /// Number of characters to show of a node's text.
    #[arg(long, default_value_t = 120)]
    pub(crate) width: usize,
}

/// Print the features of a page's nodes as a table: what models read, for people to study.
#[derive(ClapArgs, Debug)]
pub(crate) struct Features {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    /// One JSON object per node instead of comma-separated values.
    #[arg(long)]
    pub(crate) json: bool,
    /// Leave out nodes with a smaller area, in square pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 0.0)]
    pub(crate) least_area: f32,
    /// The address of the page, to tell its own links from others.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
