//! What options ask for: extractors, segmenters, crawl jobs. The one place where options become any of these.

use crate::day::today;
use crate::definition::Surface;
use crate::definitions::{
    ABSOLUTE_URLS, ALIGN_SHARE, ALL_RECORDS, CARRY, COMMENTS, DETECTOR, FOCUS, FORMAT, HEADING, HTML_COLUMN, ID_COLUMN,
    INCLUDE_HIDDEN, KNOWN_TEMPLATES, MAX_BYTES, MAX_DEPTH, MAX_NODES, MAX_OUTPUT_RATIO, METADATA, METHOD, METHOD_USED,
    MODEL, NO_IMAGES, NO_LEARN, NO_LINKS, OVERWRITE, PENALTY, PRECISION, RECALL, RECORD_FORMAT, RESUME, SCRIPTING,
    SEED, SEGMENT_METHOD, SEGMENT_MODEL, SITE_BY, TEMPLATES, THREADS, THRESHOLD, URL_COLUMN,
};
use crate::error::OptionError;
use crate::model_file::{is_model_file, read_model};
use crate::values::Values;
use dehusk::detect::{Fusion, SiteDetector, SiteUse};
use dehusk::{
    Comments, Detector, Extractor, Focus, Limits, Methods, Options, OutputFormat, PageSegmenter, RenderOptions,
    SiteMethod,
};
use dehusk_io::crawl::{Crawl, RecordFormat, RecordOutput, TemplateMode};
use dehusk_io::{ExistingOutput, ReadOptions};
use dehusk_papers::block::{Block, OperatingPoint};
use dehusk_papers::methods_with_align_share;
use dehusk_papers::pagelevel::PageLevel;
use dehusk_papers::segment::{ModelSegmenter, SegmentModel};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The detector if none is named.
const DEFAULT_DETECTOR: &str = "fusion";

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

    /// How pages are read from containers.
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
                "several formats need rows or files: use -o with a .jsonl or .parquet file or a folder",
            )),
            _ => Err(OptionError::new("a single page has one format: several are for rows of many pages")),
        }
    }

    /// The name of the detector that decides.
    #[must_use]
    pub fn detector_name(&self) -> String {
        self.text(&DETECTOR).unwrap_or_else(|| DEFAULT_DETECTOR.to_string())
    }

    /// All methods, with the settings that options give to them.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn methods(&self) -> Result<Methods, OptionError> {
        Ok(methods_with_align_share(self.number(&ALIGN_SHARE))?)
    }

    /// The method by which a site is learned or its template is used: that of the detector, or the one given. `--detector align --method
    /// align-paper` is Align as published.
    ///
    /// # Errors
    /// If a setting of the method is out of range.
    pub fn site_method(&self) -> Result<Option<SiteMethod>, OptionError> {
        let methods = self.methods()?;
        let named = if self.has(&METHOD) { self.text(&METHOD) } else { self.text(&METHOD_USED) };
        let named = named.and_then(|name| methods.site_method(&name));
        let own = methods.site_method(&self.detector_name());
        let is_published =
            |own: &SiteMethod, named: &SiteMethod| named.name().strip_suffix("-paper") == Some(own.name());
        let method = match (own, named) {
            (Some(own), Some(named)) if is_published(own, named) => Some(named),
            _ => own.or(named),
        };
        Ok(method.cloned())
    }

    /// How the detector uses what is known of a site.
    #[must_use]
    pub fn site_use(&self) -> SiteUse {
        let methods = dehusk_papers::methods();
        methods.detector(&self.detector_name()).map_or(SiteUse::None, |detector| detector.site_use())
    }

    /// Fails where the detector cannot use what is known of a site.
    ///
    /// # Errors
    /// With the advice what to do `instead`.
    pub fn check_uses_site(&self, instead: &str) -> Result<(), OptionError> {
        if self.site_use() != SiteUse::None {
            return Ok(());
        }
        let name = self.detector_name();
        Err(OptionError::new(format!("the detector {name} looks at one page alone: {instead}")))
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
        let options = change(self.with_content(self.reading()).with_focus(self.focus()?));
        let options = match self.number(&THRESHOLD) {
            Some(threshold) if self.site_use() != SiteUse::None => options.with_site_threshold(threshold),
            _ => options,
        };
        let extractor = Extractor::new(options.with_comments(Comments::default()))?;
        let mut detector = self.detector()?;
        if let Some(path) = self.path(&MODEL).filter(|path| is_model_file(path)) {
            let about = |error: dehusk::Error| OptionError::new(format!("{}: {error}", path.display()));
            detector = detector.with_model(&read_model(path)?).map_err(about)?;
        }
        Ok(extractor.with_shared_detector(detector)?.with_options(options)?)
    }

    fn focus(&self) -> Result<Focus, OptionError> {
        Ok(self.number(&FOCUS).map_or(Ok(Focus::default()), |focus| Focus::new(focus as f32))?)
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

    /// The detector with its settings.
    fn detector(&self) -> Result<Arc<dyn Detector>, OptionError> {
        let name = self.detector_name();
        let share = |option| self.number(option).map(|share| share as f32);
        let point = match (share(&PRECISION), share(&RECALL)) {
            (None, None) => OperatingPoint::default(),
            _ if name != "block" => {
                let [precision, recall, detector] = [&PRECISION, &RECALL, &DETECTOR].map(|option| self.spelled(option));
                return Err(OptionError::new(format!("{precision} and {recall} need {detector} block")));
            }
            (Some(share), _) => OperatingPoint::Precision(share),
            (None, Some(share)) => OperatingPoint::Recall(share),
        };
        let method = self.site_method()?;
        let page_level = |detector: PageLevel| detector.with_threshold(share(&THRESHOLD)).with_penalty(share(&PENALTY));
        Ok(match (&*name, self.site_use(), method) {
            // Where sites are learned, templates are used by the method they were learned with.
            (DEFAULT_DETECTOR, _, method) => {
                Arc::new(Fusion::default().with_evidence(method.filter(|_| self.has(&METHOD_USED))))
            }
            (_, SiteUse::Required, Some(method)) => Arc::new(SiteDetector::new(method)),
            ("pagelevel", ..) => Arc::new(page_level(PageLevel::default())),
            ("pagelevel-basic", ..) => Arc::new(page_level(PageLevel::basic())),
            ("block", ..) => Arc::new(Block::default().with_operating_point(point)),
            _ => {
                let methods = self.methods()?;
                let unknown = || OptionError::new(format!("there is no detector {name}"));
                methods.detector(&name).ok_or_else(unknown)?.clone()
            }
        })
    }

    /// Splits pages into segments, with the model of a file if one is named.
    ///
    /// # Errors
    /// If the model cannot be used.
    pub fn segmenter(&self) -> Result<PageSegmenter, OptionError> {
        let segmenter = ModelSegmenter::new(self.choice(&SEGMENT_METHOD).unwrap_or_default());
        let segmenter = match self.path(&SEGMENT_MODEL).filter(|path| is_model_file(path)) {
            None => segmenter,
            Some(path) => {
                let file = read_model(path)?;
                if file.kind != SegmentModel::KIND {
                    let message = format!("{}: this model is of the kind {}, not segment", path.display(), file.kind);
                    return Err(OptionError::new(message));
                }
                segmenter.with_model(SegmentModel::from_file(&file)?)
            }
        };
        let reader = PageSegmenter::new(Arc::new(segmenter));
        Ok(reader.with_limits(self.limits()).with_scripting(self.flag(&SCRIPTING)))
    }

    /// What is written of the records of pages; without an output, to standard output.
    ///
    /// # Errors
    /// If the name of the output asks for another format, or the format needs a file.
    pub fn record_output(&self, output: Option<&Path>) -> Result<(RecordFormat, RecordOutput), OptionError> {
        let named = output.and_then(RecordFormat::of);
        let given = self.choice(&RECORD_FORMAT);
        let format: RecordFormat = given.or(named).unwrap_or_default();
        if let (Some(named), Some(output)) = (named.filter(|named| *named != format), output) {
            return Err(OptionError::new(format!(
                "{}: by its name the output is {}, and {} says {}: leave one of them out",
                output.display(),
                named.name(),
                self.spelled(&RECORD_FORMAT),
                format.name(),
            )));
        }
        if format == RecordFormat::Parquet && named.is_none() {
            return Err(OptionError::new("Parquet goes to one file: name it with -o, such as -o records.parquet"));
        }
        Ok((format, RecordOutput::new(format, self.flag(&ALL_RECORDS))))
    }

    /// The crawl job of `dehusk clean`, and of others with what they have of its options.
    ///
    /// # Errors
    /// If options contradict each other or are out of range, or the model cannot be used.
    pub fn crawl(&self, inputs: Vec<PathBuf>, output: &Path) -> Result<Crawl, OptionError> {
        self.crawl_with(self.extractor()?, inputs, output)
    }

    /// The crawl job of an extractor that was made of these options.
    ///
    /// # Errors
    /// If a setting of the site method is out of range.
    pub fn crawl_with(&self, extractor: Extractor, inputs: Vec<PathBuf>, output: &Path) -> Result<Crawl, OptionError> {
        Ok(Crawl::new(extractor, inputs, output)
            .with_read_options(self.read_options())
            .with_formats(self.formats())
            .with_site_by(self.choice(&SITE_BY).unwrap_or_default())
            .with_templates(self.template_mode())
            .with_method(self.site_method()?.unwrap_or_default())
            .with_known_methods(&self.methods()?)
            .with_seed(self.whole(&SEED))
            .with_threads(self.size(&THREADS))
            .with_resume(self.flag(&RESUME))
            .with_max_output_ratio(self.whole(&MAX_OUTPUT_RATIO))
            .with_day(today()))
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
        if let Some(path) = self.path(&KNOWN_TEMPLATES) {
            return TemplateMode::Use(path.to_path_buf());
        }
        match (self.path(&TEMPLATES), self.flag(&NO_LEARN)) {
            _ if !self.has(&TEMPLATES) => TemplateMode::None,
            (None, _) => TemplateMode::Learn,
            (Some(path), false) => TemplateMode::LearnInto(path.to_path_buf()),
            (Some(path), true) => TemplateMode::Use(path.to_path_buf()),
        }
    }
}
