//! The model of PageLevel: four logistic regressions by node area, a threshold and a penalty, and their file.
//!
//! Features are binned first. A regression can then give low and high values a weight that values in between do not have, and a
//! page unlike all training pages cannot push a score further than the outermost bin does.

use super::scored_nodes::ScoredNodes;
use crate::pagelevel::features::{COLUMNS, schema};
use dehusk::model::{Array, Discretizer, Logistic, ModelFile, sigmoid};
use dehusk::{Error, ErrorKind};
use std::sync::LazyLock;

/// The number of bands of node areas.
pub const BANDS: usize = 4;

/// The model of PageLevel.
#[derive(Clone, PartialEq, Debug)]
pub struct PageLevelModel {
    /// The areas that separate the bands, ascending, in square pixels.
    band_bounds: [f32; BANDS - 1],
    bins: Discretizer,
    /// One regression per band, with a weight for each bin of each feature.
    bands: Vec<Logistic>,
    settings: ModelSettings,
    card: String,
}

/// The parameters of a model that are chosen, not fitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ModelSettings {
    /// The default threshold: the lowest smoothed score of a template node.
    pub threshold: f32,
    /// The default penalty of a new section.
    pub penalty: f32,
    /// The fraction of the page's mean log-odds that is subtracted from the log-odds of each node. It keeps a page full of links
    /// from being classified as template as a whole.
    pub relative: f32,
}

impl PageLevelModel {
    /// The kind recorded in model files.
    pub const KIND: &'static str = "pagelevel";

    /// A model from the areas that separate its bands, the bins of the features and a regression for each band.
    pub fn new(
        band_bounds: [f32; BANDS - 1],
        bins: Discretizer,
        bands: [Logistic; BANDS],
        settings: ModelSettings,
        card: String,
    ) -> Result<PageLevelModel, Error> {
        let numbers = [settings.threshold, settings.penalty, settings.relative].into_iter().chain(band_bounds);
        let is_ordered = band_bounds.is_sorted() && numbers.into_iter().all(f32::is_finite);
        let fits = bins.features() == COLUMNS && bands.iter().all(|band| band.features() == bins.columns());
        if !is_ordered || !fits {
            return Err(Error::new(
                ErrorKind::BadModel,
                "damaged model file: its bands do not match the features, or a number in it is not finite",
            ));
        }
        Ok(PageLevelModel { band_bounds, bins, bands: bands.into(), settings, card })
    }

