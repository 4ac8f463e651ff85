//! What a crawl job does: its inputs, its output and its options.

use super::record_format::RecordOutput;
use super::site_by::SiteBy;
use crate::containers::{Inputs, OutputContainer};
use crate::parallel::RunOptions;
use crate::read_options::ReadOptions;
use dehusk::{Extractor, Methods, OutputFormat, PageSegmenter, SiteMethod};
use std::path::{Path, PathBuf};

/// See [`Crawl::with_max_output_ratio`].
const MAX_OUTPUT_RATIO: u64 = 1000;

/// Where the templates of sites come from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateMode {
    /// No templates: every page by itself, in one pass.
    None,
    /// Learned from this crawl, in two passes, and then deleted.
    Learn,
    /// Learned from this crawl and from what a store holds, in two passes, and kept in the store.
    LearnInto(PathBuf),
    /// Taken from a store, in one pass.
    Use(PathBuf),
}

/// What is written of the segments of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SegmentOutput {
    /// Rows.
    #[default]
    Rows,
    /// Pictures in HTML, in a folder.
    Html,
    /// Pictures in SVG, in a folder.
    Svg,
}

/// A crawl job. [`Crawl::run`] runs it.
#[derive(Clone, Debug)]
pub struct Crawl {
    pub(super) inputs: Vec<PathBuf>,
    /// The same, if they are open already.
    pub(super) opened: Option<Inputs>,
    pub(super) output: PathBuf,
    pub(super) read: ReadOptions,
    pub(super) extractor: Extractor,
    pub(super) formats: Vec<OutputFormat>,
    /// Splits pages into segments instead of extracting their content.
    pub(super) segmenter: Option<(PageSegmenter, SegmentOutput)>,
    /// Writes the records of pages instead of their content.
    pub(super) records: Option<RecordOutput>,
    pub(super) site_by: SiteBy,
    pub(super) templates: TemplateMode,
    /// How sites are learned.
    pub(super) method: SiteMethod,
    /// The methods that templates of a store may have been learned with.
    pub(super) known_methods: Vec<SiteMethod>,
    /// Whether templates know kinds of pages even if the method only counts.
    pub(super) page_kinds: bool,
    /// Whether rows of content say what a page is called.
    pub(super) names: bool,
    pub(super) seed: u64,
    pub(super) threads: usize,
    pub(super) resume: bool,
    /// How many times the bytes of a file its rows may have; 0 is any number of times.
    pub(super) max_output_ratio: u64,
    pub(super) day: String,
}

impl Crawl {
    /// A job that reads files and folders (`-` is standard input) and writes the text of every page by itself to a JSONL or
    /// Parquet file or a folder.
    #[must_use]
    pub fn new(extractor: Extractor, inputs: Vec<PathBuf>, output: impl Into<PathBuf>) -> Crawl {
        Crawl {
            inputs,
            opened: None,
            output: output.into(),
            read: ReadOptions::default(),
            extractor,
            formats: vec![OutputFormat::Text],
            segmenter: None,
            records: None,
            site_by: SiteBy::Host,
            templates: TemplateMode::None,
            method: SiteMethod::counts(),
            known_methods: Methods::default().site_methods().to_vec(),
            page_kinds: false,
            names: false,
            seed: 0,
            threads: 0,
            resume: false,
            max_output_ratio: MAX_OUTPUT_RATIO,
            day: String::new(),
        }
    }

    /// The inputs of the job, if they are open already: a pipe cannot be opened twice.
    #[must_use]
    pub fn with_opened(mut self, inputs: Inputs) -> Self {
        self.opened = Some(inputs);
        self
    }

    /// Whether rows of content have the key `name`: the address of the page, or where it was read. Default no.
    #[must_use]
    pub fn with_names(mut self, names: bool) -> Self {
        self.names = names;
        self
    }

    /// How inputs are read.
    #[must_use]
    pub fn with_read_options(mut self, read: ReadOptions) -> Self {
        self.read = read;
        self
    }

