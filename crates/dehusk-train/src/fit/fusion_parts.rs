//! The parts that sites are divided into for fusion, and the files of the models that were fitted without one of them.

use crate::data::folds::fold_of_sites;
use dehusk::detect::fusion::FusionModel;
use dehusk_io::Error;
use std::path::{Path, PathBuf};

/// How many parts the sites are divided into.
pub const FUSION_FOLDS: usize = 5;

/// The part of each site.
pub(crate) struct SiteParts {
    sites: Vec<String>,
    parts: Vec<usize>,
}

impl SiteParts {
    /// Divides sites, which may be named several times.
    pub(crate) fn new(sites: impl Iterator<Item = String>, seed: u64) -> SiteParts {
        let mut sites: Vec<String> = sites.collect();
        sites.sort();
        sites.dedup();
        // The seed of the folds that earlier figures were measured with.
        let parts = fold_of_sites(&sites, FUSION_FOLDS, seed.wrapping_add(1));
        SiteParts { sites, parts }
    }

    /// The part of a site.
    pub(crate) fn part(&self, site: &str) -> usize {
        self.sites.binary_search_by(|other| other.as_str().cmp(site)).map_or(0, |at| self.parts[at])
    }
}

/// Writes the models to a folder.
pub(crate) fn write_parts(folder: &Path, models: &[FusionModel]) -> Result<(), Error> {
    for (number, model) in models.iter().enumerate() {
        let path = path(folder, number);
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, model.to_bytes()));
        written.map_err(|error| Error::other(format!("{}: {error}", path.display())))?;
    }
    Ok(())
}

/// The models of a folder; none if one is missing or has other features.
pub(crate) fn read_parts(folder: &Path) -> Option<Vec<FusionModel>> {
    let read = |number: usize| FusionModel::from_bytes(&std::fs::read(path(folder, number)).ok()?).ok();
    (0..FUSION_FOLDS).map(read).collect()
}

fn path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("fold-{number}.model"))
}
