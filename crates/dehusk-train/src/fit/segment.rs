//! Trains the segmentation methods on pages with marked segments.
//!
//! GCUTS and CCLUS as in their paper: V by logistic regression on pairs of leaves, once on adjacent ones and once on any, D by a large-margin
//! metric, λ of each variant on pages that neither was fitted on. The trees of `best` are in `segment_trees.rs`.

use crate::data::marked_pages::MarkedPage;
use crate::fit::card::Provenance;
use crate::fit::segment_trees::fit_cut_trees;
use crate::learners::logistic::{LogisticOptions, SparseRows, fit_logistic};
use crate::learners::mdl::fit_mdl;
use crate::learners::neighbour_metric::{MetricPage, fit_metric, plain_metric};
use crate::measure::adjusted_rand::adjusted_rand;
use dehusk::dom::NodeId;
use dehusk::dom::random::SplitMix64;
use dehusk::layout::Layout;
use dehusk_papers::segment::{
    CutTrees, GcutsSettings, Lambdas, LeafLabels, Metric, PAIR_WIDTH, PairModel, SegmentModel, SegmentPage,
};
use rayon::prelude::*;
use std::path::PathBuf;

/// λ that are tried.
pub const LAMBDAS: [f32; 14] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0];
/// Pairs taken of each page, at most.
const MAX_PAIRS: usize = 4_000;

/// Which boxes a fit reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Boxes {
    /// Those of a browser.
    Real,
    /// Those estimated from the page.
    Estimated,
}

impl MarkedPage {
    /// The boxes of a kind; the estimated ones if none were measured.
    #[must_use]
    pub fn layout(&self, boxes: Boxes) -> &Layout {
        match (boxes, &self.real) {
            (Boxes::Real, Some(real)) => real,
            _ => &self.estimated,
        }
    }

    /// The leaves that are shown and marked, with their segments.
    #[must_use]
    pub fn marked_leaves(&self, page: &SegmentPage<'_>) -> Vec<MarkedLeaf> {
        let shown = page.tree.leaves.iter().enumerate().filter(|(_, leaf)| leaf.is_shown);
        let segment = |node: NodeId| self.segments[node.index()].map(|segment| segment.0);
        shown.filter_map(|(at, leaf)| Some(MarkedLeaf { leaf: at, segment: segment(leaf.node)? })).collect()
    }
}

/// A leaf of a page and the segment that people marked around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkedLeaf {
    /// The number of the leaf.
    pub leaf: usize,
    /// The number of the segment.
    pub segment: u32,
}

/// A variant of the paper's methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Variant {
    /// GCUTS with learned costs.
    Gcuts,
    /// GCUTS without parents.
    GcutsWithoutParents,
    /// GCUTS with Euclidean distances and plain similarities.
    GcutsWithoutLearning,
    /// CCLUS with learned attractions.
    Cclus,
    /// CCLUS with plain similarities.
    CclusWithoutLearning,
}

impl Variant {
    /// All variants.
    pub const ALL: [Variant; 5] = [
        Variant::Gcuts,
        Variant::GcutsWithoutParents,
        Variant::GcutsWithoutLearning,
        Variant::Cclus,
        Variant::CclusWithoutLearning,
    ];
}

/// What the paper's methods learn, without λ.
#[derive(Clone, Debug)]
pub struct PaperCosts {
    /// D of GCUTS.
    pub metric: Metric,
    /// D of GCUTS without learning.
    pub plain: Metric,
    /// V of GCUTS.
    pub adjacent: PairModel,
    /// V of CCLUS.
    pub any_pair: PairModel,
}

impl PaperCosts {
    /// Learns the costs from pages.
    #[must_use]
    pub fn fit(pages: &[&MarkedPage], boxes: Boxes, seed: u64) -> PaperCosts {
        let described: Vec<Described> = pages
            .par_iter()
            .enumerate()
            .map(|(number, page)| describe(page, boxes, &mut SplitMix64::part(seed, number as u64)))
            .collect();
        let leaves: Vec<MetricPage> = described.iter().map(|page| page.leaves.clone()).collect();
        PaperCosts {
            metric: fit_metric(&leaves),
            plain: plain_metric(&leaves),
            adjacent: fit_pairs(described.iter().map(|page| &page.adjacent)),
            any_pair: fit_pairs(described.iter().map(|page| &page.any)),
        }
    }

