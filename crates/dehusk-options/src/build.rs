//! What options ask for: extractors, segmenters, crawl jobs. The one place where options become any of these.

use crate::day::today;
use crate::definition::Surface;
use crate::definitions::{
    ABSOLUTE_URLS, ALIGN_SHARE, CARRY, COMMENTS, DETECTOR, FOCUS, FORMAT, HEADING, HTML_COLUMN, ID_COLUMN,
    INCLUDE_HIDDEN, MAX_BYTES, MAX_DEPTH, MAX_NODES, METADATA, METHOD, METHOD_USED, MODEL, NO_IMAGES, NO_LEARN,
    NO_LINKS, OVERWRITE, PENALTY, PRECISION, RECALL, RESUME, SCRIPTING, SEED, SEGMENT_METHOD, SEGMENT_MODEL, SITE_BY,
    TEMPLATES, THREADS, THRESHOLD, URL_COLUMN,
};
use crate::error::OptionError;
use crate::model_file::{is_model_file, read_model};
use crate::values::Values;
use dehusk::methods::block::OperatingPoint;
use dehusk::{Detector, Extractor, Focus, Limits, Method, Model, Options, OutputFormat, RenderOptions, Segmenter};
use dehusk_io::crawl::{Crawl, TemplateMode};
use dehusk_io::{ExistingOutput, ReadOptions};
use std::path::{Path, PathBuf};

