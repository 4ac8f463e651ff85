//! The model of the segmentation methods, and its file.

use super::node_vectors::{NODE_COLUMNS, NODE_WIDTH, NodeVector};
use super::pair_features::{PAIR_COLUMNS, PAIR_WIDTH, PairVector};
use crate::segment::best::part_context::{FIRST_PASS, context_names};
use crate::segment::best::part_features::column_names;
use dehusk::model::{Array, Discretizer, Logistic, ModelFile, Schema, Trees, sigmoid};
use dehusk::segmentation::SegmentRole;
use dehusk::{Error, ErrorKind};
use std::sync::LazyLock;

/// A learned distance of nodes: features are scaled, then mapped by a matrix, and compared there.
#[derive(Clone, PartialEq, Debug)]
pub struct Metric {
    /// The mean of each feature.
    pub means: Vec<f32>,
    /// The standard deviation of each feature.
    pub scales: Vec<f32>,
    /// A square matrix, row by row. The distance is that of the mapped vectors.
    pub matrix: Vec<f32>,
}

impl Metric {
    /// A vector in the space where distances are measured.
    pub fn map(&self, vector: &NodeVector) -> NodeVector {
        let mut scaled = [0.0; NODE_WIDTH];
        for (at, value) in scaled.iter_mut().enumerate() {
            // A page unlike all training pages must not make one feature outweigh all others.
            *value = ((vector[at] - self.means[at]) / self.scales[at]).clamp(-4.0, 4.0);
        }
        let mut mapped = [0.0; NODE_WIDTH];
        for (row, value) in self.matrix.chunks(NODE_WIDTH).zip(&mut mapped) {
            *value = row.iter().zip(scaled).map(|(weight, value)| weight * value).sum();
        }
        mapped
    }
}

/// The distance of two mapped vectors.
pub(crate) fn distance(one: &NodeVector, two: &NodeVector) -> f32 {
    one.iter().zip(two).map(|(one, two)| (one - two).powi(2)).sum::<f32>().sqrt()
}

/// The probability that two leaves belong to one segment.
#[derive(Clone, PartialEq, Debug)]
pub struct PairModel {
    /// The intervals of the features.
    pub bins: Discretizer,
    /// A weight for each interval.
    pub weights: Logistic,
}

impl PairModel {
    /// The probability for a pair.
    pub fn score(&self, pair: &PairVector) -> f32 {
        sigmoid(self.weights.margin_of(self.bins.columns_of(pair)))
    }
}

/// λ of each variant, chosen on validation pages.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Lambdas {
    /// GCUTS.
    pub gcuts: f32,
    /// GCUTS without parents.
    pub gcuts_without_parents: f32,
    /// GCUTS without learning.
    pub gcuts_without_learning: f32,
    /// CCLUS.
    pub cclus: f32,
    /// CCLUS without learning.
    pub cclus_without_learning: f32,
}

/// The trees of `best`.
#[derive(Clone, PartialEq, Debug)]
pub struct CutTrees {
    /// The first pass, by output: the share of pairs that belong together, whether all leaves do, whether the part is a segment.
    pub first: [Trees; 3],
    /// The second pass: the share of pairs that belong together.
    pub second: Trees,
    /// The roles, in the order of [`SegmentRole::ALL`].
    pub roles: Trees,
}

/// The model of all segmentation methods.
#[derive(Clone, PartialEq, Debug)]
pub struct SegmentModel {
    /// D of GCUTS.
    pub metric: Metric,
    /// V of GCUTS, for adjacent leaves.
    pub adjacent: PairModel,
    /// V of CCLUS, for any two leaves.
    pub any_pair: PairModel,
    /// λ of the variants.
    pub lambdas: Lambdas,
    /// The trees of `best`.
    pub cut: CutTrees,
    /// What the model was trained on and how well it does.
    pub card: String,
}

impl SegmentModel {
    /// The kind recorded in model files.
    pub const KIND: &'static str = "segment";

    /// The schema of everything that the parts of the model read.
    pub fn schema() -> Schema {
        let part = column_names().iter().map(|name| format!("part {name}"));
        let node = NODE_COLUMNS.iter().map(|name| format!("node {name}"));
        let pair = PAIR_COLUMNS.iter().map(|name| format!("pair {name}"));
        Schema::new("segment", 1, part.chain(context_names()).chain(node).chain(pair))
    }

