//! The model of PageLevel: four logistic regressions by node area, a threshold and a penalty, and their file.
//!
//! Features are cut into intervals first, so that a regression can say "little or a lot, but not in between", and a page unlike
//! all pages of the training cannot push a score further than the last interval does.

use super::scored_nodes::JudgedPage;
use crate::error::{Error, ErrorKind};
use crate::features::nodes::{COLUMNS, schema};
use crate::model::{Array, Discretizer, Logistic, ModelFile, sigmoid};
use std::sync::LazyLock;

/// Bands of node areas.
pub const BANDS: usize = 4;

/// What all sites share, as PageLevel sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct PageLevelModel {
    /// The areas between the bands, ascending, in square pixels.
    limits: [f32; BANDS - 1],
    cuts: Discretizer,
    /// One regression a band, with a weight for each interval of each feature.
    bands: Vec<Logistic>,
    settings: ModelSettings,
    card: String,
}

/// The numbers of a model that are not fitted but chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ModelSettings {
    /// The smoothed score from which on a node is template, if nothing else is set.
    pub threshold: f32,
    /// The penalty of a new section, if nothing else is set.
    pub penalty: f32,
    /// How far scores are relative to their page: this part of the page's mean log odds is taken off those of each node. A page
    /// full of links is not all template for that.
    pub relative: f32,
}

impl PageLevelModel {
    /// The kind recorded in model files.
    pub const KIND: &'static str = "pagelevel";

    /// A model of the areas between its bands, the cuts of the features and a regression for each band.
    pub fn new(
        limits: [f32; BANDS - 1],
        cuts: Discretizer,
        bands: [Logistic; BANDS],
        settings: ModelSettings,
        card: String,
    ) -> Result<PageLevelModel, Error> {
        let numbers = [settings.threshold, settings.penalty, settings.relative].into_iter().chain(limits);
        let is_ordered = limits.is_sorted() && numbers.into_iter().all(f32::is_finite);
        let fits = cuts.features() == COLUMNS && bands.iter().all(|band| band.features() == cuts.columns());
        if !is_ordered || !fits {
            return Err(Error::new(
                ErrorKind::BadModel,
                "not a whole model file: its bands do not fit the features, or a number in it is not finite",
            ));
        }
        Ok(PageLevelModel { limits, cuts, bands: bands.into(), settings, card })
    }

    /// Reads a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<PageLevelModel, Error> {
        PageLevelModel::from_file(&ModelFile::from_bytes(bytes)?)
    }

    pub(crate) fn from_file(file: &ModelFile) -> Result<PageLevelModel, Error> {
        file.expect(PageLevelModel::KIND, &schema())?;
        let bad = |_| Error::new(ErrorKind::BadModel, "not a whole model file: its areas are not three numbers");
        let limits: [f32; BANDS - 1] = file.f32s("areas")?.try_into().map_err(bad)?;
        let cuts = Discretizer::read("features", COLUMNS, file)?;
        let band = |number: usize| Logistic::read(&format!("band{number}"), cuts.columns(), file);
        let bands = [band(0)?, band(1)?, band(2)?, band(3)?];
        let number = |name: &str| file.number(name);
        let settings = ModelSettings {
            threshold: number("threshold")?,
            penalty: number("penalty")?,
            relative: number("relative")?,
        };
        PageLevelModel::new(limits, cuts, bands, settings, file.card.clone())
    }

    /// The model that comes with the program.
    pub fn builtin() -> &'static PageLevelModel {
        static MODEL: LazyLock<PageLevelModel> = LazyLock::new(|| {
            let read = PageLevelModel::from_bytes(include_bytes!("../../models/pagelevel.model"));
            read.expect("the model is part of the program, and a test reads it")
        });
        &MODEL
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(PageLevelModel::KIND, schema(), &*self.card);
        file.set("areas", Array::F32(self.limits.to_vec()));
        file.set("threshold", Array::F32(vec![self.settings.threshold]));
        file.set("penalty", Array::F32(vec![self.settings.penalty]));
        file.set("relative", Array::F32(vec![self.settings.relative]));
        self.cuts.write("features", &mut file);
        for (number, band) in self.bands.iter().enumerate() {
            band.write(&format!("band{number}"), &mut file);
        }
        file.to_bytes()
    }

    /// The smoothed score from which on a node is template, if nothing else is set.
    pub fn threshold(&self) -> f32 {
        self.settings.threshold
    }

    /// The penalty of a new section, if nothing else is set.
    pub fn penalty(&self) -> f32 {
        self.settings.penalty
    }

    /// What the model was trained on, in words.
    pub fn card(&self) -> &str {
        &self.card
    }

    /// The band of an area.
    pub fn band(&self, area: f32) -> usize {
        self.limits.iter().filter(|limit| area >= **limit).count()
    }

    /// The log odds that a node with these features and this area is template, whatever page it is on.
    pub fn margin(&self, row: &[f32], area: f32) -> f32 {
        let band = &self.bands[self.band(area)];
        let weights = band.weights();
        // The sum of a row without any column is the bias.
        self.cuts.columns_of(row).fold(band.margin(&[]), |sum, column| sum + weights[column])
    }

    /// The scores of the judged nodes of a page, 0 to 1.
    pub fn scores(&self, page: &JudgedPage) -> Vec<f32> {
        self.settings.scores(&self.margins(page))
    }

    /// The log odds of the judged nodes of a page, each for itself.
    pub fn margins(&self, page: &JudgedPage) -> Vec<f32> {
        page.table().rows().zip(page.areas()).map(|((_, row), area)| self.margin(row, *area)).collect()
    }

    /// What each feature adds to the log odds, compared with a usual node of the band.
    pub fn contributions(&self, row: &[f32], area: f32) -> Vec<f32> {
        let mut columns = vec![0.0; self.cuts.columns()];
        self.cuts.columns_of(row).for_each(|column| columns[column] = 1.0);
        let by_column = self.bands[self.band(area)].contributions(&columns);
        let feature = |number: usize| {
            let start = self.cuts.first_column(number);
            by_column[start..start + self.cuts.cuts(number).len() + 1].iter().sum()
        };
        (0..COLUMNS).map(feature).collect()
    }
}

