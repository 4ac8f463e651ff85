//! The methods applied to a page: from its leaves and their features to a label for each leaf.

use super::adjacency::adjacent_leaves;
use super::cclus::{ClusterSettings, cluster_leaves};
use super::gcuts::CutSettings;
use super::leaf_tree::LeafTree;
use super::node_vectors::{NodeVector, NodeVectors};
use super::pair_features::{PairDescriber, PairVector};
use super::segment_model::{CutTrees, Metric, PairModel, distance};
use crate::dom::Document;
use crate::segment::best::part_context::PartContext;
use crate::segment::best::part_table::PartTable;
use crate::segment::best::tree_cut::cut_tree;
use crate::segment::gcuts::cut_problem::CutProblem;
use dehusk::layout::Layout;
use dehusk::segmentation::Segmentation;
use dehusk::segmentation::{SegmentRole, declared_role};

/// The largest number of labels of GCUTS, which are parts.
const MAX_LABELS: usize = 300;
/// A part is a label if the box around its leaves has at least this share of the page's area.
const MIN_LABEL_AREA: f32 = 0.001;
/// Up to this many costs, every leaf may take every label. On larger pages, a leaf may take the labels of the parts around it
/// and near it, or a page would take seconds.
const MAX_COSTS: usize = 300_000;
/// The distance in the tree that still counts as near.
const NEAR_STEPS: usize = 2;

/// How GCUTS works on a page.
#[derive(Clone, Copy, Debug)]
pub struct GcutsSettings<'a> {
    /// The distance of a leaf from a label; none for the Euclidean distance of plain features.
    pub metric: Option<&'a Metric>,
    /// The weight of a pair of adjacent leaves; none for the mean similarity of plain features.
    pub pairs: Option<&'a PairModel>,
    /// λ.
    pub lambda: f32,
    /// Whether the parts around leaves count.
    pub with_parents: bool,
    /// The weight of an edge between a part and the part around it.
    pub parent_weight: f32,
    /// The weight of the distance of a part from its label, relative to that of a leaf.
    pub part_cost: f32,
}

impl GcutsSettings<'_> {
    /// The weight of an edge to the part around a part, chosen on validation pages.
    pub const PARENT_WEIGHT: f32 = 0.25;
    /// The weight of the distance of a part from its label, chosen on validation pages.
    pub const PART_COST: f32 = 1.0;
}

/// The labels of leaves, and whether the search came to its end.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct LeafLabels {
    /// By leaf. Leaves with equal labels are one segment.
    pub labels: Vec<u32>,
    /// Whether no limit of work was hit.
    pub is_complete: bool,
}

/// A page, prepared for segmentation.
pub struct SegmentPage<'a> {
    document: &'a Document,
    layout: &'a Layout,
    /// Its leaves and parts.
    pub tree: LeafTree,
    /// The numbers of the shown leaves; of all, if none is shown.
    shown: Vec<u32>,
}

