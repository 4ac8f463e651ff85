//! Fusion models that were each fitted without one part of the sites: what they say of a page of that part is what they would say
//! of a page of a new site. Page types are fitted on it, and measurements need it.

use crate::folds::fold_of_sites;
use crate::fusion::{Steps, fit_fusion};
use crate::fusion_examples::{Example, examples_of};
use crate::reference::ReferencePage;
use dehusk::methods::fusion::FusionModel;
use std::collections::BTreeMap;

/// How many parts the sites are divided into.
pub const FUSION_FOLDS: usize = 5;

/// Pages divided by site, and for each part a model fitted on the others.
#[derive(Clone, Debug)]
pub struct FusionFolds {
    fold: Vec<usize>,
    models: Vec<FusionModel>,
}

impl FusionFolds {
    /// Fits a model for each part and gives it to `fitted` with the number of the part.
    pub fn fit<E>(
        pages: &[ReferencePage],
        seed: u64,
        steps: Steps<'_>,
        mut fitted: impl FnMut(usize, &FusionModel) -> Result<(), E>,
    ) -> Result<FusionFolds, E> {
        let fold = divide(pages, seed);
        let fold_of_site: BTreeMap<String, usize> =
            pages.iter().zip(&fold).map(|(page, fold)| (page.site(), *fold)).collect();
        let examples = examples_of(pages, 0.0);
        let mut models = Vec::new();
        for number in 0..FUSION_FOLDS {
            let used: Vec<&Example> =
                examples.iter().filter(|example| fold_of_site.get(&example.site) != Some(&number)).collect();
            let model = fit_fusion(&used, seed, steps);
            fitted(number, &model)?;
            models.push(model);
            steps(&format!("fitted fusion without part {} of {FUSION_FOLDS} of the sites", number + 1));
        }
        Ok(FusionFolds { fold, models })
    }

    /// Models that were fitted before on the same pages with the same seed; none where there are not as many as parts.
    pub fn of_models(pages: &[ReferencePage], seed: u64, models: Vec<FusionModel>) -> Option<FusionFolds> {
        (models.len() == FUSION_FOLDS).then(|| FusionFolds { fold: divide(pages, seed), models })
    }

    /// The model that was fitted without the site of a page.
    pub fn model(&self, page: usize) -> &FusionModel {
        &self.models[self.fold[page]]
    }

    /// The part a page is in.
    pub fn fold(&self, page: usize) -> usize {
        self.fold[page]
    }
}

/// The part of each page. The seed differs from that of the fits, which divide the sites once more.
fn divide(pages: &[ReferencePage], seed: u64) -> Vec<usize> {
    let mut sites: Vec<String> = pages.iter().map(|page| page.site()).collect();
    sites.sort();
    sites.dedup();
    let folds = fold_of_sites(&sites, FUSION_FOLDS, seed.wrapping_add(1));
    pages.iter().map(|page| folds[sites.binary_search(&page.site()).unwrap_or(0)]).collect()
}
