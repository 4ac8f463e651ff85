//! The flags of commands that label pages, train models and measure them.

use super::TrainKeywords;
use super::table::LabelOptions;
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use dehusk_papers::block::elements::BlockNames;
use std::path::PathBuf;

#[derive(Subcommand, Debug)]
pub(crate) enum Train {
    Fusion(TrainFusion),
    PageType(TrainPageType),
    Segment(TrainSegment),
    Block(TrainBlock),
    Pagelevel(TrainPagelevel),
    Keywords(TrainKeywords),
}

/// Train the default detector on pages with reference texts, or adapt it to corrected pages.
///
/// Adapt it to pages corrected in `dehusk inspect`:
///   dehusk train fusion --more corrections.jsonl -o my.model
/// Use the result:
///   dehusk extract --model my.model page.html
/// Correct more, and go on from there:
///   dehusk train fusion --more new.jsonl --from my.model -o my2.model
/// Train on a corpus, and on corrections with it:
///   dehusk train fusion pages.jsonl --more corrections.jsonl -o my.model
///
/// Without PAGES the model in this program, or that of --from, keeps its trees and gets some
/// more, so that it decides about the corrected parts as requested, and about other pages as before.
/// This takes seconds. What it does not follow is named at the end.
///
/// With PAGES a new model is trained. Each page comes with its content as plain text. All pages
/// are held in memory, and 1,500 of them take minutes.
///
/// The same pages and the same seed give the same bytes, at any number of threads.
#[derive(ClapArgs, Debug)]
#[command(
    verbatim_doc_comment,
    about = "Train the default detector on pages with reference texts, or adapt it to corrected pages"
)]
pub(crate) struct TrainFusion {
    /// Pages with reference texts: JSON lines, plain or compressed with gzip or zstd, or Parquet files; - for standard input.
    #[arg(required_unless_present = "more", value_name = "PAGES")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) references: TrainReferences,
    /// Pages that were corrected: a file that `dehusk inspect` has saved, JSON lines. May be given several times.
    #[arg(long, value_name = "FILE", help_heading = "Corrections")]
    pub(crate) more: Vec<PathBuf>,
    /// With PAGES: how much a corrected page counts. A page with a page type counts 1, one without 0.5.
    #[arg(long, default_value_t = 4.0, value_name = "WEIGHT", help_heading = "Corrections")]
    pub(crate) more_weight: f32,
    /// Adapt this model instead of the one in this program.
    #[arg(long, value_name = "FILE", requires = "more", conflicts_with = "inputs", help_heading = "Corrections")]
    pub(crate) from: Option<PathBuf>,
}

/// Train the page types of the default detector on pages with reference texts.
///
/// Each page comes with its content as plain text and its type: article, collection, documentation, forum, listing, product or service.
/// The same pages and the same seed give the same bytes, at any number of threads. All pages are held in memory. Fusion models
/// are fitted first, unless `--fold-models` has them.
#[derive(ClapArgs, Debug)]
pub(crate) struct TrainPageType {
    /// Pages with reference texts: JSON lines, plain or compressed with gzip or zstd, or Parquet files; - for standard input.
    #[arg(required = true, value_name = "PAGES")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) references: TrainReferences,
}

