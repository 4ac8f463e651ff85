//! Flags of the commands that use clean text.

use super::{Columns, Group, Run};
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Where the documents come from.
#[derive(ClapArgs, Debug)]
pub(crate) struct CorpusArgs {
    /// Pages (folders, .warc, .jsonl, .parquet), which are cleaned first, or what `dehusk clean` has written; - is standard input.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Take the whole text of pages, template included, instead of cleaning them.
    #[arg(long, help_heading = "Documents")]
    pub(crate) raw: bool,
    /// Which pages form one site when they are cleaned.
    #[arg(long, value_enum, default_value_t = Group::Host, value_name = "WHAT", help_heading = "Documents")]
    pub(crate) group_by: Group,
    /// Column or key with the text, where the inputs are texts and not pages.
    #[arg(long, value_name = "NAME", default_value = "text", help_heading = "Columns")]
    pub(crate) text_column: String,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Which copy of a text is kept.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The first in the order of the inputs.
    First,
    /// The one with the longest text; the first of these.
    Longest,
}

/// Find near-duplicates among pages.
///
/// Two documents are near-duplicates if they share at least 4 of the 8 smallest hashes of their runs of 6 words (--shared, --hashes,
/// --shingle-words). Documents are compared by their clean text, so that pages of different sites with the same article are found, and pages of
/// one site that share only its template are not. Every pair is found without comparing all pairs; memory is bounded, a million pages take
/// minutes.
///
/// Writes the pairs {a, b, shared}, by id or else by URL; of more than 512 documents with the same hashes, the pairs with the first of them. --clusters writes groups of documents instead, --paragraphs the paragraphs that
/// several documents have, and --keep the documents themselves without near-duplicates.
#[derive(ClapArgs, Debug)]
pub(crate) struct Duplicates {
    #[command(flatten)]
    pub(crate) corpus: CorpusArgs,
    /// Output: a .jsonl (also .jsonl.gz, .jsonl.zst) or .parquet file [default: JSON lines on standard output].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Write groups {cluster, documents} of documents that are connected by pairs.
    #[arg(long, conflicts_with_all = ["keep", "paragraphs"])]
    pub(crate) clusters: bool,
    /// Write one document of each group, and all that have no near-duplicate: id, url, title, text, and the columns asked for with --carry.
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with = "paragraphs")]
    pub(crate) keep: Option<Keep>,
    /// Write the paragraphs {paragraph, documents, count, first} that at least two documents have, the same but for case and punctuation.
    #[arg(long)]
    pub(crate) paragraphs: bool,
    /// Words in a run.
    #[arg(long, value_name = "WORDS", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) shingle_words: u8,
    /// The number of smallest hashes kept of a document.
    #[arg(long, value_name = "COUNT", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) hashes: u8,
    /// Hashes two documents must share.
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) shared: u8,
    /// Words a paragraph must have to be compared.
    #[arg(long, value_name = "WORDS", default_value_t = 8)]
    pub(crate) paragraph_words: usize,
    /// Megabytes of memory for finding pairs; what does not fit is done in several passes.
    #[arg(long, value_name = "MB", default_value_t = 512)]
    pub(crate) memory: usize,
}
