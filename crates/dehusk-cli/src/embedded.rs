//! The options of the program, for other programs that offer the same: the same names, checks and messages.
//!
//! Options are given as on a command line. So each is defined once, in `args`, and cannot mean two things.

use crate::args::{Clean, Command, Extract, parse_options};
use crate::commands::clean::{check_output, clean_job, failure};
use crate::commands::paths::Paths;
use crate::commands::read_model;
use crate::commands::segment::segmenter;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::outputs::check_outputs;
use dehusk::{Extractor, OutputFormat, Segmenter};
use dehusk_io::ReadOptions;
use dehusk_io::crawl::{Crawl, PageCleaner, Progress, report_json};
use std::ffi::OsString;
use std::path::Path;

/// Why options cannot be used, or a job did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// A short name for code, such as `bad_options`.
    pub kind: &'static str,
    /// What is wrong and what to do.
    pub message: String,
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Refused {
        Refused { kind: failure.kind(), message: failure.to_string() }
    }
}

/// How single pages are extracted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageOptions {
    /// Does it.
    pub extractor: Extractor,
    /// The format of the content.
    pub format: OutputFormat,
    /// Records of many pages.
    pub job: Crawl,
}

/// An input that is never opened.
const NO_FILE: &str = "-";

/// The options of `dehusk extract`, without inputs.
///
/// # Errors
/// If an option is unknown or cannot be used.
pub fn extract_options(options: &[OsString]) -> Result<PageOptions, Refused> {
    let Command::Extract(args) = parse("extract", options, &[NO_FILE])? else { return Err(other_command()) };
    Ok(page_options(&args)?)
}

fn page_options(args: &Extract) -> Result<PageOptions, Failure> {
    let extractor = extractor(args, false)?;
    let format = args.render.format()?.output_format();
    let job = Crawl::new(extractor.clone(), Vec::new(), "").with_format(format);
    Ok(PageOptions { extractor, format, job })
}

/// The extractor of `dehusk explain` with the options of `dehusk extract`: it notes which features weighed most.
///
/// # Errors
/// If an option is unknown or cannot be used.
pub fn explain_options(options: &[OsString]) -> Result<Extractor, Refused> {
    let Command::Extract(args) = parse("extract", options, &[NO_FILE])? else { return Err(other_command()) };
    Ok(extractor(&args, true)?)
}

fn extractor(args: &Extract, details: bool) -> Result<Extractor, Failure> {
    let options = args.detector.options(args.render.add_to(args.reading.options()))?.with_details(details);
    read_model(Extractor::new(options)?, args.detector.model.as_deref())
}

/// The options of `dehusk segment`, without inputs.
///
/// # Errors
/// If an option is unknown or cannot be used.
pub fn segment_options(options: &[OsString]) -> Result<Segmenter, Refused> {
    let Command::Segment(args) = parse("segment", options, &[NO_FILE])? else { return Err(other_command()) };
    Ok(segmenter(&args)?)
}

/// The options of `dehusk clean`, without inputs and output, for those who distribute the work themselves; and how they read pages.
///
/// # Errors
/// If an option is unknown or cannot be used.
pub fn clean_options(options: &[OsString]) -> Result<(PageCleaner, ReadOptions), Refused> {
    let args = parse_clean(options, &["-o", NO_FILE, NO_FILE])?;
    let read = args.columns.options(&args.reading);
    Ok((PageCleaner::new(clean_job(&args, Path::new(""))?), read))
}

/// Runs `dehusk clean` without printing anything. The options include inputs and output. Returns its report as JSON.
///
/// # Errors
/// If an option cannot be used, or the job stopped.
pub fn clean(options: &[OsString], progress: &dyn Progress) -> Result<String, Refused> {
    let command = parse("clean", options, &[])?;
    let run = || {
        let paths = Paths::of(&command);
        check_outputs(&paths.inputs, &paths.outputs)?;
        let Command::Clean(args) = &command else { return Err(Failure::new("not `dehusk clean`")) };
        args.detector.check_uses_site("extract pages one by one instead")?;
        check_output(&args.output, &args.again)?;
        if files::is_stream(&args.output) {
            return Err(Failure::new("the output must be a file or a folder"));
        }
        let tally = clean_job(args, &args.output)?.run(progress).map_err(failure)?;
        Outcome::of_pages(tally.pages - tally.failed, tally.failed, args.run.strict)?;
        Ok(report_json(&tally).to_string())
    };
    Ok(run()?)
}

fn parse_clean(options: &[OsString], rest: &[&str]) -> Result<Clean, Refused> {
    match parse("clean", options, rest)? {
        Command::Clean(args) => Ok(args),
        _ => Err(other_command()),
    }
}

fn parse(command: &str, options: &[OsString], rest: &[&str]) -> Result<Command, Refused> {
    parse_options(command, options, rest).map_err(|message| Refused { kind: "bad_options", message })
}

fn other_command() -> Refused {
    Refused { kind: "bad_options", message: "an option names another command".to_string() }
}
