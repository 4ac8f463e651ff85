//! A model of any kind, read from its file.
//!
//! Each method defines its own model; this type is for callers that accept a model file of any kind.

use crate::error::{Error, ErrorKind};
use crate::fusion::{FusionModel, PageTypeModel};
use crate::model::ModelFile;
use crate::page::{BlockModel, PageLevelModel};
use crate::segment::SegmentModel;

/// A model of any kind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Model {
    /// The model of the default detector, Fusion.
    Fusion(Box<FusionModel>),
    /// The model that classifies pages by type.
    PageType(Box<PageTypeModel>),
    /// The model of the detector PageLevel.
    PageLevel(Box<PageLevelModel>),
    /// The model of the detector Block.
    Block(Box<BlockModel>),
    /// The model of the segmentation methods.
    Segment(Box<SegmentModel>),
}

impl Model {
    /// Reads a model file of any kind.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, Error> {
        let file = ModelFile::from_bytes(bytes)?;
        match file.kind.as_str() {
            FusionModel::KIND => FusionModel::from_file(&file).map(|model| Model::Fusion(model.into())),
            PageTypeModel::KIND => PageTypeModel::from_file(&file).map(|model| Model::PageType(model.into())),
            PageLevelModel::KIND => PageLevelModel::from_file(&file).map(|model| Model::PageLevel(model.into())),
            BlockModel::KIND => BlockModel::from_file(&file).map(|model| Model::Block(model.into())),
            SegmentModel::KIND => SegmentModel::from_file(&file).map(|model| Model::Segment(model.into())),
            kind => Err(Error::new(ErrorKind::Incompatible, format!("model of unknown kind `{kind:.40}`"))),
        }
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Model::Fusion(model) => model.to_bytes(),
            Model::PageType(model) => model.to_bytes(),
            Model::PageLevel(model) => model.to_bytes(),
            Model::Block(model) => model.to_bytes(),
            Model::Segment(model) => model.to_bytes(),
        }
    }

    /// The kind recorded in its file.
    pub fn kind(&self) -> &'static str {
        match self {
            Model::Fusion(_) => FusionModel::KIND,
            Model::PageType(_) => PageTypeModel::KIND,
            Model::PageLevel(_) => PageLevelModel::KIND,
            Model::Block(_) => BlockModel::KIND,
            Model::Segment(_) => SegmentModel::KIND,
        }
    }

    /// The model card: what the model was trained on and how well it does.
    pub fn card(&self) -> &str {
        match self {
            Model::Fusion(model) => model.card(),
            Model::PageType(model) => model.card(),
            Model::PageLevel(model) => model.card(),
            Model::Block(model) => model.card(),
            Model::Segment(model) => model.card(),
        }
    }
}
