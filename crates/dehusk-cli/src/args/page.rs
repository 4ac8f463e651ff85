//! Flags of the commands for single pages.

use super::{Again, Columns, DetectorArgs, LayoutArgs, Reading, Render, Run, SiteArgs};
use clap::{Args as ClapArgs, ValueEnum};
use dehusk::SegmentMethod;
use std::path::PathBuf;

/// Extract the content of a page as text, Markdown, HTML or JSON.
///
/// IN is a page or, with -o, anything that `dehusk clean` reads: a folder, WARC, JSONL or Parquet. Each page is looked at by itself;
/// `dehusk clean` compares the pages of a site.
#[derive(ClapArgs, Debug)]
pub(crate) struct Extract {
    /// A page, or - for standard input; with -o also folders and .warc, .jsonl and .parquet files.
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
    /// Output: for one page a file; otherwise a .jsonl (also .gz, .zst) or .parquet file or a folder [default: standard output].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) again: Again,
}

/// Print the original HTML of a page without its template.
///
/// What is kept is exactly as it was: nothing is rewritten or sanitized. For safe HTML use `dehusk extract --format html`.
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
    /// Output file [default: standard output].
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
    /// Show the tree down to this depth.
    #[arg(long, default_value_t = 64)]
    pub(crate) depth: usize,
    /// Number of characters to show of a node's text.
    #[arg(long, default_value_t = 120)]
    pub(crate) width: usize,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = ExplainFormat::Text)]
    pub(crate) format: ExplainFormat,
    /// Output file [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A format of the report on a page.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExplainFormat {
    /// The tree of the page, a line per node.
    Text,
    /// A record with every block, its position in the source, the decision, the reason and the features that weighed.
    Json,
}

/// Split a page into segments such as navigation, main content and footer.
///
/// IN is a page or, with -o, anything that `dehusk clean` reads: a folder, WARC, JSONL or Parquet. Each page becomes a record (docs/segment.md)
/// or, with --format, a picture.
#[derive(ClapArgs, Debug)]
pub(crate) struct Segment {
    /// A page, or - for standard input; with -o also folders and .warc, .jsonl and .parquet files.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// How the page is split: best, gcuts, cclus or sections.
    ///
    /// `best`, the default, cuts the tree of the page by a model. `gcuts` (graph cuts) and `cclus` (correlation clustering) group texts and images
    /// by how alike and how near they are. `sections` are the parts with equal scores of PageLevel.
    #[arg(long, value_name = "NAME", default_value = "best", value_parser = segment_method)]
    pub(crate) method: SegmentMethod,
    /// Output format. Pictures of several pages go to a folder.
    #[arg(short, long, value_enum, default_value_t = SegmentFormat::Json)]
    pub(crate) format: SegmentFormat,
    /// A model from `dehusk train segment`, instead of the one in this program.
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// The address of the page: goes to its record, and lets sections tell links within the site from others.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) run: Run,
    /// Output: for one page a file; otherwise a .jsonl (also .gz, .zst) or .parquet file or a folder [default: standard output].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) again: Again,
}

/// A format of segments.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentFormat {
    /// A record with the nodes, box, role and text of each segment.
    Json,
    /// A picture in a web page, with a legend beside it.
    Html,
    /// A picture.
    Svg,
}

fn segment_method(name: &str) -> Result<SegmentMethod, String> {
    let names = || SegmentMethod::ALL.map(SegmentMethod::name).join(", ");
    SegmentMethod::from_name(name).ok_or_else(|| format!("the methods are {}", names()))
}

fn area(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|area| *area >= 0.0).ok_or_else(|| "give a number, 0 or more".into())
}

/// Print the features of a page's nodes as a table, as PageLevel sees them.
#[derive(ClapArgs, Debug)]
pub(crate) struct Features {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    /// One JSON object per node instead of CSV.
    #[arg(long)]
    pub(crate) json: bool,
    /// Skip nodes with a smaller area, in square pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 0.0, value_parser = area)]
    pub(crate) least_area: f32,
    /// URL of the page, to tell internal links from external ones.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Output file [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
