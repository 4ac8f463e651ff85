//! Fusion models that were each fitted without one part of the sites: what they decide on a page of that part is what they would decide on a
//! page of a new site. Page types are fitted on it, and measurements need it.

use crate::data::reference::ReferencePage;
use crate::fit::fusion::{Steps, fit_fusion};
use crate::fit::fusion_parts::{SiteParts, read_parts, write_parts};
use crate::labels::fusion_examples::examples_of;
use dehusk::detect::fusion::FusionModel;
use dehusk_io::Error;
use std::path::Path;

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
        let sites = SiteParts::new(pages.iter().map(ReferencePage::site), seed);
        let fold = pages.iter().map(|page| sites.part(&page.site())).collect();
        if let Some(models) = folder.and_then(read_parts) {
            return Ok(FusionFolds { fold, models });
        }
        let models = fit_fusion(&examples_of(pages, renamed), &sites, seed, steps).parts;
        if let Some(folder) = folder {
            write_parts(folder, &models)?;
        }
        Ok(FusionFolds { fold, models })
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
