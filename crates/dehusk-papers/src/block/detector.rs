//! Block as a detector.

use super::detect::{BlockModel, BlockSettings, OperatingPoint, check_point, detect_block};
use dehusk::detect::{Buffers, Detector, DetectorInput, other_model};
use dehusk::model::ModelFile;
use dehusk::{Detection, Error, Options};
use std::fmt;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// A model over the blocks of a page: `block`.
#[derive(Clone, Default)]
pub struct Block {
    /// The model, if it is not the built-in one.
    model: Option<Arc<BlockModel>>,
    point: OperatingPoint,
}

impl Block {
    /// Sets which blocks are dropped.
    #[must_use]
    pub fn with_operating_point(mut self, point: OperatingPoint) -> Block {
        self.point = point;
        self
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.as_ref().map(|model| format!("{:016x}", xxh3_64(&model.to_bytes())));
        f.debug_struct("Block").field("model", &model).field("point", &self.point).finish()
    }
}

impl Detector for Block {
    fn name(&self) -> &'static str {
        "block"
    }

    fn detect(&self, input: &DetectorInput<'_>, _: &mut Buffers) -> Result<Detection, Error> {
        let page = &input.page;
        let model = self.model.as_deref().unwrap_or_else(|| BlockModel::builtin());
        let settings = BlockSettings { point: self.point, details: input.options.details() };
        detect_block(page.document, page.stats(), page.fingerprints(), model, settings)
    }

    fn check(&self, _: &Options) -> Result<(), Error> {
        check_point(self.point)
    }

    fn with_model(&self, file: &ModelFile) -> Result<Arc<dyn Detector>, Error> {
        if file.kind != BlockModel::KIND {
            return Err(other_model(file, "block"));
        }
        Ok(Arc::new(Block { model: Some(Arc::new(BlockModel::from_file(file)?)), ..self.clone() }))
    }
}
