//! One file per command.

mod apply;
mod classify;
pub(crate) mod clean;
mod cluster;
mod corpus;
mod drift;
mod duplicates;
mod eval;
mod features;
mod inspect;
mod keywords;
mod label;
mod learn;
mod page;
pub(crate) mod paths;
mod report_page;
pub(crate) mod segment;
mod serve;
mod show_template;
mod site;
mod train;

use crate::args::{Args, Classify, Command};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::outputs::check_outputs;
use clap::CommandFactory as _;
use dehusk::{Extractor, Method, Model, SiteTemplates};
use std::path::Path;

pub(crate) fn run(args: Args) -> Result<Outcome, Failure> {
    let paths = paths::Paths::of(&args.command);
    check_outputs(&paths.inputs, &paths.outputs)?;
    match args.command {
        Command::Extract(args) => page::extract(&args),
        Command::Strip(args) => page::strip(&args),
        Command::Explain(args) => page::explain(&args),
        Command::Segment(args) => segment::segment(&args),
        Command::Learn(args) => learn::learn(&args),
        Command::Apply(args) => apply::apply(&args),
        Command::Clean(args) => clean::clean(&args),
        Command::Duplicates(args) => duplicates::duplicates(&args),
        Command::Keywords(args) => keywords::keywords(&args),
        Command::Cluster(args) => cluster::cluster(&args),
        Command::Classify(Classify::Train(args)) => classify::train(&args),
        Command::Classify(Classify::Apply(args)) => classify::apply(&args),
        Command::Drift(args) => drift::drift(&args),
        Command::ShowTemplate(args) => show_template::show_template(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Serve(args) => serve::serve(&args),
        Command::Features(args) => features::features(&args),
        Command::Label(args) => label::label(&args),
        Command::Train(args) => train::train(&args),
        Command::Eval(args) => eval::eval(&args),
        Command::Completions { shell } => {
            // The generator panics where it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "dehusk", &mut script);
            files::write(Path::new("-"), &script)?;
            Ok(Outcome::Done)
        }
    }
}

/// No template file is larger.
const MAX_TEMPLATE_BYTES: usize = 1 << 30;

fn read_template(path: &Path) -> Result<SiteTemplates, Failure> {
    let bytes = files::read(path, MAX_TEMPLATE_BYTES)?;
    SiteTemplates::from_bytes(&bytes).map_err(|error| Failure::about(path, error))
}

/// Reads a template to be used with a method.
fn read_template_for(path: &Path, method: Option<Method>) -> Result<SiteTemplates, Failure> {
    let site = read_template(path)?;
    let checked = method.map_or(Ok(()), |method| site.check_method(method));
    checked.map_err(|error| Failure::about(path, error))?;
    Ok(site)
}

/// No model file is larger.
const MAX_MODEL_BYTES: usize = 1 << 30;

/// An extractor with the model of a file, if one is named; `builtin` is the model in this program.
pub(crate) fn read_model(extractor: Extractor, path: Option<&Path>) -> Result<Extractor, Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("builtin")) else { return Ok(extractor) };
    extractor.with_model(read_any_model(path)?).map_err(|error| Failure::about(path, error))
}

/// The model of a file, of any kind.
fn read_any_model(path: &Path) -> Result<Model, Failure> {
    Model::from_bytes(&files::read(path, MAX_MODEL_BYTES)?).map_err(|error| Failure::about(path, error))
}

/// The day, for template files. `SOURCE_DATE_EPOCH` sets it, as for other builds that must be the same twice.
fn today() -> String {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let now = fixed.and_then(|seconds| time::OffsetDateTime::from_unix_timestamp(seconds).ok());
    now.unwrap_or_else(time::OffsetDateTime::now_utc).date().to_string()
}

fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::new(format!("cannot start threads: {error}")))
}
