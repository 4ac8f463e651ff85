//! A trained model of any kind, as read from its file.

use crate::error::{Error, ErrorKind};
use crate::fusion::{FusionModel, PageTypeModel};
use crate::model::ModelFile;
use crate::page::{BlockModel, PageLevelModel};

/// A trained model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Model {
    /// For [`Detector::Fusion`](crate::Detector::Fusion).
    Fusion(Box<FusionModel>),
    /// Tells the kind of a page.
    PageType(Box<PageTypeModel>),
    /// For [`Detector::PageLevel`](crate::Detector::PageLevel).
    PageLevel(Box<PageLevelModel>),
    /// For [`Detector::Block`](crate::Detector::Block).
    Block(Box<BlockModel>),
}

impl Model {
    /// Reads a model file, of whichever kind it says it is.
    ///
    /// # Errors
    /// Where the file is damaged, is not a model file, or was made for other features than this version computes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, Error> {
        let file = ModelFile::from_bytes(bytes)?;
        match file.kind.as_str() {
            "fusion" => FusionModel::read(&file).map(|model| Model::Fusion(Box::new(model))),
            "page-type" => PageTypeModel::read(&file).map(|model| Model::PageType(Box::new(model))),
            "pagelevel" => PageLevelModel::from_bytes(bytes).map(|model| Model::PageLevel(Box::new(model))),
            "block" => BlockModel::from_bytes(bytes).map(|model| Model::Block(Box::new(model))),
            other => Err(Error::new(ErrorKind::BadModel, format!("models of the kind `{other}` are not known here"))),
        }
    }

    /// What it is a model for: `fusion`, `page-type`, `pagelevel` or `block`.
    pub fn kind(&self) -> &'static str {
        match self {
            Model::Fusion(_) => "fusion",
            Model::PageType(_) => "page-type",
            Model::PageLevel(_) => "pagelevel",
            Model::Block(_) => "block",
        }
    }
}
