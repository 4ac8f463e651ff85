//! Segmentation on hand-marked home pages: GCUTS, CCLUS and their variants, sections, `best` and plain rules.

mod baselines;
mod evidence;
pub(crate) mod experiments;
pub(crate) mod measures;
pub(crate) mod methods;
mod roles;
mod time;

use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::report::Results;
use clap::{Args, ValueEnum};
use dehusk_train::{MarkedInputs, MarkedPage};

/// What is measured.
#[derive(Args)]
pub(crate) struct SegmentationOptions {
    /// segmentation: measure only this, and write no results
    #[arg(long, value_enum)]
    part: Option<Part>,
    /// segmentation: random splits of the pages
    #[arg(long, default_value_t = 5)]
    splits: u64,
    /// segmentation: folds for `best`
    #[arg(long, default_value_t = 7)]
    folds: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The paper's methods and the plain rules
    Paper,
    /// `best`, on pages it was not trained on, and its roles
    Best,
    /// Time by number of nodes, and hostile pages
    Time,
    /// Whether roles would help the default extractor
    Evidence,
}

pub(crate) fn run(data: &Data, results: &Results, options: &SegmentationOptions) -> Result<(), Stop> {
    let pages = pages(data)?;
    let is_wanted = |part: Part| options.part.is_none_or(|wanted| wanted == part);
    let mut body = String::new();
    let mut table = methods::Table::default();
    if is_wanted(Part::Paper) {
        methods::paper(&pages, options.splits, &mut table, options.part.is_none().then_some(results))?;
    }
    if is_wanted(Part::Best) {
        let folds = methods::best(&pages, options.splits, options.folds, &mut table);
        body += &roles::report(&pages, &folds);
    }
    if is_wanted(Part::Paper) || is_wanted(Part::Best) {
        body = table.report() + &body;
        if options.part.is_none() {
            results.publish_file("segmentation-distribution.svg", &table.distribution())?;
        }
    }
    if is_wanted(Part::Time) {
        body += &time::report(&pages);
    }
    if is_wanted(Part::Evidence) {
        body += &evidence::report(data)?;
    }
    if options.part.is_some() {
        print!("{body}");
        return Ok(());
    }
    let corpus = "91 hand-marked home pages of `segments` (random 49, popular 42)";
    results.publish("segmentation", "Segmentation", corpus, &body)
}

pub(crate) fn pages(data: &Data) -> Result<Vec<MarkedPage>, Stop> {
    let inputs = ["random", "popular"].map(|part| data.find(&format!("segments/{part}.jsonl.zst")));
    let inputs = inputs.into_iter().collect::<Result<Vec<_>, Stop>>()?;
    let mut fault = None;
    let pages = MarkedInputs::new(inputs).pages(|other| fault = Some(other.to_string()));
    let pages = pages.map_err(|error| Stop::Broken(error.to_string()))?;
    fault.map_or(Ok(pages), |fault| Err(Stop::Broken(fault)))
}