    /// The number of features of a row of the second pass.
    pub(crate) fn second_width() -> usize {
        column_names().len() + context_names().count()
    }

    /// The built-in model.
    pub fn builtin() -> &'static SegmentModel {
        static MODEL: LazyLock<SegmentModel> = LazyLock::new(|| {
            let read = SegmentModel::from_bytes(include_bytes!("../../models/segment.model"));
            read.expect("the built-in model is valid, as a test checks")
        });
        &MODEL
    }

    /// Reads a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<SegmentModel, Error> {
        SegmentModel::from_file(&ModelFile::from_bytes(bytes)?)
    }

    /// Reads the model of a file.
    ///
    /// # Errors
    /// If it is of another kind, of other features, or damaged.
    pub fn from_file(file: &ModelFile) -> Result<SegmentModel, Error> {
        file.expect(SegmentModel::KIND, &SegmentModel::schema())?;
        let numbers = |name: &str, count: usize| {
            let values = file.f32s(name)?;
            if values.len() != count || !values.iter().all(|value| value.is_finite()) {
                let message = format!("damaged model file: `{name}` is not {count} finite numbers");
                return Err(Error::new(ErrorKind::BadModel, message));
            }
            Ok(values.to_vec())
        };
        let metric = Metric {
            means: numbers("metric.means", NODE_WIDTH)?,
            scales: numbers("metric.scales", NODE_WIDTH)?,
            matrix: numbers("metric.matrix", NODE_WIDTH * NODE_WIDTH)?,
        };
        let pair_model = |prefix: &str| {
            let bins = Discretizer::read(prefix, PAIR_WIDTH, file)?;
            let weights = Logistic::read(prefix, bins.columns(), file)?;
            Ok::<PairModel, Error>(PairModel { bins, weights })
        };
        let lambdas = numbers("lambdas", 5)?;
        let parts = column_names().len();
        let first = |number: usize| Trees::read(FIRST_PASS[number], parts, file);
        Ok(SegmentModel {
            metric,
            adjacent: pair_model("adjacent")?,
            any_pair: pair_model("any_pair")?,
            lambdas: Lambdas {
                gcuts: lambdas[0],
                gcuts_without_parents: lambdas[1],
                gcuts_without_learning: lambdas[2],
                cclus: lambdas[3],
                cclus_without_learning: lambdas[4],
            },
            cut: CutTrees {
                first: [first(0)?, first(1)?, first(2)?],
                second: Trees::read("second", SegmentModel::second_width(), file)?,
                roles: Trees::read("roles", parts, file).and_then(|roles| {
                    let message = "damaged model file: its roles are not those of this program";
                    let fits = roles.outputs() == SegmentRole::ALL.len();
                    if fits { Ok(roles) } else { Err(Error::new(ErrorKind::BadModel, message)) }
                })?,
            },
            card: file.card.clone(),
        })
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(SegmentModel::KIND, SegmentModel::schema(), &*self.card);
        file.set("metric.means", Array::F32(self.metric.means.clone()));
        file.set("metric.scales", Array::F32(self.metric.scales.clone()));
        file.set("metric.matrix", Array::F32(self.metric.matrix.clone()));
        for (prefix, model) in [("adjacent", &self.adjacent), ("any_pair", &self.any_pair)] {
            model.bins.write(prefix, &mut file);
            model.weights.write(prefix, &mut file);
        }
        let Lambdas { gcuts, gcuts_without_parents, gcuts_without_learning, cclus, cclus_without_learning } =
            self.lambdas;
        let lambdas = vec![gcuts, gcuts_without_parents, gcuts_without_learning, cclus, cclus_without_learning];
        file.set("lambdas", Array::F32(lambdas));
        for (name, trees) in FIRST_PASS.iter().zip(&self.cut.first) {
            trees.write(name, &mut file);
        }
        self.cut.second.write("second", &mut file);
        self.cut.roles.write("roles", &mut file);
        file.to_bytes()
    }

    /// The model card: what the model was trained on and how well it does.
    pub fn card(&self) -> &str {
        &self.card
    }
}
