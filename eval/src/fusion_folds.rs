//! Fusion models that have not seen a fifth of the sites of wcxb-dev each, kept in a folder: fitting them takes minutes.

use crate::Stop;
use crate::corpus::Data;
use crate::fusion::known_pages;
use dehusk::fusion::FusionModel;
use dehusk::model::ModelFile;
use dehusk_train::fold_of_sites;
use dehusk_train::fusion::{Example, KnownPage, fit_fusion, site_of};
use std::path::Path;

/// How many parts the sites are divided into.
pub(crate) const FOLDS: usize = 5;

/// The pages of wcxb-dev, and for each a model that has not seen its site.
pub(crate) struct Folds {
    pub(crate) pages: Vec<KnownPage>,
    fold: Vec<usize>,
    models: Vec<FusionModel>,
}

impl Folds {
    /// Reads the models of a folder, and fits and writes those that are missing. A model of other features does not count.
    pub(crate) fn of(data: &Data, folder: &Path) -> Result<Folds, Stop> {
        let pages = known_pages(data)?;
        let mut sites: Vec<String> = pages.iter().map(|page| site_of(&page.url)).collect();
        sites.sort();
        sites.dedup();
        let folds = fold_of_sites(&sites, FOLDS, 1);
        let fold: Vec<usize> =
            pages.iter().map(|page| folds[sites.binary_search(&site_of(&page.url)).unwrap_or(0)]).collect();
        std::fs::create_dir_all(folder)?;
        let path = |number: usize| folder.join(format!("fold-{number}.model"));
        let read = |number: usize| {
            let file = ModelFile::from_bytes(&std::fs::read(path(number)).ok()?).ok()?;
            FusionModel::read(&file).ok()
        };
        let mut models: Vec<Option<FusionModel>> = (0..FOLDS).map(read).collect();
        if models.iter().any(Option::is_none) {
            let examples: Vec<Option<Example>> = pages.iter().map(Example::of).collect();
            for number in 0..FOLDS {
                if models[number].is_some() {
                    continue;
                }
                eprintln!("fitting fold {number}; kept in {}", folder.display());
                let used: Vec<&Example> = examples
                    .iter()
                    .zip(&fold)
                    .filter(|(_, fold)| **fold != number)
                    .filter_map(|(example, _)| example.as_ref())
                    .collect();
                let fitted = fit_fusion(&used, 0, &|_| {});
                std::fs::write(path(number), fitted.write("").to_bytes())?;
                models[number] = Some(fitted);
            }
        }
        Ok(Folds { pages, fold, models: models.into_iter().flatten().collect() })
    }

    /// The model that has not seen the site of a page.
    pub(crate) fn model(&self, page: usize) -> &FusionModel {
        &self.models[self.fold[page]]
    }

    /// The fold of a page.
    pub(crate) fn fold(&self, page: usize) -> usize {
        self.fold[page]
    }
}
