//! PageLevel as a detector.

use super::detect::{PageLevelSettings, append_contributions, detect_page_level, score_page};
use super::features::host_of;
use super::model::PageLevelModel;
use crate::layout::estimate;
use dehusk::detect::{Buffers, Detector, DetectorInput, other_model};
use dehusk::model::ModelFile;
use dehusk::{Detection, Error, ErrorKind, Options};
use std::fmt;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// A model over the nodes of a page, with scores smoothed over the tree: `pagelevel`; without smoothing: `pagelevel-basic`.
#[derive(Clone, Default)]
pub struct PageLevel {
    /// The model, if it is not the built-in one.
    model: Option<Arc<PageLevelModel>>,
    penalty: Option<f32>,
    threshold: Option<f32>,
    basic: bool,
}

impl PageLevel {
    /// Without smoothing.
    #[must_use]
    pub fn basic() -> PageLevel {
        PageLevel { basic: true, ..PageLevel::default() }
    }

    /// Sets the threshold: nodes with at least this score are template. `None` is that of the model.
    #[must_use]
    pub fn with_threshold(mut self, threshold: Option<f32>) -> PageLevel {
        self.threshold = threshold;
        self
    }

    /// Sets the cost of a new section. `None` is that of the model.
    #[must_use]
    pub fn with_penalty(mut self, penalty: Option<f32>) -> PageLevel {
        self.penalty = penalty;
        self
    }
}

impl fmt::Debug for PageLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PageLevel { model, penalty, threshold, basic } = self;
        let model = model.as_ref().map(|model| format!("{:016x}", xxh3_64(&model.to_bytes())));
        f.debug_struct("PageLevel")
            .field("model", &model)
            .field("penalty", penalty)
            .field("threshold", threshold)
            .field("basic", basic)
            .finish()
    }
}

impl Detector for PageLevel {
    fn name(&self) -> &'static str {
        if self.basic { "pagelevel-basic" } else { "pagelevel" }
    }

    fn detect(&self, input: &DetectorInput<'_>, _: &mut Buffers) -> Result<Detection, Error> {
        let page = &input.page;
        let model = self.model.as_deref().unwrap_or_else(|| PageLevelModel::builtin());
        let layout = match input.boxes {
            Some(boxes) => boxes.layout(page.document)?,
            None => estimate(page.document),
        };
        let settings = PageLevelSettings {
            penalty: self.penalty,
            threshold: self.threshold,
            host: input.url.and_then(host_of),
            basic: self.basic,
        };
        let scores = score_page(page.document, &layout, model, settings);
        let mut detection = detect_page_level(page.document, page.stats(), &scores, model, settings);
        if input.options.details() {
            append_contributions(&scores, model, &mut detection);
        }
        Ok(detection)
    }

    fn check(&self, _: &Options) -> Result<(), Error> {
        let refuse = |message: String| Err(Error::new(ErrorKind::BadOptions, message));
        if let Some(threshold) = self.threshold.filter(|threshold| !(0.0..=1.0).contains(threshold)) {
            return refuse(format!("the threshold is {threshold}, it must be from 0 to 1"));
        }
        if let Some(penalty) = self.penalty.filter(|penalty| !(penalty.is_finite() && *penalty >= 0.0)) {
            return refuse(format!("the penalty is {penalty}, it must be 0 or more"));
        }
        Ok(())
    }

    fn with_model(&self, file: &ModelFile) -> Result<Arc<dyn Detector>, Error> {
        if file.kind != PageLevelModel::KIND {
            return Err(other_model(file, self.name()));
        }
        Ok(Arc::new(PageLevel { model: Some(Arc::new(PageLevelModel::from_file(file)?)), ..self.clone() }))
    }
}
