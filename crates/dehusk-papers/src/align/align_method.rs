//! Align as a site method.

use super::align_detector::detect_align;
use super::align_learner::{AlignLearner, AlignSettings, AlignTemplate, name};
use dehusk::site::{LineReader, Template, TemplateLearner, TemplateMethod};
use dehusk::{Detection, Error, ParsedPage};
use std::sync::Arc;

/// What the pages of a kind have in the same order: `align`; as in the paper: `align-paper`.
#[derive(Clone, Copy, Debug)]
pub struct Align {
    settings: AlignSettings,
}

impl Default for Align {
    /// Finds what a fifth of the pages share.
    fn default() -> Align {
        Align { settings: AlignSettings::sections() }
    }
}

impl Align {
    /// Align with these settings.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn new(settings: AlignSettings) -> Result<Align, Error> {
        settings.check()?;
        Ok(Align { settings })
    }

    /// Align as in the paper, with one half as the share.
    #[must_use]
    pub fn as_in_paper() -> Align {
        Align { settings: AlignSettings::as_in_paper() }
    }
}

impl TemplateMethod for Align {
    fn name(&self) -> &'static str {
        name(self.settings.rules)
    }

    fn learner(&self) -> Box<dyn TemplateLearner> {
        Box::new(AlignLearner::with_checked_settings(self.settings))
    }

    fn read(&self, lines: &mut LineReader<'_>) -> Result<Arc<dyn Template>, Error> {
        let mut template = AlignTemplate::read_lines(lines)?;
        template.rules = self.settings.rules;
        Ok(Arc::new(template))
    }
}

impl TemplateLearner for AlignLearner {
    fn observe(&mut self, key: &str, page: &ParsedPage<'_>) {
        AlignLearner::observe(self, page.document, key);
    }

    fn merge(&mut self, other: Box<dyn TemplateLearner>) -> Result<(), Error> {
        AlignLearner::merge(self, *other.downcast()?)
    }

    fn finish(self: Box<Self>, seed: u64) -> Arc<dyn Template> {
        Arc::new(AlignLearner::finish(*self, seed))
    }
}

impl Template for AlignTemplate {
    fn detect(&self, page: &ParsedPage<'_>) -> Detection {
        detect_align(page.document, page.stats(), self)
    }

    fn append_lines(&self, out: &mut String) {
        AlignTemplate::append_lines(self, out);
    }
}