impl ModelSettings {
    /// Scores from the log odds of all judged nodes of a page.
    pub fn scores(&self, margins: &[f32]) -> Vec<f32> {
        // Odds beyond this are certain enough; a few of them must not move the mean of a page.
        let sum: f32 = margins.iter().map(|margin| margin.clamp(-9.0, 9.0)).sum();
        let shift = self.relative * sum / margins.len().max(1) as f32;
        margins.iter().map(|margin| sigmoid(margin - shift)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: ModelSettings = ModelSettings { threshold: 0.4, penalty: 0.01, relative: 0.5 };

    fn model() -> PageLevelModel {
        let cuts = Discretizer::new(&vec![vec![0.5]; COLUMNS]);
        let band = |weight: f32| Logistic::new(vec![weight; cuts.columns()], 0.1, vec![0.5; cuts.columns()]);
        let bands = [band(0.0), band(0.01), band(-0.01), band(0.02)];
        PageLevelModel::new([1.0, 2.0, 3.0], cuts, bands, SETTINGS, "a card".into()).unwrap()
    }

    #[test]
    fn a_model_reads_back_and_damage_is_an_error() {
        let bytes = model().to_bytes();
        assert_eq!(PageLevelModel::from_bytes(&bytes).unwrap(), model());
        for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            assert!(PageLevelModel::from_bytes(&bytes[..cut]).is_err());
        }
        let cuts = Discretizer::new(&[vec![0.5]]);
        let band = || Logistic::new(vec![0.0; 2], 0.0, vec![0.0; 2]);
        let bands = [band(), band(), band(), band()];
        assert!(PageLevelModel::new([1.0, 2.0, 3.0], cuts, bands, SETTINGS, String::new()).is_err());
    }

    #[test]
    fn bands_go_by_area_and_contributions_add_up() {
        let model = model();
        assert_eq!([0.5, 1.0, 2.5, 9.0].map(|area| model.band(area)), [0, 1, 2, 3]);
        let row = vec![1.0; COLUMNS];
        assert!((model.margin(&row, 0.5) - 0.1).abs() < 1e-4);
        assert!((model.margin(&row, 9.0) - 0.1 - 0.02 * COLUMNS as f32).abs() < 1e-3);
        assert_eq!(model.contributions(&row, 9.0).len(), COLUMNS);
    }

    #[test]
    fn scores_are_relative_to_their_page() {
        let scores = SETTINGS.scores(&[3.0, 1.0]);
        assert_eq!(scores, [sigmoid(2.0), sigmoid(0.0)]);
        assert!(SETTINGS.scores(&[]).is_empty());
    }

    #[test]
    fn the_model_that_ships_reads() {
        let model = PageLevelModel::builtin();
        assert!(model.card().contains("sites") && (0.0..1.0).contains(&model.threshold()));
    }
}
