//! How much of the content is kept and of the template dropped, on corpora that say what is content, and how right what else is written
//! of a page is.

pub(crate) mod corrections;
pub(crate) mod duplicates;
pub(crate) mod evidence;
pub(crate) mod fallback;
pub(crate) mod fusion;
pub(crate) mod known_content;
pub(crate) mod metadata;
pub(crate) mod methods;
pub(crate) mod records;
pub(crate) mod sitelevel;
pub(crate) mod structure;
pub(crate) mod templates;

use std::path::PathBuf;

/// The options of these measurements.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folder for the models of the folds, each fitted without a fifth of the sites; models that are there are used
    #[arg(long, default_value = "target/fusion-folds")]
    pub(crate) folds: PathBuf,
    /// fusion: file for the extracted texts of wcxb-dev
    #[arg(long, default_value = "fusion-folds.jsonl")]
    pub(crate) predictions: PathBuf,
    /// Print the values that are wrong or missing, or the pages concerned
    #[arg(long)]
    pub(crate) verbose: bool,
    /// metadata: a Python with trafilatura, to compare with
    #[arg(long)]
    pub(crate) python: Option<PathBuf>,
    /// methods: only sites whose names contain this; prints, and writes no results
    #[arg(long)]
    pub(crate) site: Option<String>,
    #[command(flatten)]
    pub(crate) duplicates: duplicates::DuplicatesOptions,
}