impl Values {
    /// The limits on the cost of one page.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let [bytes, nodes, depth] = [&MAX_BYTES, &MAX_NODES, &MAX_DEPTH].map(|limit| self.size(limit));
        Limits { bytes, nodes, depth, ..Limits::default() }
    }

    /// How pages are read, without a detector or anything to write.
    #[must_use]
    pub fn reading(&self) -> Options {
        Options::new().with_limits(self.limits()).with_scripting(self.flag(&SCRIPTING))
    }

    /// How records are read from containers.
    #[must_use]
    pub fn read_options(&self) -> ReadOptions {
        let name = |column| self.text(column).unwrap_or_default();
        ReadOptions::default()
            .with_url_column(name(&URL_COLUMN))
            .with_html_column(name(&HTML_COLUMN))
            .with_id_column(name(&ID_COLUMN))
            .with_carry(self.texts(&CARRY))
            .with_max_bytes(self.limits().bytes as u64)
    }

    /// The formats of the content, each once.
    #[must_use]
    pub fn formats(&self) -> Vec<OutputFormat> {
        self.texts(&FORMAT).iter().filter_map(|name| name.parse().ok()).collect()
    }

    /// The format of a result that can have only one.
    ///
    /// # Errors
    /// If several are given.
    pub fn format(&self) -> Result<OutputFormat, OptionError> {
        match self.formats()[..] {
            [format] => Ok(format),
            [] => Err(OptionError::new("no format is given")),
            _ if self.surface() == Surface::Program => Err(OptionError::new(
                "several formats need records or files: use -o with a .jsonl or .parquet file or a folder",
            )),
            _ => Err(OptionError::new("a single page has one format: several are for records of many pages")),
        }
    }

    /// The detector that decides.
    #[must_use]
    pub fn detector(&self) -> Detector {
        self.choice(&DETECTOR).unwrap_or_default()
    }

    /// The method of a detector that compares the pages of a site.
    #[must_use]
    pub fn detector_method(&self) -> Option<Method> {
        match self.detector() {
            Detector::SiteLevel => Some(Method::SiteLevel),
            Detector::TreeMap => Some(Method::TreeMap),
            Detector::Align => Some(Method::Align),
            Detector::Auto => Some(Method::Auto),
            _ => None,
        }
    }

    /// The method by which a site is learned or its template is used: that of the detector, or the one given. `--detector align --method
    /// align-paper` is Align as published.
    #[must_use]
    pub fn site_method(&self) -> Option<Method> {
        let named: Option<Method> = match self.has(&METHOD) {
            true => self.choice(&METHOD),
            false => self.choice(&METHOD_USED),
        };
        match (self.detector_method(), named) {
            (Some(Method::TreeMap), Some(Method::TreeMapPaper)) | (Some(Method::Align), Some(Method::AlignPaper)) => {
                named
            }
            (own, named) => own.or(named),
        }
    }

    /// Whether the detector can use what is known of a site.
    #[must_use]
    pub fn uses_site(&self) -> bool {
        self.detector() == Detector::Fusion || self.detector_method().is_some()
    }

    /// Fails where the detector cannot use what is known of a site.
    ///
    /// # Errors
    /// With the advice what to do `instead`.
    pub fn check_uses_site(&self, instead: &str) -> Result<(), OptionError> {
        match self.uses_site() {
            true => Ok(()),
            false => {
                Err(OptionError::new(format!("the detector {} looks at one page alone: {instead}", self.detector())))
            }
        }
    }

    /// An extractor of pages, with the model of a file if one is named.
    ///
    /// # Errors
    /// If options contradict each other or are out of range, or the model cannot be used.
    pub fn extractor(&self) -> Result<Extractor, OptionError> {
        self.extractor_with(|options| options)
    }

    /// An extractor of pages, with options that no user gives.
    ///
    /// # Errors
    /// If options contradict each other or are out of range, or the model cannot be used.
    pub fn extractor_with(&self, change: impl FnOnce(Options) -> Options) -> Result<Extractor, OptionError> {
        self.check_together()?;
        let extractor = Extractor::new(change(self.with_detector(self.with_content(self.reading()))?))?;
        let Some(path) = self.path(&MODEL).filter(|path| is_model_file(path)) else { return Ok(extractor) };
        let about = |error: dehusk::Error| OptionError::new(format!("{}: {error}", path.display()));
        extractor.with_model(read_model(path)?).map_err(about)
    }

    /// Adds what is written of a page.
    fn with_content(&self, options: Options) -> Options {
        let render = RenderOptions::default().with_links(!self.flag(&NO_LINKS)).with_images(!self.flag(&NO_IMAGES));
        let render = if self.flag(&INCLUDE_HIDDEN) { render.with_hidden(true) } else { render };
        options
            .with_render(render)
            .with_heading(self.choice(&HEADING).unwrap_or_default())
            .with_comments(self.choice(&COMMENTS).unwrap_or_default())
            .with_metadata(self.flag(&METADATA))
            .with_absolute_urls(self.flag(&ABSOLUTE_URLS))
    }

    /// Adds the detector and its settings.
    fn with_detector(&self, options: Options) -> Result<Options, OptionError> {
        let detector = self.detector();
        let share = |option| self.number(option).map(|share| share as f32);
        let point = match (share(&PRECISION), share(&RECALL)) {
            (None, None) => OperatingPoint::default(),
            _ if detector != Detector::Block => {
                let [precision, recall, name] = [&PRECISION, &RECALL, &DETECTOR].map(|option| self.spelled(option));
                return Err(OptionError::new(format!("{precision} and {recall} need {name} block")));
            }
            (Some(share), _) => OperatingPoint::Precision(share),
            (None, Some(share)) => OperatingPoint::Recall(share),
        };
        let focus = self.number(&FOCUS).map_or(Ok(Focus::default()), |focus| Focus::new(focus as f32))?;
        let options = options
            .with_detector(detector)
            .with_focus(focus)
            // Where sites are learned, templates are used by the method they were learned with.
            .with_method(self.site_method().filter(|_| self.has(&METHOD_USED)))
            .with_section_penalty(share(&PENALTY))
            .with_operating_point(point);
        let Some(threshold) = self.number(&THRESHOLD) else { return Ok(options) };
        match detector {
            Detector::PageLevel | Detector::PageLevelBasic if !(0.0..=1.0).contains(&threshold) => {
                Err(OptionError::new(format!("the threshold is {threshold}, it must be from 0 to 1")))
            }
            Detector::PageLevel | Detector::PageLevelBasic => Ok(options.with_page_threshold(Some(threshold as f32))),
            _ => Ok(options.with_site_threshold(threshold)),
        }
    }

    /// Splits pages into segments, with the model of a file if one is named.
    ///
    /// # Errors
    /// If the model cannot be used.
    pub fn segmenter(&self) -> Result<Segmenter, OptionError> {
        let method = self.choice(&SEGMENT_METHOD).unwrap_or_default();
        let segmenter = Segmenter::new(method).with_limits(self.limits()).with_scripting(self.flag(&SCRIPTING));
        let Some(path) = self.path(&SEGMENT_MODEL).filter(|path| is_model_file(path)) else { return Ok(segmenter) };
        match read_model(path)? {
            Model::Segment(model) => Ok(segmenter.with_model(*model)),
            other => {
                let message = format!("{}: this model is of the kind {}, not segment", path.display(), other.kind());
                Err(OptionError::new(message))
            }
        }
    }

    /// The crawl job of `dehusk clean`, and of others with what they have of its options.
    ///
    /// # Errors
    /// If options contradict each other or are out of range, or the model cannot be used.
    pub fn crawl(&self, inputs: Vec<PathBuf>, output: &Path) -> Result<Crawl, OptionError> {
        Ok(self.crawl_with(self.extractor()?, inputs, output))
    }

    /// The crawl job of an extractor that was made of these options.
    #[must_use]
    pub fn crawl_with(&self, extractor: Extractor, inputs: Vec<PathBuf>, output: &Path) -> Crawl {
        Crawl::new(extractor, inputs, output)
            .with_read_options(self.read_options())
            .with_formats(self.formats())
            .with_site_by(self.choice(&SITE_BY).unwrap_or_default())
            .with_templates(self.template_mode())
            .with_method(self.site_method().unwrap_or_default())
            .with_align_share(self.number(&ALIGN_SHARE))
            .with_seed(self.whole(&SEED))
            .with_threads(self.size(&THREADS))
            .with_resume(self.flag(&RESUME))
            .with_day(today())
    }

    /// What a job does with what an earlier one has left.
    #[must_use]
    pub fn existing_output(&self) -> ExistingOutput {
        match (self.flag(&RESUME), self.flag(&OVERWRITE)) {
            (true, _) => ExistingOutput::Resume,
            (false, true) => ExistingOutput::Replace,
            (false, false) => ExistingOutput::Refuse,
        }
    }

    /// Where a job takes templates from.
    fn template_mode(&self) -> TemplateMode {
        match (self.path(&TEMPLATES), self.flag(&NO_LEARN)) {
            _ if !self.has(&TEMPLATES) => TemplateMode::None,
            (None, _) => TemplateMode::Learn,
            (Some(path), false) => TemplateMode::LearnInto(path.to_path_buf()),
            (Some(path), true) => TemplateMode::Use(path.to_path_buf()),
        }
    }
}
