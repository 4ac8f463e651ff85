//! One file per command.

mod apply;
mod classify;
mod clean;
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
mod paths;
mod records;
mod report_page;
mod segment;
mod serve;
mod show_template;
mod site;
mod train;

use crate::args::{Args, Classify, Command};
use crate::files;
use crate::outcome::{Failure, Outcome};
use clap::CommandFactory as _;
use dehusk::{SiteMethod, SiteTemplates};
use dehusk_io::check_outputs;
use dehusk_options::Values;
use dehusk_options::definitions::THREADS;
use std::path::Path;

pub(crate) fn run(args: Args) -> Result<Outcome, Failure> {
    let paths = paths::Paths::of(&args.command);
    // For every command, before any work: a long run should not fail at its end because of its output.
    check_outputs(&paths.inputs, &paths.outputs)?;
    match args.command {
        Command::Extract(args) => page::extract(&args),
        Command::Strip(args) => page::strip(&args),
        Command::Explain(args) => page::explain(&args),
        Command::Segment(args) => segment::segment(&args),
        Command::Records(args) => records::records(&args),
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

/// The maximum size of a template file in bytes.
const MAX_TEMPLATE_BYTES: usize = 1 << 30;

fn read_template(path: &Path) -> Result<SiteTemplates, Failure> {
    let bytes = files::read(path, MAX_TEMPLATE_BYTES)?;
    SiteTemplates::from_bytes(&bytes, dehusk_papers::methods().site_methods())
        .map_err(|error| Failure::about(path, error))
}

/// Reads a template to be used with a method.
fn read_template_for(path: &Path, method: Option<&SiteMethod>) -> Result<SiteTemplates, Failure> {
    let site = read_template(path)?;
    let checked = method.map_or(Ok(()), |method| site.check_method(method));
    checked.map_err(|error| Failure::about(path, error))?;
    Ok(site)
}

/// The maximum size of a model file in bytes.
const MAX_MODEL_BYTES: usize = 1 << 30;

/// As many threads as the options ask for.
fn thread_pool(options: &Values) -> Result<rayon::ThreadPool, Failure> {
    threads(options.size(&THREADS))
}

fn threads(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::new(format!("cannot start threads: {error}")))
}
