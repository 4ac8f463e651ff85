//! The flags of `dehusk inspect`.

use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Look at a page, a site or a crawl in the browser.
#[derive(ClapArgs, Debug)]
pub(crate) struct Inspect {
    /// A page, a folder of pages, or a .warc, .jsonl or .parquet file.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
}
