//! The flags of every command. Those that several commands or other surfaces have come from the table of `dehusk-options`; help and
//! completions derive from both.

mod corpus;
mod inspect;
mod page;
mod serve;
mod site;
mod table;
mod training;

pub(crate) use corpus::{
    Classify, ClassifyApply, ClassifyTrain, Cluster, ClusterCount, ClusterMethod, CorpusArgs, Duplicates, Keep,
    Keywords, TrainKeywords,
};
pub(crate) use inspect::Inspect;
pub(crate) use page::{Explain, ExplainFormat, Extract, Features, Records, Segment, SegmentFormat, Strip};
pub(crate) use serve::Serve;
pub(crate) use site::{Apply, Clean, Drift, Learn, ShowTemplate};
pub(crate) use training::{
    Classifier, Eval, EvalDetector, Label, Labelled, Labelling, Train, TrainBlock, TrainFusion, TrainPageType,
    TrainPagelevel, TrainReferences, TrainSegment,
};

use clap::{Parser, Subcommand};

/// Removes the template around the content of web pages.
///
/// The pages of a site share a template: navigation, sidebars, footers. Dehusk learns it from a few
/// pages and removes it. What is left is the content.
///
/// Clean a crawl:                  dehusk clean crawl.warc.gz -o pages.jsonl
/// Clean a folder of sites:        dehusk clean crawl/ -o cleaned/
/// Learn one site, then use it:    dehusk learn site/*.html -o site.husk
///                                 dehusk extract --template site.husk site/about.html
/// Extract from any page:          dehusk extract page.html
/// Split a page into segments:     dehusk segment page.html --format html -o segments.html
/// Find posts, products, rows:     dehusk records shop/ -o products.csv
/// See why something was removed:  dehusk explain --template site.husk site/about.html
/// Look at it in the browser:      dehusk inspect crawl.warc.gz
/// Look at a learned template:     dehusk show-template site.husk -o template.html
/// Check that it still fits:       dehusk drift site.husk new/*.html
/// Find near-duplicates:           dehusk duplicates crawl.warc.gz -o pairs.jsonl
/// Name the keywords of pages:     dehusk keywords crawl.warc.gz -o keywords.jsonl
/// Group pages by topic:           dehusk cluster crawl.warc.gz -o clusters.jsonl
/// Learn classes, find them:       dehusk classify train labelled.jsonl -o topics.model
///                                 dehusk classify apply topics.model crawl.warc.gz -o labels.jsonl
/// Answer over HTTP:               dehusk serve
///
/// Results go to standard output or to -o, everything else to standard error. `-` is standard input.
#[derive(Parser, Debug)]
#[command(name = "dehusk", version, verbatim_doc_comment, max_term_width = 110)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
// Most commands are described where their flags are: a description here would replace theirs.
#[allow(clippy::large_enum_variant, reason = "there is one value in a run")]
pub(crate) enum Command {
    Extract(Extract),
    Strip(Strip),
    /// Print the decision about each part of a page, and the reason.
    Explain(Explain),
    Segment(Segment),
    Records(Records),
    Learn(Learn),
    /// Clean pages of one site with its template.
    Apply(Apply),
    Clean(Clean),
    Duplicates(Duplicates),
    Keywords(Keywords),
    Cluster(Cluster),
    #[command(subcommand)]
    Classify(Classify),
    Drift(Drift),
    ShowTemplate(ShowTemplate),
    Inspect(Inspect),
    Serve(Serve),
    Features(Features),
    Label(Label),
    /// Train a model on a labelled corpus or on a crawl.
    #[command(subcommand)]
    Train(Train),
    Eval(Eval),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}