    /// Reads a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<PageLevelModel, Error> {
        PageLevelModel::from_file(&ModelFile::from_bytes(bytes)?)
    }

    /// Reads the model of a file.
    ///
    /// # Errors
    /// If it is of another kind, of other features, or damaged.
    pub fn from_file(file: &ModelFile) -> Result<PageLevelModel, Error> {
        file.expect(PageLevelModel::KIND, &schema())?;
        let damaged = |_| Error::new(ErrorKind::BadModel, "damaged model file: its areas are not three numbers");
        let band_bounds: [f32; BANDS - 1] = file.f32s("areas")?.try_into().map_err(damaged)?;
        let bins = Discretizer::read("features", COLUMNS, file)?;
        let band = |number: usize| Logistic::read(&format!("band{number}"), bins.columns(), file);
        let bands = [band(0)?, band(1)?, band(2)?, band(3)?];
        let number = |name: &str| file.number(name);
        let settings = ModelSettings {
            threshold: number("threshold")?,
            penalty: number("penalty")?,
            relative: number("relative")?,
        };
        PageLevelModel::new(band_bounds, bins, bands, settings, file.card.clone())
    }

    /// The built-in model.
    pub fn builtin() -> &'static PageLevelModel {
        static MODEL: LazyLock<PageLevelModel> = LazyLock::new(|| {
            let read = PageLevelModel::from_bytes(include_bytes!("../../models/pagelevel.model"));
            read.expect("the built-in model is valid, as a test checks")
        });
        &MODEL
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(PageLevelModel::KIND, schema(), &*self.card);
        file.set("areas", Array::F32(self.band_bounds.to_vec()));
        file.set("threshold", Array::F32(vec![self.settings.threshold]));
        file.set("penalty", Array::F32(vec![self.settings.penalty]));
        file.set("relative", Array::F32(vec![self.settings.relative]));
        self.bins.write("features", &mut file);
        for (number, band) in self.bands.iter().enumerate() {
            band.write(&format!("band{number}"), &mut file);
        }
        file.to_bytes()
    }

    /// The default threshold: the lowest smoothed score of a template node.
    pub fn threshold(&self) -> f32 {
        self.settings.threshold
    }

    /// The default penalty of a new section.
    pub fn penalty(&self) -> f32 {
        self.settings.penalty
    }

    /// The model card: what the model was trained on and how well it does.
    pub fn card(&self) -> &str {
        &self.card
    }

    /// The number of the band an area is in.
    pub fn band(&self, area: f32) -> usize {
        self.band_bounds.iter().filter(|bound| area >= **bound).count()
    }

    /// The log-odds that a node with these features and this area is template, before they are made relative to the page.
    pub fn margin(&self, row: &[f32], area: f32) -> f32 {
        let band = &self.bands[self.band(area)];
        let weights = band.weights();
        // The margin of an empty row is the bias.
        self.bins.columns_of(row).fold(band.margin(&[]), |sum, column| sum + weights[column])
    }

    /// Scores the nodes of a page, 0 to 1.
    pub fn scores(&self, page: &ScoredNodes) -> Vec<f32> {
        self.settings.scores(&self.margins(page))
    }

    /// The log-odds of the nodes of a page, before they are made relative to the page.
    pub fn margins(&self, page: &ScoredNodes) -> Vec<f32> {
        page.table().rows().zip(page.areas()).map(|((_, row), area)| self.margin(row, *area)).collect()
    }

    /// The contribution of each feature to the log-odds, compared with an average node of the band.
    pub fn contributions(&self, row: &[f32], area: f32) -> Vec<f32> {
        let mut columns = vec![0.0; self.bins.columns()];
        self.bins.columns_of(row).for_each(|column| columns[column] = 1.0);
        let by_column = self.bands[self.band(area)].contributions(&columns);
        let feature = |number: usize| {
            let start = self.bins.first_column(number);
            by_column[start..start + self.bins.edges(number).len() + 1].iter().sum()
        };
        (0..COLUMNS).map(feature).collect()
    }
}

impl ModelSettings {
    /// Converts the log-odds of all scored nodes of a page to scores.
    pub fn scores(&self, margins: &[f32]) -> Vec<f32> {
        // Log-odds are clamped so that a few extreme nodes do not move the mean of the page.
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
        let bins = Discretizer::new(&vec![vec![0.5]; COLUMNS]);
        let band = |weight: f32| Logistic::new(vec![weight; bins.columns()], 0.1, vec![0.5; bins.columns()]);
        let bands = [band(0.0), band(0.01), band(-0.01), band(0.02)];
        PageLevelModel::new([1.0, 2.0, 3.0], bins, bands, SETTINGS, "a card".into()).unwrap()
    }

    #[test]
    fn a_model_reads_back_and_damage_is_an_error() {
        let bytes = model().to_bytes();
        assert_eq!(PageLevelModel::from_bytes(&bytes).unwrap(), model());
        for length in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            assert!(PageLevelModel::from_bytes(&bytes[..length]).is_err());
        }
        let bins = Discretizer::new(&[vec![0.5]]);
        let band = || Logistic::new(vec![0.0; 2], 0.0, vec![0.0; 2]);
        let bands = [band(), band(), band(), band()];
        assert!(PageLevelModel::new([1.0, 2.0, 3.0], bins, bands, SETTINGS, String::new()).is_err());
    }

    #[test]
    fn bands_are_chosen_by_area_and_margins_add_up() {
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
    fn the_built_in_model_is_valid() {
        let model = PageLevelModel::builtin();
        assert!(model.card().contains("sites") && (0.0..1.0).contains(&model.threshold()));
    }
}