impl<'a> SegmentPage<'a> {
    /// Finds the leaves of a page.
    pub fn new(document: &'a Document, layout: &'a Layout) -> SegmentPage<'a> {
        let mut tree = LeafTree::new(document, layout);
        if tree.leaves.iter().all(|leaf| !leaf.is_shown) {
            tree.leaves.iter_mut().for_each(|leaf| leaf.is_shown = true);
        }
        let shown = (0..tree.leaves.len() as u32).filter(|leaf| tree.leaves[*leaf as usize].is_shown).collect();
        SegmentPage { document, layout, tree, shown }
    }

    /// Adjacent pairs of shown leaves.
    pub fn adjacent(&self) -> Vec<(u32, u32)> {
        adjacent_leaves(self.layout, &self.tree)
    }

    /// The feature vectors of leaves and parts.
    pub fn vectors(&self) -> NodeVectors {
        NodeVectors::new(self.document, self.layout, &self.tree)
    }

    /// Describes pairs of leaves.
    pub fn describer<'b>(&'b self, vectors: &'b NodeVectors) -> PairDescriber<'b> {
        PairDescriber::new(self.document, self.layout, &self.tree, vectors)
    }

    /// The parts that are labels of GCUTS: those large enough, the largest of them.
    pub fn label_parts(&self, vectors: &NodeVectors) -> Vec<usize> {
        let area = |part: usize| {
            let vector = &vectors.parts[part];
            vector[2].max(0.0) * ((vector[3] * 8.0).exp_m1() / self.layout.height).max(0.0)
        };
        let mut parts: Vec<usize> =
            (0..self.tree.parts.len()).filter(|part| self.tree.parts[*part].leaf_count() > 1).collect();
        parts.sort_by(|one, two| area(*two).total_cmp(&area(*one)).then(one.cmp(two)));
        let large = parts.iter().take_while(|part| area(**part) >= MIN_LABEL_AREA).count().clamp(1, MAX_LABELS);
        parts.truncate(large);
        parts.sort_unstable();
        parts
    }

    /// GCUTS.
    pub fn gcuts(&self, settings: &GcutsSettings<'_>) -> LeafLabels {
        let vectors = self.vectors();
        let (problem, leaf_nodes) = self.cut_problem(settings, &vectors);
        let search = CutSettings {
            lambda: f64::from(settings.lambda),
            with_parents: settings.with_parents,
            max_work: MAX_CUT_WORK,
            ..CutSettings::default()
        };
        let Some(found) = problem.minimize(search) else { return self.one_segment() };
        let labels: Vec<u32> = leaf_nodes.iter().map(|node| found.labels[*node as usize].unwrap_or(0)).collect();
        LeafLabels { labels: self.with_hidden(&labels), is_complete: found.is_complete }
    }

    /// What GCUTS minimizes on this page, and the node of each shown leaf.
    fn cut_problem(&self, settings: &GcutsSettings<'_>, vectors: &NodeVectors) -> (CutProblem, Vec<u32>) {
        let identity = |vector: &NodeVector| *vector;
        let map = |vector: &NodeVector| settings.metric.map_or_else(|| identity(vector), |metric| metric.map(vector));
        let tree = &self.tree;
        // The parts with shown leaves are the inner nodes; every shown leaf is a node of its own below its part.
        let mut parents: Vec<u32> = Vec::new();
        let mut node_of_part = vec![u32::MAX; tree.parts.len()];
        let mut mapped: Vec<NodeVector> = Vec::new();
        let mut leaf_nodes = Vec::with_capacity(self.shown.len());
        let mut next = 0;
        let has_shown = |part: usize| {
            let range = tree.parts[part].leaves();
            let first = self.shown.partition_point(|leaf| (*leaf as usize) < range.start);
            self.shown.get(first).is_some_and(|leaf| (*leaf as usize) < range.end)
        };
        for part in (0..tree.parts.len()).filter(|part| has_shown(*part)) {
            let outer = tree.parts[part].parent().map_or(0, |parent| node_of_part[parent]);
            let is_single = tree.children(part).is_empty();
            if !is_single {
                node_of_part[part] = parents.len() as u32;
                parents.push(outer);
                mapped.push(map(&vectors.parts[part]));
            }
            let own = if is_single { outer } else { node_of_part[part] };
            if self.shown.get(next).is_some_and(|leaf| tree.leaves[*leaf as usize].part as usize == part) {
                leaf_nodes.push(parents.len() as u32);
                parents.push(own);
                mapped.push(map(&vectors.leaves[self.shown[next] as usize]));
                next += 1;
            }
        }
        let shown_before = |leaf: usize| self.shown.partition_point(|shown| (*shown as usize) < leaf);
        let shown_range = |part: usize| {
            let range = tree.parts[part].leaves();
            shown_before(range.start)..shown_before(range.end)
        };
        let mut problem = CutProblem::new(&parents);
        let mut is_leaf = vec![false; parents.len()];
        leaf_nodes.iter().for_each(|node| is_leaf[*node as usize] = true);
        let labels = self.label_parts(vectors);
        // Distances are divided by that of unrelated nodes, so that λ means the same with every metric.
        let scale = self.typical_distance(&mapped);
        let is_small = labels.len() * leaf_nodes.len() <= MAX_COSTS;
        for part in labels {
            let label = map(&vectors.parts[part]);
            let cost = |node: usize| {
                let weight = if is_leaf[node] { 1.0 } else { settings.part_cost };
                f64::from(weight * distance(&mapped[node], &label) / scale)
            };
            let mut around = part;
            for _ in 0..NEAR_STEPS {
                around = tree.parts[around].parent().unwrap_or(around);
            }
            let range = if is_small { 0..leaf_nodes.len() } else { shown_range(around) };
            problem.append_label(leaf_nodes[range].iter().copied(), cost);
        }
        if parents.len() > 1 {
            (1..parents.len()).for_each(|node| problem.set_parent_weight(node, f64::from(settings.parent_weight)));
        }
        let mut node_of_leaf = vec![u32::MAX; tree.leaves.len()];
        self.shown.iter().zip(&leaf_nodes).for_each(|(leaf, node)| node_of_leaf[*leaf as usize] = *node);
        let describer = self.describer(vectors);
        for (one, two) in self.adjacent() {
            let pair = describer.describe(one as usize, two as usize);
            let weight = settings.pairs.map_or_else(|| plain_similarity(&pair), |model| model.score(&pair));
            problem.append_pair(node_of_leaf[one as usize], node_of_leaf[two as usize], f64::from(weight));
        }
        (problem, leaf_nodes)
    }

    /// The mean distance of a sample of nodes.
    fn typical_distance(&self, mapped: &[NodeVector]) -> f32 {
        let (mut sum, mut count) = (0.0, 0.0);
        let step = (mapped.len() / 32).max(1);
        for one in mapped.iter().step_by(step) {
            for two in mapped.iter().step_by(step) {
                sum += distance(one, two);
                count += 1.0;
            }
        }
        let mean = sum / f32::max(count, 1.0);
        if mean > 1e-6 { mean } else { 1.0 }
    }

    /// CCLUS; the mean similarity of plain features attracts if there is no model.
    pub fn cclus(&self, pairs: Option<&PairModel>, lambda: f32) -> LeafLabels {
        let vectors = self.vectors();
        let describer = self.describer(&vectors);
        let attraction = |one: usize, two: usize| {
            let pair = describer.describe(self.shown[one] as usize, self.shown[two] as usize);
            f64::from(pairs.map_or_else(|| plain_similarity(&pair), |model| model.score(&pair)))
        };
        let settings = ClusterSettings {
            lambda: f64::from(lambda),
            max_pairs: MAX_PAIRS,
            max_evaluations: MAX_EVALUATIONS,
            ..ClusterSettings::default()
        };
        let found = cluster_leaves(self.shown.len(), attraction, settings);
        LeafLabels { labels: self.with_hidden(&found.clusters), is_complete: found.is_complete }
    }

    /// The segments of `best`, with their features.
    pub fn best(&self, trees: &CutTrees, table: &PartTable<'_>) -> LeafLabels {
        let shares = self.shares(trees, table);
        LeafLabels { labels: cut_tree(&self.tree, &shares), is_complete: true }
    }

    /// Describes the parts of the page.
    pub fn part_table(&self) -> PartTable<'_> {
        PartTable::new(self.document, self.layout, &self.tree)
    }

    /// For each part the share of pairs of leaves in different children that belong together, by two passes.
    fn shares(&self, trees: &CutTrees, table: &PartTable<'_>) -> Vec<f32> {
        let first = table.score(trees.first.each_ref());
        table.score_second(&trees.second, &self.tree, &first)
    }

    /// Rows of the second pass, given the features of all parts and the outputs of the first pass.
    pub fn second_rows(&self, rows: &[f32], first: &[Vec<f32>; 3]) -> Vec<f32> {
        let mut second = Vec::new();
        PartContext::new(&self.tree, first).append_rows(0, rows, PartTable::column_names().len(), &mut second);
        second
    }

    /// Segments from the labels of leaves, with the role of each.
    pub fn segmentation(&self, found: &LeafLabels, trees: &CutTrees, table: &PartTable<'_>) -> Segmentation {
        let mut split =
            Segmentation::from_leaves(self.document, self.layout, &self.tree.segment_leaves(), &found.labels);
        split.is_complete = found.is_complete;
        let [scores] = table.score([&trees.roles]);
        let roles = SegmentRole::ALL.len();
        // A segment has the role that its leaves have together. A leaf counts by the outermost part around it that is in the segment.
        let mut sums = vec![[0.0_f32; SegmentRole::ALL.len()]; split.segments.len()];
        let mut voter: Vec<usize> = Vec::with_capacity(self.tree.parts.len());
        for (at, part) in self.tree.parts.iter().enumerate() {
            let outer = part.parent().map(|parent| voter[parent]);
            let is_inside = |outer: &usize| split.segment_of(self.tree.parts[*outer].top).is_some();
            voter.push(outer.filter(is_inside).unwrap_or(at));
        }
        for (leaf, content) in self.tree.leaves.iter().zip(&table.content) {
            let Some(segment) = split.leaf_segment(leaf.node) else { continue };
            split.segments[segment].content_characters += content * leaf.characters as f32;
            let row = &scores[voter[leaf.part as usize] * roles..][..roles];
            sums[segment].iter_mut().zip(row).for_each(|(sum, score)| *sum += score);
        }
        for (segment, sums) in split.segments.iter_mut().zip(&sums) {
            let best = (0..roles).max_by(|one, two| sums[*one].total_cmp(&sums[*two]).then(two.cmp(one)));
            let declared = segment.nodes.iter().map(|id| declared_role(self.document, *id));
            let declared = declared.reduce(|one, two| if one == two { one } else { None }).flatten();
            let scored = best.map_or(SegmentRole::default(), |best| SegmentRole::ALL[best]);
            segment.role = declared.unwrap_or(scored);
        }
        split
    }

    fn one_segment(&self) -> LeafLabels {
        LeafLabels { labels: vec![0; self.tree.leaves.len()], is_complete: true }
    }

    /// Labels for all leaves from those of the shown leaves: a hidden leaf belongs to the nearest shown one in the innermost part
    /// around it that has any.
    fn with_hidden(&self, labels: &[u32]) -> Vec<u32> {
        let of = |leaf: usize| {
            let mut part = self.tree.leaves[leaf].part as usize;
            loop {
                let range = self.tree.parts[part].leaves();
                let from = self.shown.partition_point(|shown| (*shown as usize) < range.start);
                let to = self.shown.partition_point(|shown| (*shown as usize) < range.end);
                if from < to {
                    let after = self.shown.partition_point(|shown| (*shown as usize) < leaf).clamp(from, to - 1);
                    let before = after.saturating_sub(1).max(from);
                    let distance = |at: usize| (self.shown[at] as usize).abs_diff(leaf);
                    return labels[if distance(before) < distance(after) { before } else { after }];
                }
                match self.tree.parts[part].parent() {
                    Some(parent) => part = parent,
                    None => return 0,
                }
            }
        };
        (0..self.tree.leaves.len()).map(of).collect()
    }
}

/// Pairs of CCLUS: the objective is exact up to the first number, and trials look at most at the second.
const MAX_PAIRS: usize = 200_000;
const MAX_EVALUATIONS: usize = 600_000;
/// Steps of GCUTS.
const MAX_CUT_WORK: u64 = 50_000_000;

/// The similarity of two leaves without learning: one minus the mean of their differences.
fn plain_similarity(pair: &PairVector) -> f32 {
    1.0 - pair.iter().sum::<f32>() / pair.len() as f32
}
