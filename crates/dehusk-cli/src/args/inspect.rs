//! The flags of `dehusk inspect`.

use super::table::InspectOptions;
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Look at a page, a site or a crawl in the browser.
///
/// Shows the page as it looks with what is dropped dimmed, and for each part the score, the
/// reason and what weighed; a slider moves the focus. Of many pages, a table with the lowest
/// confidence first, and the templates of each site. What is wrong can be corrected by a click;
/// `dehusk train fusion --more` learns from it.
///
/// Look at a page:              dehusk inspect page.html
/// Look at a crawl:             dehusk inspect crawl.warc.gz
/// Send a page to a colleague:  dehusk inspect page.html --save view.html
///
/// The server answers this machine only, at an address with a random token. Scripts of pages
/// never run, and nothing is loaded from the network unless you switch it on. Press Ctrl-C to
/// end it.
#[derive(ClapArgs, Debug)]
#[command(verbatim_doc_comment, about = "Look at a page, a site or a crawl in the browser")]
pub(crate) struct Inspect {
    /// A page, a folder of pages, or .warc, .jsonl and .parquet files; - for standard input.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Write the view of one page to this file, which needs no server and no network, and end.
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// The address of the page, if IN is a single page.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// File for corrections: pages with your decisions, for `dehusk train fusion --more` and `dehusk eval`.
    #[arg(long, value_name = "FILE", default_value = "corrections.jsonl")]
    pub(crate) corrections: PathBuf,
    /// The port to listen on; 0 means any free one.
    #[arg(long, default_value_t = 0, value_name = "PORT")]
    pub(crate) port: u16,
    /// Print the address, but do not open it in a browser.
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Template store written by `dehusk clean --templates`, to be used instead of learning the sites again.
    #[arg(long, value_name = "FILE")]
    pub(crate) templates: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: InspectOptions,
}