    /// Splits a page.
    #[must_use]
    pub fn split(&self, page: &SegmentPage<'_>, variant: Variant, lambda: f32) -> LeafLabels {
        let gcuts = |with_parents: bool, learned: bool| {
            page.gcuts(&GcutsSettings {
                metric: Some(if learned { &self.metric } else { &self.plain }),
                pairs: learned.then_some(&self.adjacent),
                lambda,
                with_parents,
                parent_weight: GcutsSettings::PARENT_WEIGHT,
                part_cost: GcutsSettings::PART_COST,
            })
        };
        match variant {
            Variant::Gcuts => gcuts(true, true),
            Variant::GcutsWithoutParents => gcuts(false, true),
            Variant::GcutsWithoutLearning => gcuts(true, false),
            Variant::Cclus => page.cclus(Some(&self.any_pair), lambda),
            Variant::CclusWithoutLearning => page.cclus(None, lambda),
        }
    }

    /// The mean adjusted Rand index of a variant on pages, for each of [`LAMBDAS`].
    #[must_use]
    pub fn sweep(&self, pages: &[&MarkedPage], boxes: Boxes, variant: Variant) -> Vec<f64> {
        let by_page: Vec<Vec<f64>> = pages
            .par_iter()
            .map(|page| {
                let split = SegmentPage::new(&page.document, page.layout(boxes));
                let truth = page.marked_leaves(&split);
                let true_labels: Vec<u32> = truth.iter().map(|marked| marked.segment).collect();
                let score = |lambda: &f32| {
                    let found = self.split(&split, variant, *lambda).labels;
                    let found: Vec<u32> = truth.iter().map(|marked| found[marked.leaf]).collect();
                    adjusted_rand(&true_labels, &found)
                };
                LAMBDAS.iter().map(score).collect()
            })
            .collect();
        let mean = |at: usize| by_page.iter().map(|page| page[at]).sum::<f64>() / by_page.len().max(1) as f64;
        (0..LAMBDAS.len()).map(mean).collect()
    }

    /// Chooses λ of each variant on pages that the costs were not fitted on.
    #[must_use]
    pub fn choose_lambdas(&self, pages: &[&MarkedPage], boxes: Boxes) -> Lambdas {
        let best = |variant: Variant| {
            let scores = self.sweep(pages, boxes, variant);
            let best = (0..LAMBDAS.len()).max_by(|one, two| scores[*one].total_cmp(&scores[*two]).then(two.cmp(one)));
            best.map_or(1.0, |best| LAMBDAS[best])
        };
        Lambdas {
            gcuts: best(Variant::Gcuts),
            gcuts_without_parents: best(Variant::GcutsWithoutParents),
            gcuts_without_learning: best(Variant::GcutsWithoutLearning),
            cclus: best(Variant::Cclus),
            cclus_without_learning: best(Variant::CclusWithoutLearning),
        }
    }
}

/// Pairs of leaves with their features and whether they belong together.
#[derive(Clone, Default)]
struct PairRows {
    rows: Vec<f32>,
    labels: Vec<f32>,
}

/// What is learned from a page.
struct Described {
    leaves: MetricPage,
    adjacent: PairRows,
    any: PairRows,
}

