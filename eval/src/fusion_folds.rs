//! The fusion models that have not seen a fifth of the sites of wcxb-dev each, kept in a folder: fitting them takes minutes.

use crate::Stop;
use crate::corpus::Data;
use crate::fusion::reference_pages;
use dehusk::methods::fusion::FusionModel;
use dehusk_train::{FUSION_FOLDS, FusionFolds, ReferencePage};
use std::path::{Path, PathBuf};
use std::time::Instant;

const SEED: u64 = 0;

/// The pages of wcxb-dev, and for each a model fitted without its site.
pub(crate) struct Folds {
    pub(crate) pages: Vec<ReferencePage>,
    folds: FusionFolds,
}

impl Folds {
    /// Reads the models from a folder. If one is missing or has another schema, fits and writes all of them.
    pub(crate) fn of(data: &Data, folder: &Path) -> Result<Folds, Stop> {
        let pages = reference_pages(data)?;
        let read = |number: usize| FusionModel::from_bytes(&std::fs::read(path(folder, number)).ok()?).ok();
        let models: Option<Vec<FusionModel>> = (0..FUSION_FOLDS).map(read).collect();
        match models.and_then(|models| FusionFolds::of_models(&pages, SEED, models)) {
            Some(folds) => Ok(Folds { pages, folds }),
            None => Folds::fit(data, folder),
        }
    }

    /// Fits all models and writes them to a folder.
    pub(crate) fn fit(data: &Data, folder: &Path) -> Result<Folds, Stop> {
        let pages = reference_pages(data)?;
        let start = Instant::now();
        let step = |what: &str| eprintln!("{:6.0} s  {what}", start.elapsed().as_secs_f64());
        std::fs::create_dir_all(folder)?;
        let folds = FusionFolds::fit(&pages, SEED, &step, |number, model| {
            std::fs::write(path(folder, number), model.to_bytes()).map_err(Stop::from)
        })?;
        Ok(Folds { pages, folds })
    }

    /// The model fitted without the site of a page.
    pub(crate) fn model(&self, page: usize) -> &FusionModel {
        self.folds.model(page)
    }

    /// The fold of a page.
    pub(crate) fn fold(&self, page: usize) -> usize {
        self.folds.fold(page)
    }
}

fn path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("fold-{number}.model"))
}