/// How pages with reference texts are read, and what is made of them.
#[derive(ClapArgs, Debug)]
pub(crate) struct TrainReferences {
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) card: Card,
    /// Chooses the folds and what trees are grown on.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// The share of pages that are also shown with class names that say nothing and without landmarks, 0 to 1. The model then
    /// relies less on names.
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    pub(crate) renamed_copies: f64,
    /// Sites for pages with made-up content: folders or files of crawls. Short pieces of the reference texts are put into the
    /// element that the site's system names as content, so that the model sees short texts in real templates. May be given several
    /// times.
    #[arg(long, value_name = "CRAWL", num_args = 1..)]
    pub(crate) graft_into: Vec<PathBuf>,
    /// How many such pages are made for each site.
    #[arg(long, default_value_t = 8, value_name = "PAGES")]
    pub(crate) grafts_per_site: usize,
    /// Sites with pages of names, labels and values, such as products and jobs: folders or files of crawls. What only one page of a site
    /// has, and the labels beside it, is the content of such a page. May be given several times.
    #[arg(long, value_name = "CRAWL", num_args = 1..)]
    pub(crate) records_of: Vec<PathBuf>,
    /// How many such pages are used of each site.
    #[arg(long, default_value_t = 8, value_name = "PAGES")]
    pub(crate) records_per_site: usize,
    /// A folder for five fusion models that are each fitted without a fifth of the sites. `fusion` writes them there; `page-type`, which needs
    /// them, reads them from there if they exist, and writes them otherwise.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) fold_models: Option<PathBuf>,
    /// The column or key with the reference text of a page.
    #[arg(long, value_name = "NAME", default_value = "main_content", help_heading = "Columns")]
    pub(crate) content_column: String,
    /// The column or key with the type of a page.
    #[arg(long, value_name = "NAME", default_value = "page_type", help_heading = "Columns")]
    pub(crate) page_type_column: String,
    /// The column or key with the comments of readers, which then can be kept or dropped apart from the text.
    #[arg(long, value_name = "NAME", default_value = "comments", help_heading = "Columns")]
    pub(crate) comments_column: String,
    /// The column or key with the page.
    #[arg(long, value_name = "NAME", default_value = "html", help_heading = "Columns")]
    pub(crate) html_column: String,
    /// The column or key with the address of a page; pages of one domain are kept in one fold.
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Columns")]
    pub(crate) url_column: String,
    /// The column or key with the id of a page.
    #[arg(long, value_name = "NAME", default_value = "id", help_heading = "Columns")]
    pub(crate) id_column: String,
    /// Threads to use; 0 is one for each core. The result does not depend on it.
    #[arg(long, default_value_t = 0, help_heading = "Run")]
    pub(crate) threads: usize,
}

/// Train the segmentation methods on pages with marked segments.
///
/// Each page comes with `labels`, a list of marked elements, and if it was rendered with `geometry`, the boxes of the browser;
/// docs/segment.md describes both. The same pages and the same seed give the same bytes, at any number of threads.
#[derive(ClapArgs, Debug)]
pub(crate) struct TrainSegment {
    /// JSON lines, plain or compressed with gzip or zstd; - for standard input.
    #[arg(required = true, value_name = "PAGES")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) card: Card,
    /// Chooses how pages are split and what trees are grown on.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Threads to use; 0 is one for each core. The result does not depend on it.
    #[arg(long, default_value_t = 0, help_heading = "Run")]
    pub(crate) threads: usize,
}

/// What the model card says beside what training knows.
#[derive(ClapArgs, Debug)]
pub(crate) struct Card {
    /// Where the pages come from and under which licence; goes into the model card.
    #[arg(long, value_name = "TEXT")]
    pub(crate) source: Option<String>,
}

/// Train the detector PageLevel on a crawl of many sites, with automatic labels.
///
/// What appears on many pages of a site is template there; the model learns what such parts look like. The same crawl and the same seed
/// give the same bytes, at any number of threads.
#[derive(ClapArgs, Debug)]
pub(crate) struct TrainPagelevel {
    /// Folders, .warc, .jsonl and .parquet files, or - for standard input: many sites with at least eight pages each.
    #[arg(required = true, value_name = "CRAWL")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) card: Card,
    /// About how many pages of each site to use.
    #[arg(long, default_value_t = 20)]
    pub(crate) pages: u32,
    #[command(flatten)]
    pub(crate) options: LabelOptions,
}

/// Train the detector Block on a crawl of many sites, with automatic labels.
///
/// What appears on many pages of a site is template there; the model learns what such blocks look like. The same crawl and the same seed
/// give the same bytes, at any number of threads. The model card says how well the model does on sites left out of training.
#[derive(ClapArgs, Debug)]
pub(crate) struct TrainBlock {
    /// Folders, .warc, .jsonl and .parquet files, or - for standard input: at least two sites, better a hundred, with at least eight pages
    /// each.
    #[arg(required = true, value_name = "CRAWL")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) card: Card,
    /// The classifier of the block detector.
    #[arg(long, value_enum, default_value_t = Classifier::Boosted)]
    pub(crate) classifier: Classifier,
    /// Folds of sites for cross-validation.
    #[arg(long, default_value_t = 10)]
    pub(crate) folds: usize,
    #[command(flatten)]
    pub(crate) labelling: Labelling,
}