fn describe(page: &MarkedPage, boxes: Boxes, random: &mut SplitMix64) -> Described {
    let split = SegmentPage::new(&page.document, page.layout(boxes));
    let vectors = split.vectors();
    let describer = split.describer(&vectors);
    let marked = page.marked_leaves(&split);
    let mut segment_of = vec![None; split.tree.leaves.len()];
    marked.iter().for_each(|marked| segment_of[marked.leaf] = Some(marked.segment));
    let mut adjacent = PairRows::default();
    let add = |pairs: &mut PairRows, one: usize, two: usize| {
        if let (Some(first), Some(second)) = (segment_of[one], segment_of[two]) {
            pairs.rows.extend(describer.describe(one, two));
            pairs.labels.push(f32::from(u8::from(first == second)));
        }
    };
    let neighbours = split.adjacent();
    let step = neighbours.len().div_ceil(MAX_PAIRS).max(1);
    neighbours.iter().step_by(step).for_each(|(one, two)| add(&mut adjacent, *one as usize, *two as usize));
    let mut any = PairRows::default();
    let all = marked.len() * marked.len().saturating_sub(1) / 2;
    if all <= MAX_PAIRS {
        for (at, one) in marked.iter().enumerate() {
            marked[..at].iter().for_each(|two| add(&mut any, two.leaf, one.leaf));
        }
    } else {
        for _ in 0..MAX_PAIRS {
            let (one, two) = (marked[random.below(marked.len())].leaf, marked[random.below(marked.len())].leaf);
            if one != two {
                add(&mut any, one.min(two), one.max(two));
            }
        }
    }
    let leaves = marked.iter().map(|marked| (vectors.leaves[marked.leaf], marked.segment)).collect();
    Described { leaves, adjacent, any }
}

/// Fits V. All pages count the same, whatever their number of pairs.
fn fit_pairs<'a>(pages: impl Iterator<Item = &'a PairRows>) -> PairModel {
    let (mut rows, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for page in pages {
        rows.extend_from_slice(&page.rows);
        labels.extend_from_slice(&page.labels);
        weights.extend(std::iter::repeat_n(1.0 / page.labels.len().max(1) as f32, page.labels.len()));
    }
    let bins = fit_mdl(&rows, PAIR_WIDTH, &labels);
    let weights = fit_logistic(
        &SparseRows::of(&bins, &rows),
        &labels,
        &weights,
        LogisticOptions { l2: 1e-3, ..LogisticOptions::default() },
    );
    PairModel { bins, weights }
}

/// How the segmentation model is trained.
#[derive(Clone, Debug, Default)]
pub struct SegmentTraining {
    /// Where the pages come from, for the model card.
    pub inputs: Vec<PathBuf>,
    /// The source and licence of the pages, for the model card.
    pub source: Option<String>,
    /// Decides how pages are split and what trees are grown on.
    pub seed: u64,
}

/// The numbers of pages in a random order.
#[must_use]
pub fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    SplitMix64::new(seed).shuffle(&mut order);
    order
}

/// Fits the trees of `best`.
#[must_use]
pub fn fit_best(pages: &[&MarkedPage], seed: u64) -> CutTrees {
    fit_cut_trees(pages, seed)
}

/// Trains the model: GCUTS and CCLUS on estimated boxes, with costs from one half of the pages and λ from the other; `best` on all pages, with
/// estimated and measured boxes.
#[must_use]
pub fn train_segment(training: &SegmentTraining, pages: &[MarkedPage], steps: &dyn Fn(&str)) -> SegmentModel {
    let order = shuffled(pages.len(), training.seed);
    let (fit, validate) = order.split_at(pages.len().div_ceil(2));
    let chosen = |numbers: &[usize]| numbers.iter().map(|number| &pages[*number]).collect::<Vec<_>>();
    let costs = PaperCosts::fit(&chosen(fit), Boxes::Estimated, training.seed);
    steps("fitted the costs of GCUTS and CCLUS");
    let lambdas = costs.choose_lambdas(&chosen(validate), Boxes::Estimated);
    steps("chose λ");
    let cut = fit_best(&pages.iter().collect::<Vec<_>>(), training.seed);
    steps("fitted the trees of `best`");
    let PaperCosts { metric, adjacent, any_pair, .. } = costs;
    SegmentModel { metric, adjacent, any_pair, lambdas, cut, card: card(training, pages) }
}

fn card(training: &SegmentTraining, pages: &[MarkedPage]) -> String {
    let provenance = Provenance {
        command: SegmentModel::KIND,
        inputs: &training.inputs,
        source: training.source.as_deref(),
        measured: "docs/segment.md",
    };
    let measured = pages.iter().filter(|page| page.real.is_some()).count();
    let mut card = format!(
        "Segments: splits a page into segments and gives each a role.\n\
         Trained on {} pages with marked segments, {measured} of them with the boxes of a browser, read from {}; seed {}.\n\
         It holds thresholds and weights of features: no text of any page.\n",
        pages.len(),
        provenance.input_names(),
        training.seed
    );
    provenance.append(&mut card);
    card
}
