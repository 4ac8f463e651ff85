//! Flags of the commands that use clean text.

use super::table::CorpusOptions;
use clap::{Args as ClapArgs, Subcommand};
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
    /// Column or key with the text, where the inputs are texts and not pages.
    #[arg(long, value_name = "NAME", default_value = "text", help_heading = "Columns")]
    pub(crate) text_column: String,
    #[command(flatten)]
    pub(crate) options: CorpusOptions,
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

/// Name the keywords of pages.
///
/// Keywords are phrases of up to five words of the content, ranked by how and where they occur: how often, how rarely in the other
/// documents, how early, in the title, in headings and links, with capital letters. The ranking was learned from pages whose authors
/// named keywords. The keywords a page names itself are not looked at. A phrase whose words are all in better ones is left out.
///
/// Writes {id, url, keywords: [{text, score}]}, best first. The more documents there are, the better common words are told from
/// telling ones.
#[derive(ClapArgs, Debug)]
pub(crate) struct Keywords {
    #[command(flatten)]
    pub(crate) corpus: CorpusArgs,
    /// Output: a .jsonl (also .jsonl.gz, .jsonl.zst) or .parquet file [default: JSON lines on standard output].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The most keywords of a document.
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub(crate) count: usize,
    /// Leave out keywords with a lower score, 0 to 1.
    #[arg(long, value_name = "SCORE", default_value_t = 0.0, value_parser = score)]
    pub(crate) min_score: f64,
    /// A model file from `dehusk train keywords`, or `builtin` for the model in this program.
    #[arg(long, value_name = "FILE", default_value = "builtin")]
    pub(crate) model: PathBuf,
    /// A query log for a model that was trained with one: a query on each line, or a query, a tab and how often it was asked.
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
}

fn score(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|score| (0.0..=1.0).contains(score)).ok_or_else(|| "give a number from 0 to 1".into())
}

/// How documents are put into clusters.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClusterMethod {
    /// k-means by the cosine; the best of several starts.
    Kmeans,
    /// Furthest-point-first: faster, but outliers become clusters of their own.
    FurthestFirst,
}

/// Put pages into clusters by their topic.
///
/// Documents are compared by the terms of their clean text, weighted by tf-idf. `--clusters auto` tries 2 to 20 clusters on
/// halves of a sample and takes the smallest number whose clusters fit the other half nearly as well as the best do.
///
/// Writes {id, url, cluster, distance} for each document; cluster 0 is the largest, the distance is 0 at the center and at most 1. A document
/// that shares no term with any other has no cluster. The terms of each cluster go to standard error, and with --report to a page with
/// examples.
#[derive(ClapArgs, Debug)]
pub(crate) struct Cluster {
    #[command(flatten)]
    pub(crate) corpus: CorpusArgs,
    /// Output: a .jsonl (also .jsonl.gz, .jsonl.zst) or .parquet file [default: JSON lines on standard output].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The number of clusters, or `auto`.
    #[arg(long, value_name = "COUNT", default_value = "auto", value_parser = cluster_count)]
    pub(crate) clusters: ClusterCount,
    /// The method.
    #[arg(long, value_enum, default_value_t = ClusterMethod::Kmeans)]
    pub(crate) method: ClusterMethod,
    /// Chooses the first centers.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

/// How many clusters are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClusterCount {
    Auto,
    Given(usize),
}

fn cluster_count(text: &str) -> Result<ClusterCount, String> {
    match text {
        "auto" => Ok(ClusterCount::Auto),
        _ => match text.parse() {
            Ok(count @ 1..=10_000) => Ok(ClusterCount::Given(count)),
            _ => Err("a number from 1 to 10000, or auto".into()),
        },
    }
}

/// Learn the classes of labelled pages, and find those of others.
#[derive(Subcommand, Debug)]
pub(crate) enum Classify {
    Train(ClassifyTrain),
    Apply(ClassifyApply),
}

/// Learn classes from labelled pages.
///
/// Multinomial naive Bayes on the terms of the clean text. Says how well the classes are found on sites that were not trained on: pages
/// are dealt out to folds by host, so that no host is in training and test at once.
#[derive(ClapArgs, Debug)]
pub(crate) struct ClassifyTrain {
    #[command(flatten)]
    pub(crate) corpus: CorpusArgs,
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Column or key with the class of a page; pages without one are passed over.
    #[arg(long, value_name = "NAME", default_value = "label", help_heading = "Columns")]
    pub(crate) label_column: String,
    /// Folds of hosts for cross-validation.
    #[arg(long, default_value_t = 10)]
    pub(crate) folds: usize,
    /// Chooses the folds.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

/// Find the classes of pages.
///
/// Writes {id, url, label, probability}. Where pages have a class already, says how often it was found, and with --report what was taken
/// for what.
#[derive(ClapArgs, Debug)]
pub(crate) struct ClassifyApply {
    /// A model file from `dehusk classify train`.
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) corpus: CorpusArgs,
    /// Output: a .jsonl (also .jsonl.gz, .jsonl.zst) or .parquet file [default: JSON lines on standard output].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Column or key with the true class of a page, if there is one.
    #[arg(long, value_name = "NAME", default_value = "label", help_heading = "Columns")]
    pub(crate) label_column: String,
}

/// Train the keywords model on pages that name keywords.
///
/// What a page names in <meta name=keywords> is the truth. Lists that several pages of a site have, and keywords that most pages of a
/// site name, do not count. The model card says how well the model does on sites that were not trained on. The same pages and the same
/// seed give the same bytes, at any number of threads.
#[derive(ClapArgs, Debug)]
pub(crate) struct TrainKeywords {
    #[command(flatten)]
    pub(crate) corpus: CorpusArgs,
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Where the pages come from and under which licence; goes into the model card.
    #[arg(long, value_name = "TEXT")]
    pub(crate) source: Option<String>,
    /// A query log: a query on each line, or a query, a tab and how often it was asked.
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// Leave out sites with fewer pages that name keywords of their own.
    #[arg(long, default_value_t = 8, value_name = "PAGES")]
    pub(crate) min_pages: usize,
    /// Chooses the folds, and the phrases that are learned from.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}
