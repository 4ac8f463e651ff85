//! Flags of the commands for single pages.

use super::table::{ExplainOptions, ExtractOptions, FeaturesOptions, RecordsOptions, SegmentOptions, StripOptions};
use clap::{Args as ClapArgs, ValueEnum};
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
    /// The address of the page: makes URLs absolute with --absolute-urls, and lets pagelevel tell links within the site from others.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) options: ExtractOptions,
}

/// Print the original HTML of a page without its template.
///
/// What is kept is exactly as it was: nothing is rewritten or sanitized. For safe HTML use `dehusk extract --format html`.
#[derive(ClapArgs, Debug)]
pub(crate) struct Strip {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    /// The address of the page: makes URLs absolute with --absolute-urls, and lets pagelevel tell links within the site from others.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) options: StripOptions,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Explain {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    /// The address of the page: makes URLs absolute with --absolute-urls, and lets pagelevel tell links within the site from others.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) options: ExplainOptions,
    /// Show the tree down to this depth.
    #[arg(long, default_value_t = 64)]
    pub(crate) depth: usize,
    /// Number of characters to show of a node's text.
    #[arg(long, default_value_t = 120)]
    pub(crate) width: usize,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = ExplainFormat::Text)]
    pub(crate) format: ExplainFormat,
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
    /// Output format. Pictures of several pages go to a folder.
    #[arg(short, long, value_enum, default_value_t = SegmentFormat::Json)]
    pub(crate) format: SegmentFormat,
    /// The address of the page: goes to its record, and lets sections tell links within the site from others.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) options: SegmentOptions,
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

/// Find what pages repeat, such as posts, products and rows, with their fields
///
/// IN is a page or, with -o, anything that `dehusk clean` reads: a folder, WARC, JSONL or Parquet. Records come in groups: the posts of a
/// thread, the cards of a list, the rows of a table. The same place in all records of a group is a column; columns with a known
/// meaning are called title, url, image, price, author, date and text, others by their label or place. docs/records.md has an example.
///
/// A thread as a table:            dehusk records thread.html --format csv
/// The products of a shop:         dehusk records shop.warc.gz -o products.parquet
#[derive(ClapArgs, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct Records {
    /// A page, or - for standard input; with -o also folders and .warc, .jsonl and .parquet files.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The address of the page: goes to its row, and makes links and images absolute.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) options: RecordsOptions,
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
    pub(crate) options: FeaturesOptions,
}
