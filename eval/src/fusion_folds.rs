//! Fusion models, each fitted without a fifth of the sites of wcxb-dev, stored in a folder: fitting them takes minutes.

use crate::Stop;
use crate::corpus::Data;
use crate::fusion::{known_pages, progress};
use dehusk::methods::fusion::FusionModel;
use dehusk::methods::model::ModelFile;
use dehusk_train::fold_of_sites;
use dehusk_train::fusion::{Example, KnownPage, examples_of, fit_fusion, site_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Number of folds.
pub(crate) const FOLDS: usize = 5;

/// The pages of wcxb-dev, and for each a model fitted without its site.
pub(crate) struct Folds {
    pub(crate) pages: Vec<KnownPage>,
    fold: Vec<usize>,
    models: Vec<FusionModel>,
}

impl Folds {
    /// Reads the models from a folder. If one is missing or has another schema, fits and writes all of them.
    pub(crate) fn of(data: &Data, folder: &Path) -> Result<Folds, Stop> {
        let (pages, fold) = divide(data)?;
        let read = |number: usize| {
            let file = ModelFile::from_bytes(&std::fs::read(path(folder, number)).ok()?).ok()?;
            FusionModel::read(&file).ok()
        };
        match (0..FOLDS).map(read).collect() {
            Some(models) => Ok(Folds { pages, fold, models }),
            None => Folds::fit(data, folder),
        }
    }

    /// Fits all models and writes them to a folder.
    pub(crate) fn fit(data: &Data, folder: &Path) -> Result<Folds, Stop> {
        let (pages, fold) = divide(data)?;
        let fold_of_site: BTreeMap<String, usize> =
            pages.iter().zip(&fold).map(|(page, fold)| (site_of(&page.url), *fold)).collect();
        let examples = examples_of(&pages);
        let say = progress();
        std::fs::create_dir_all(folder)?;
        let mut models = Vec::new();
        for number in 0..FOLDS {
            let used: Vec<&Example> =
                examples.iter().filter(|example| fold_of_site.get(&example.site) != Some(&number)).collect();
            let fitted = fit_fusion(&used, 0, &say);
            std::fs::write(path(folder, number), fitted.write("").to_bytes())?;
            models.push(fitted);
            say(&format!("fold {} of {FOLDS} fitted; kept in {}", number + 1, folder.display()));
        }
        Ok(Folds { pages, fold, models })
    }

    /// The model fitted without the site of a page.
    pub(crate) fn model(&self, page: usize) -> &FusionModel {
        &self.models[self.fold[page]]
    }

    /// The fold of a page.
    pub(crate) fn fold(&self, page: usize) -> usize {
        self.fold[page]
    }
}

fn path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("fold-{number}.model"))
}

/// The pages and the fold of each.
fn divide(data: &Data) -> Result<(Vec<KnownPage>, Vec<usize>), Stop> {
    let pages = known_pages(data)?;
    let mut sites: Vec<String> = pages.iter().map(|page| site_of(&page.url)).collect();
    sites.sort();
    sites.dedup();
    let folds = fold_of_sites(&sites, FOLDS, 1);
    let fold = pages.iter().map(|page| folds[sites.binary_search(&site_of(&page.url)).unwrap_or(0)]).collect();
    Ok((pages, fold))
}
