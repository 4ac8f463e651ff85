//! Fusion models that were each fitted without one part of the sites: what they decide on a page of that part is what they would decide on a
//! page of a new site. Page types are fitted on it, and measurements need it.

use crate::data::folds::fold_of_sites;
use crate::data::reference::ReferencePage;
use crate::fit::fusion::{Steps, fit_fusion};
use crate::labels::fusion_examples::{Example, examples_of};
use dehusk::detect::fusion::FusionModel;
use dehusk_io::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How many parts the sites are divided into.
pub const FUSION_FOLDS: usize = 5;

/// Pages divided by site, and for each part a model fitted on the others.
#[derive(Clone, Debug)]
pub struct FusionFolds {
    fold: Vec<usize>,
    models: Vec<FusionModel>,
}

impl FusionFolds {
    /// Fits a model for each part. `renamed` is the share of pages that also become examples with arbitrary class names.
    ///
    /// With a folder, each model is written there, and read from there if it exists, because fitting takes long. The folder is for one choice of
    /// pages, share and seed.
    ///
    /// # Errors
    /// If a model cannot be written to the folder.
    pub fn fit(
        pages: &[ReferencePage],
        renamed: f64,
        seed: u64,
        folder: Option<&Path>,
        steps: Steps<'_>,
    ) -> Result<FusionFolds, Error> {
        let fold = divide(pages, seed);
        let fold_of_site: BTreeMap<String, usize> =
            pages.iter().zip(&fold).map(|(page, fold)| (page.site(), *fold)).collect();
        let path = |number: usize| folder.map(|folder| folder.join(format!("fold-{number}.model")));
        let mut models: Vec<Option<FusionModel>> = (0..FUSION_FOLDS).map(|number| read(path(number))).collect();
        // Labelling takes a while and is not needed if all models are there.
        let examples = if models.iter().all(Option::is_some) { Vec::new() } else { examples_of(pages, renamed) };
        for (number, model) in models.iter_mut().enumerate().filter(|(_, model)| model.is_none()) {
            let used: Vec<&Example> =
                examples.iter().filter(|example| fold_of_site.get(&example.site) != Some(&number)).collect();
            let fitted = fit_fusion(&used, seed, steps);
            steps(&format!("fitted fusion without part {} of {FUSION_FOLDS} of the sites", number + 1));
            if let Some(path) = path(number) {
                write(&path, &fitted)?;
            }
            *model = Some(fitted);
        }
        Ok(FusionFolds { fold, models: models.into_iter().flatten().collect() })
    }

    /// The model that was fitted without the site of a page.
    #[must_use]
    pub fn model(&self, page: usize) -> &FusionModel {
        &self.models[self.fold[page]]
    }

    /// The part a page is in.
    #[must_use]
    pub fn fold(&self, page: usize) -> usize {
        self.fold[page]
    }
}

/// The model of a file; none if there is none, or one of other features.
fn read(path: Option<PathBuf>) -> Option<FusionModel> {
    FusionModel::from_bytes(&std::fs::read(path?).ok()?).ok()
}

fn write(path: &Path, model: &FusionModel) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, model.to_bytes()));
    written.map_err(|error| Error::other(format!("{}: {error}", path.display())))
}

/// The part of each page. The seed differs from that of the fits, which divide the sites once more.
fn divide(pages: &[ReferencePage], seed: u64) -> Vec<usize> {
    let mut sites: Vec<String> = pages.iter().map(|page| page.site()).collect();
    sites.sort();
    sites.dedup();
    let folds = fold_of_sites(&sites, FUSION_FOLDS, seed.wrapping_add(1));
    pages.iter().map(|page| folds[sites.binary_search(&page.site()).unwrap_or(0)]).collect()
}
