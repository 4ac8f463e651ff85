//! The model of PageLevel: four logistic regressions by node area, a threshold and a penalty, and their file.

use crate::error::{Error, ErrorKind};
use crate::features::nodes::{COLUMNS, schema};
use crate::model::{Array, Logistic, ModelFile};

const KIND: &str = "pagelevel";
/// Bands of node areas.
pub const BANDS: usize = 4;

/// What all sites share, as PageLevel sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct PageLevelModel {
    /// The areas between the bands, ascending, in square pixels.
    limits: [f32; BANDS - 1],
    bands: Vec<Logistic>,
    threshold: f32,
    penalty: f32,
    card: String,
}

impl PageLevelModel {
    /// A model of the areas between its bands, a regression for each band, the smoothed score from which on a node is template,
    /// and the penalty of a new section.
    pub fn new(
        limits: [f32; BANDS - 1],
        bands: [Logistic; BANDS],
        threshold: f32,
        penalty: f32,
        card: String,
    ) -> Result<PageLevelModel, Error> {
        let numbers = [threshold, penalty].into_iter().chain(limits);
        let is_ordered = limits.is_sorted() && numbers.into_iter().all(f32::is_finite);
        if !is_ordered || bands.iter().any(|band| band.features() != COLUMNS) {
            return Err(Error::new(ErrorKind::BadModel, "its bands do not fit the features, or its numbers are none"));
        }
        Ok(PageLevelModel { limits, bands: bands.into(), threshold, penalty, card })
    }

    /// Reads a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<PageLevelModel, Error> {
        let file = ModelFile::from_bytes(bytes)?;
        file.expect(KIND, &schema())?;
        let bad = |_| Error::new(ErrorKind::BadModel, "not a whole model file: its areas are not three numbers");
        let limits: [f32; BANDS - 1] = file.f32s("areas")?.try_into().map_err(bad)?;
        let band = |number: usize| Logistic::read(&format!("band{number}"), COLUMNS, &file);
        let bands = [band(0)?, band(1)?, band(2)?, band(3)?];
        PageLevelModel::new(limits, bands, file.number("threshold")?, file.number("penalty")?, file.card.clone())
    }

    /// The file of the model.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(KIND, schema(), &*self.card);
        file.set("areas", Array::F32(self.limits.to_vec()));
        file.set("threshold", Array::F32(vec![self.threshold]));
        file.set("penalty", Array::F32(vec![self.penalty]));
        for (number, band) in self.bands.iter().enumerate() {
            band.write(&format!("band{number}"), &mut file);
        }
        file.to_bytes()
    }

    /// The smoothed score from which on a node is template, if nothing else is set.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// The penalty of a new section, if nothing else is set.
    pub fn penalty(&self) -> f32 {
        self.penalty
    }

    /// What it was trained on and how well it does, in words.
    pub fn card(&self) -> &str {
        &self.card
    }

    /// The band of an area.
    pub fn band(&self, area: f32) -> usize {
        self.limits.iter().filter(|limit| area >= **limit).count()
    }

    /// The score of a row of features of a node with an area, 0 to 1.
    pub fn score(&self, row: &[f32], area: f32) -> f32 {
        self.bands[self.band(area)].score(row)
    }

    /// What each feature adds to the log odds, compared with a usual node of the band.
    pub fn contributions(&self, row: &[f32], area: f32) -> Vec<f32> {
        self.bands[self.band(area)].contributions(row)
    }
}
