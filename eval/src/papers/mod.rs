//! The five papers: their experiments on our data, as one page of results, and what else we measure of their methods, a folder each.

pub(crate) mod align;
pub(crate) mod block;
pub(crate) mod experiments;
mod held_out;
mod known_sites;
pub(crate) mod pagelevel;
mod section;
pub(crate) mod segmentation;
pub(crate) mod treemap;
mod uses;

/// The options of these measurements.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// experiments: only this paper; prints its section and writes its plots, but not the page
    #[arg(long)]
    pub(crate) paper: Option<String>,
    #[command(flatten)]
    pub(crate) segmentation: segmentation::SegmentationOptions,
    #[command(flatten)]
    pub(crate) block: block::BlockOptions,
}