    /// The format of the content in a row. Default text.
    #[must_use]
    pub fn with_format(self, format: OutputFormat) -> Self {
        self.with_formats([format])
    }

    /// The formats of the content in a row: a column for each, and in a folder a file for each. Default text.
    #[must_use]
    pub fn with_formats(mut self, formats: impl Into<Vec<OutputFormat>>) -> Self {
        self.formats = formats.into();
        self
    }

    /// Writes the segments of pages instead of their content.
    #[must_use]
    pub fn with_segmenter(mut self, segmenter: PageSegmenter, output: SegmentOutput) -> Self {
        self.segmenter = Some((segmenter, output));
        self
    }

    /// Writes the records of pages instead of their content.
    #[must_use]
    pub fn with_records(mut self, output: RecordOutput) -> Self {
        self.records = Some(output);
        self
    }

    /// Which pages belong to one site. Default those of a host.
    #[must_use]
    pub fn with_site_by(mut self, site_by: SiteBy) -> Self {
        self.site_by = site_by;
        self
    }

    /// Where templates come from. Default none.
    #[must_use]
    pub fn with_templates(mut self, templates: TemplateMode) -> Self {
        self.templates = templates;
        self
    }

    /// How templates are learned. Default [`SiteMethod::counts`].
    #[must_use]
    pub fn with_method(mut self, method: SiteMethod) -> Self {
        self.method = method;
        self
    }

    /// The methods that templates of a store may have been learned with, besides the one of this job. Default those of the core.
    #[must_use]
    pub fn with_known_methods(mut self, methods: &Methods) -> Self {
        self.known_methods = methods.site_methods().to_vec();
        self
    }

    /// Whether sites are learned with the kinds of their pages even if the method does not need them. With [`SiteMethod::counts`] the content of
    /// rows is the same, and they also say which template fits. Default no.
    #[must_use]
    pub fn with_page_kinds(mut self, page_kinds: bool) -> Self {
        self.page_kinds = page_kinds;
        self
    }

    /// The seed of the sample of each site's pages. Default 0.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The number of threads; 0, the default, is one for each processor. The output does not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Whether to resume a run that was killed. Default no, which makes an unfinished run an error.
    #[must_use]
    pub fn with_resume(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }

    /// How many times the bytes of a file its rows may have before the run is stopped, beyond what one large page gives; 0 is any number of
    /// times. Default 1,000: HTML shrinks to a tenth, copies of one page to a hundredth, and only files made for it give more.
    #[must_use]
    pub fn with_max_output_ratio(mut self, ratio: u64) -> Self {
        self.max_output_ratio = ratio;
        self
    }

    /// The date of the run, kept in templates.
    #[must_use]
    pub fn with_day(mut self, day: impl Into<String>) -> Self {
        self.day = day.into();
        self
    }

    /// Where the rows go.
    #[must_use]
    pub fn output(&self) -> &Path {
        &self.output
    }

    /// Whether the job writes the segments of pages.
    #[must_use]
    pub fn splits_pages(&self) -> bool {
        self.segmenter.is_some()
    }

    /// Whether the job writes the records of pages.
    #[must_use]
    pub fn writes_records(&self) -> bool {
        self.records.is_some()
    }

    /// What the output is, by its name.
    pub(super) fn container(&self) -> OutputContainer {
        match self.records {
            Some(records) => records.format.container(&self.output),
            None => OutputContainer::of(&self.output),
        }
    }

    /// Where templates come from.
    #[must_use]
    pub fn templates(&self) -> &TemplateMode {
        &self.templates
    }

    /// All methods that templates may have been learned with.
    pub(super) fn all_methods(&self) -> Vec<SiteMethod> {
        let others = self.known_methods.iter().filter(|method| **method != self.method);
        std::iter::once(&self.method).chain(others).cloned().collect()
    }

    pub(super) fn run_options(&self) -> RunOptions {
        RunOptions::default().with_threads(self.threads)
    }
}
