//! Options that say how a job runs, and where it writes.

use super::options;
use crate::definition::Command::{
    self, Apply, Clean, Corpus, Drift, Explain, Extract, Features, Inspect, Label, Learn, Records, Segment, Serve,
    Strip,
};
use crate::definition::Topic::Run as Topic;
use crate::definition::{Definition, Kind, Surface};

/// The commands that work on many pages and end.
const JOBS: &[Command] = &[Extract, Segment, Records, Learn, Apply, Clean, Drift, Corpus, Label];
/// The commands whose interrupted runs can go on.
const RESUMABLE: &[Command] = &[Extract, Segment, Records, Clean];

options! {
    /// Where one page or many go.
    OUTPUT = Definition::new(
        Topic, "output", Kind::Path, &[Extract, Segment],
        "Output: for one page a file; otherwise a .jsonl (also .gz, .zst) or .parquet file or a folder [default: standard output].",
    ).short('o').value("OUT");
    /// Where records go.
    RECORDS_OUTPUT = Definition::new(
        Topic, "output", Kind::Path, &[Records],
        "Output: for one page a file; otherwise a .jsonl (also .gz, .zst), .csv, .parquet or .md file or a folder [default: standard \
         output].",
    ).short('o').value("OUT");
    /// Where a single result goes.
    OUTPUT_FILE = Definition::new(
        Topic, "output", Kind::Path, &[Strip, Explain, Features], "Output file [default: standard output].",
    ).short('o').value("FILE");
    /// How many threads.
    THREADS = Definition::new(
        Topic, "threads", Kind::Whole, &[Extract, Segment, Records, Learn, Apply, Clean, Drift, Corpus, Label, Inspect, Serve],
        "Number of threads; 0 means one per core. The result does not depend on it.",
    ).value("THREADS").default("0").on(&[Surface::Python]);
    /// Whether skipped pages are a failure.
    STRICT = Definition::new(
        Topic, "strict", Kind::Flag, JOBS,
        "Exit with code 1 if a page could not be read. If no page could be read at all, the code is 2 in any case.",
    ).on(&[Surface::Spark]);
    /// Progress without a terminal.
    PROGRESS = Definition::new(Topic, "progress", Kind::Flag, JOBS, "Show progress even if standard error is not a terminal.");
    /// What became of the pages.
    REPORT = Definition::new(
        Topic, "report", Kind::Path, JOBS,
        "Write a report to this file: JSON, or for `clean` and the uses of clean text an HTML page if the name ends in .html.",
    ).value("FILE");
    /// Whether to go on with an interrupted run.
    RESUME = Definition::new(Topic, "resume", Kind::Flag, RESUMABLE, "Continue a run that was interrupted.").on(&[Surface::Python]);
    /// What keeps a small input from filling the disk.
    MAX_OUTPUT_RATIO = Definition::new(
        Topic, "max_output_ratio", Kind::Whole, RESUMABLE,
        "Stop if the rows of a file have more than this many times its bytes, and more than 64 MiB; 0 means no limit.",
    ).value("TIMES").default("1000").on(&[Surface::Python]);
    /// Whether files of an earlier run may be replaced.
    OVERWRITE = Definition::new(
        Topic, "overwrite", Kind::Flag, RESUMABLE,
        "Write to a folder that is not empty: files of the same names are replaced, others stay.",
    ).conflicts_with("resume").on(&[Surface::Python]);
}
