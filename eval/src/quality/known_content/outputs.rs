//! The pages of files, and what the program writes for them.

use crate::Stop;
use crate::shared::corpus::read_records;
use crate::shared::site_pages::name_of;
use dehusk::detect::KeepAll;
use dehusk::{Extractor, Options, OutputFormat};
use dehusk_io::crawl::{Crawl, TemplateMode};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A command of the program.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    Extract,
    Clean,
    /// Nothing is dropped.
    Whole,
}

impl Way {
    /// The commands of the program.
    pub(crate) const ALL: [Way; 2] = [Way::Extract, Way::Clean];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Way::Extract => "extract",
            Way::Clean => "clean",
            Way::Whole => "whole page",
        }
    }

    fn templates(self) -> TemplateMode {
        match self {
            Way::Extract | Way::Whole => TemplateMode::None,
            Way::Clean => TemplateMode::Learn,
        }
    }
}

/// A page with what is known about it, without its source.
pub(crate) struct KnownPage {
    pub(crate) site: String,
    pub(crate) record: Value,
}

/// The pages of some files, a site each.
pub(crate) struct Pages {
    files: Vec<PathBuf>,
    pub(crate) list: Vec<KnownPage>,
}

impl Pages {
    pub(crate) fn read(files: Vec<PathBuf>) -> Result<Pages, Stop> {
        let mut list = Vec::new();
        for file in &files {
            read_records(file, |mut record| {
                record["html"].take();
                list.push(KnownPage { site: name_of(file), record });
            })?;
        }
        if list.is_empty() { Err(Stop::Absent("there are no pages".into())) } else { Ok(Pages { files, list }) }
    }

    /// What the program writes for each page, all files in one run.
    pub(crate) fn run(
        &self,
        way: Way,
        format: OutputFormat,
        options: Options,
        work: &Path,
    ) -> Result<Vec<String>, Stop> {
        let broken = |error: &dyn std::fmt::Display| Stop::Broken(error.to_string());
        let extractor = Extractor::new(options).and_then(|extractor| match way {
            Way::Whole => extractor.with_detector(KeepAll),
            Way::Extract | Way::Clean => Ok(extractor),
        });
        let extractor = extractor.map_err(|error| broken(&error))?;
        let output = work.join("records.jsonl");
        let job = Crawl::new(extractor, self.files.clone(), &output);
        job.with_format(format).with_templates(way.templates()).run(&()).map_err(|error| broken(&error))?;
        let column = if format == OutputFormat::Markdown { "markdown" } else { "text" };
        let mut texts = Vec::new();
        for line in std::fs::read_to_string(&output)?.lines() {
            let record: Value = serde_json::from_str(line).map_err(|error| broken(&error))?;
            // A page that failed has no text.
            texts.push(record[column].as_str().unwrap_or_default().to_string());
        }
        std::fs::remove_file(&output)?;
        if texts.len() == self.list.len() { Ok(texts) } else { Err(Stop::Broken("a page has no record".into())) }
    }
}