/// Label the pages of a crawl automatically.
///
/// Writes a JSON line for each page of a site with enough pages. A block is template when its text appears on enough of the site's pages,
/// and content when it appears on one page only. A node is template when it appears unchanged on enough pages.
#[derive(ClapArgs, Debug)]
pub(crate) struct Label {
    /// Folders, .warc, .jsonl and .parquet files, or - for standard input.
    #[arg(required = true, value_name = "CRAWL")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The file to write; without it, standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What is labelled.
    #[arg(long, value_enum, default_value_t = Labelled::Blocks)]
    pub(crate) what: Labelled,
    #[command(flatten)]
    pub(crate) labelling: Labelling,
}

/// What is labelled.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labelled {
    /// Blocks, by their text.
    Blocks,
    /// Nodes, by everything in them.
    Nodes,
}

/// The classifier of the block detector.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Classifier {
    /// Logistic regression on intervals.
    Maxent,
    /// A random forest.
    Forest,
    /// Boosted trees.
    Boosted,
    /// Logistic regression on intervals, trained as in the paper.
    PaperMaxent,
    /// A random forest on intervals, trained as in the paper.
    PaperForest,
}

/// Measure a model on pages it was not trained on.
///
/// The default detector, on pages with reference texts:  dehusk eval my.model labelled.jsonl
/// The one in this program, on corrections:              dehusk eval builtin corrections.jsonl
/// A Block model, on a crawl:                            dehusk eval block.model crawl/
///
/// What is measured depends on the model. For the default detector (`dehusk train fusion`) the
/// pages have reference texts, as for training: prints F1, precision and recall of the words,
/// by page type, the pages that do worst, and of corrected pages how many corrections are
/// followed. For Block (`dehusk train block`) the pages of a crawl are labelled automatically:
/// prints precision and recall of the dropped blocks.
#[derive(ClapArgs, Debug)]
#[command(verbatim_doc_comment, about = "Measure a model on pages it was not trained on")]
pub(crate) struct Eval {
    /// A model file from `dehusk train fusion` or `dehusk train block`, or `builtin` for a model in this program.
    pub(crate) model: PathBuf,
    /// Pages with reference texts, or corrections: JSON lines or Parquet. For Block a crawl: folders, .warc, .jsonl and .parquet
    /// files. - for standard input.
    #[arg(required = true, value_name = "PAGES")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Which model `builtin` is. Without it, fusion if the first page has a reference text, and block if not.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) detector: Option<EvalDetector>,
    /// How many of the pages that do worst are listed.
    #[arg(long, default_value_t = 10, value_name = "PAGES")]
    pub(crate) worst: usize,
    /// The column or key with the reference text of a page.
    #[arg(long, value_name = "NAME", default_value = "main_content", help_heading = "Columns")]
    pub(crate) content_column: String,
    /// The column or key with the type of a page.
    #[arg(long, value_name = "NAME", default_value = "page_type", help_heading = "Columns")]
    pub(crate) page_type_column: String,
    #[command(flatten)]
    pub(crate) labelling: Labelling,
}

/// The detectors whose models are measured.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvalDetector {
    /// The default detector.
    Fusion,
    /// Block.
    Block,
}

/// A share of something, not nothing.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "give a number above 0 and at most 1".to_string())
}

/// How labels are made.
#[derive(ClapArgs, Debug)]
pub(crate) struct Labelling {
    /// A part is template when it appears on at least this share of a site's pages.
    #[arg(long, default_value_t = 0.1, value_name = "SHARE", value_parser = share)]
    pub(crate) threshold: f64,
    /// Leave out sites with fewer pages.
    #[arg(long, alias = "least-pages", default_value_t = 8, value_name = "PAGES")]
    pub(crate) min_pages: u32,
    /// Use the block elements of HTML 4 only: no article, aside, footer, header, main, nav, p, section, figure, details, form.
    #[arg(long, hide = true)]
    pub(crate) classic_blocks: bool,
    #[command(flatten)]
    pub(crate) options: LabelOptions,
}

impl Labelling {
    pub(crate) fn names(&self) -> BlockNames {
        if self.classic_blocks { BlockNames::Classic } else { BlockNames::Html5 }
    }
}
