//! TreeMap as a site method.

use super::treemap_detector::{TreeMapTemplates, detect_tree_map};
use super::treemap_learner::TreeMapLearner;
use super::treemap_settings::{TreeMapSettings, name};
use dehusk::site::{LineReader, Template, TemplateLearner, TemplateMethod};
use dehusk::{Detection, Error, ParsedPage};
use std::sync::Arc;

/// The common tree of the pages of a kind: `treemap`; as in the paper: `treemap-paper`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeMap {
    settings: TreeMapSettings,
}

impl TreeMap {
    /// TreeMap with these settings.
    #[must_use]
    pub fn new(settings: TreeMapSettings) -> TreeMap {
        TreeMap { settings }
    }
}

impl TemplateMethod for TreeMap {
    fn name(&self) -> &'static str {
        name(self.settings.rules)
    }

    fn learner(&self) -> Box<dyn TemplateLearner> {
        Box::new(TreeMapLearner::new(self.settings))
    }

    fn read(&self, lines: &mut LineReader<'_>) -> Result<Arc<dyn Template>, Error> {
        let mut templates = TreeMapTemplates::read_lines(lines)?;
        templates.rules = self.settings.rules;
        Ok(Arc::new(templates))
    }
}

impl TemplateLearner for TreeMapLearner {
    fn observe(&mut self, key: &str, page: &ParsedPage<'_>) {
        TreeMapLearner::observe(self, key, page.document);
    }

    fn merge(&mut self, other: Box<dyn TemplateLearner>) -> Result<(), Error> {
        TreeMapLearner::merge(self, *other.downcast()?);
        Ok(())
    }

    fn finish(self: Box<Self>, seed: u64) -> Arc<dyn Template> {
        Arc::new(TreeMapLearner::finish(*self, seed))
    }
}

impl Template for TreeMapTemplates {
    fn detect(&self, page: &ParsedPage<'_>) -> Detection {
        detect_tree_map(page.document, page.stats(), self)
    }

    fn append_lines(&self, out: &mut String) {
        TreeMapTemplates::append_lines(self, out);
    }
}
