//! Fits the trees of `best`: which parts belong together, in two passes, and the roles.

use crate::data::marked_pages::MarkedPage;
use crate::learners::bins::Bins;
use crate::learners::boost::{BoostOptions, Loss, fit_boosted};
use crate::learners::tree_growth::TreeLimits;
use dehusk::SegmentRole;
use dehusk::dom::random::SplitMix64;
use dehusk::layout::Layout;
use dehusk::model::{TreeScratch, Trees};
use dehusk_papers::segment::{CutTrees, PartTable, SegmentPage};
use rayon::prelude::*;

/// Folds of pages: the first pass of each is scored by trees that were fitted on the others.
const INNER_FOLDS: usize = 4;
/// Outputs of the first pass.
const OUTPUTS: usize = 3;

/// One view of a page: its parts with their features, and what is true of them.
struct View<'a> {
    page: usize,
    split: SegmentPage<'a>,
    /// The features of its parts, row by row.
    rows: Vec<f32>,
    /// For each part and output the truth, and how much it counts.
    targets: [Vec<(f32, f32)>; OUTPUTS],
    /// For each part the role of its leaves, if they have the same.
    roles: Vec<Option<SegmentRole>>,
}

/// Fits the trees on all views of the pages: with measured and with estimated boxes, so that one model serves both.
pub(crate) fn fit_cut_trees(pages: &[&MarkedPage], seed: u64) -> CutTrees {
    let numbered: Vec<(usize, &Layout)> = pages
        .iter()
        .enumerate()
        .flat_map(|(number, page)| page.real.iter().chain([&page.estimated]).map(move |layout| (number, layout)))
        .collect();
    let views: Vec<View<'_>> =
        numbered.par_iter().map(|(number, layout)| view(*number, pages[*number], layout)).collect();
    let mut order: Vec<usize> = (0..pages.len()).collect();
    SplitMix64::new(seed).shuffle(&mut order);
    let mut fold = vec![0; pages.len()];
    order.iter().enumerate().for_each(|(place, page)| fold[*page] = place % INNER_FOLDS);
    let fit_without = |left_out: Option<usize>| -> [Trees; OUTPUTS] {
        let seen: Vec<&View<'_>> = views.iter().filter(|view| Some(fold[view.page]) != left_out).collect();
        [0, 1, 2].map(|output| fit_first(&seen, output, seed))
    };
    let sets: Vec<[Trees; OUTPUTS]> = (0..INNER_FOLDS).map(|left_out| fit_without(Some(left_out))).collect();
    let second_rows: Vec<Vec<f32>> = views.par_iter().map(|view| view.second_rows(&sets[fold[view.page]])).collect();
    let second = fit_second(&views, &second_rows, seed);
    let roles = fit_roles(&views, seed);
    CutTrees { first: fit_without(None), second, roles }
}

fn view<'a>(number: usize, page: &'a MarkedPage, layout: &'a Layout) -> View<'a> {
    let split = SegmentPage::new(&page.document, layout);
    let rows = split.part_table().rows();
    let tree = &split.tree;
    let count = tree.parts.len();
    // Leaves that are shown and marked, by part: how many of each segment, sorted by segment.
    let mut inside: Vec<Vec<(u32, f64)>> = vec![Vec::new(); count];
    let mut roles: Vec<Option<Option<SegmentRole>>> = vec![None; count];
    for leaf in &tree.leaves {
        let segment = page.segments[leaf.node.index()];
        if let Some(segment) = segment.filter(|_| leaf.is_shown) {
            inside[leaf.part as usize].push((segment.0, 1.0));
            let role = page.roles[leaf.node.index()];
            roles[leaf.part as usize] = Some(role);
        }
    }
    let (mut pairs, mut same) = (vec![0.0_f64; count], vec![0.0_f64; count]);
    for at in (0..count).rev() {
        let own = std::mem::take(&mut inside[at]);
        if let Some(parent) = tree.parts[at].parent() {
            let outer = &mut inside[parent];
            let total = |counts: &[(u32, f64)]| counts.iter().map(|(_, count)| count).sum::<f64>();
            pairs[parent] += total(outer) * total(&own);
            for (segment, count) in &own {
                match outer.binary_search_by_key(segment, |entry| entry.0) {
                    Ok(place) => {
                        same[parent] += outer[place].1 * count;
                        outer[place].1 += count;
                    }
                    Err(place) => outer.insert(place, (*segment, *count)),
                }
            }
            let (one, two) = (roles[parent], roles[at]);
            roles[parent] = match (one, two) {
                (None, other) | (other, None) => other,
                (Some(one), Some(two)) => Some(if one == two { one } else { None }),
            };
        }
        inside[at] = own;
    }
    let all_pairs: f64 = pairs.iter().sum::<f64>().max(1.0);
    let has_mark = |part: usize| tree.chain(&page.document, part).any(|id| page.marks[id.index()].is_some());
    let together = (0..count).map(|part| {
        let share = if pairs[part] > 0.0 { same[part] / pairs[part] } else { 0.0 };
        // The pairs of a part count, but not so much that the outermost parts are all that matters.
        (share as f32, (pairs[part] / all_pairs).powf(0.25) as f32)
    });
    let uniform =
        (0..count).map(|part| (f32::from(u8::from(inside[part].len() <= 1)), f32::from(u8::from(pairs[part] > 0.0))));
    let marked = (0..count).map(|part| (f32::from(u8::from(has_mark(part))), 1.0));
    let targets = [together.collect(), uniform.collect(), marked.collect()];
    View { page: number, targets, roles: roles.into_iter().map(Option::flatten).collect(), rows, split }
}

impl View<'_> {
    fn second_rows(&self, first: &[Trees; OUTPUTS]) -> Vec<f32> {
        let mut scratch = TreeScratch::default();
        let scores = first.each_ref().map(|trees| {
            let mut scores = Vec::new();
            trees.score_into(&self.rows, &mut scratch, &mut scores);
            scores
        });
        self.split.second_rows(&self.rows, &scores)
    }
}

fn options(rounds: usize, seed: u64) -> BoostOptions {
    let limits = TreeLimits { leaves: 8, depth: 7, min_rows: 20, l2: 5.0, ..TreeLimits::default() };
    BoostOptions { loss: Loss::Logistic, rounds, rate: 0.05, limits, rows: 0.7, features: 0.3, seed }
}

fn fit_first(views: &[&View<'_>], output: usize, seed: u64) -> Trees {
    let width = PartTable::column_names().len();
    let mut rows = Rows::default();
    for view in views {
        rows.append(&view.rows, width, &view.targets[output]);
    }
    rows.fit(width, options(200, seed))
}

fn fit_second(views: &[View<'_>], second_rows: &[Vec<f32>], seed: u64) -> Trees {
    let width = views.iter().zip(second_rows).map(|(view, rows)| rows.len() / view.roles.len().max(1)).max();
    let width = width.unwrap_or(1).max(1);
    let mut rows = Rows::default();
    for (view, second) in views.iter().zip(second_rows) {
        rows.append(second, width, &view.targets[0]);
    }
    rows.fit(width, options(120, seed))
}

fn fit_roles(views: &[View<'_>], seed: u64) -> Trees {
    let width = PartTable::column_names().len();
    let mut rows = Rows::default();
    for view in views {
        let leaves = |part: usize| view.split.tree.parts[part].leaf_count() as f32;
        let target = |(part, role): (usize, &Option<SegmentRole>)| match role {
            Some(role) => {
                let number = SegmentRole::ALL.iter().position(|other| other == role).unwrap_or(0);
                (number as f32, leaves(part).sqrt() / leaves(0).sqrt())
            }
            None => (0.0, 0.0),
        };
        let targets: Vec<(f32, f32)> = view.roles.iter().enumerate().map(target).collect();
        rows.append(&view.rows, width, &targets);
    }
    rows.lift_rare_classes(SegmentRole::ALL.len());
    let loss = Loss::Softmax { classes: SegmentRole::ALL.len() };
    rows.fit(width, BoostOptions { loss, rate: 0.1, ..options(120, seed) })
}

/// Rows with labels and weights.
#[derive(Default)]
struct Rows {
    rows: Vec<f32>,
    labels: Vec<f32>,
    weights: Vec<f32>,
}

impl Rows {
    /// Appends the rows that count.
    fn append(&mut self, rows: &[f32], width: usize, targets: &[(f32, f32)]) {
        for (row, (label, weight)) in rows.chunks(width).zip(targets) {
            if *weight > 0.0 {
                self.rows.extend_from_slice(row);
                self.labels.push(*label);
                self.weights.push(*weight);
            }
        }
    }

    /// Gives rare classes more weight: four times rarer counts twice.
    fn lift_rare_classes(&mut self, classes: usize) {
        let mut totals = vec![0.0_f32; classes];
        for (label, weight) in self.labels.iter().zip(&self.weights) {
            totals[*label as usize] += weight;
        }
        for (label, weight) in self.labels.iter().zip(&mut self.weights) {
            *weight /= totals[*label as usize].sqrt();
        }
    }

    fn fit(mut self, width: usize, options: BoostOptions) -> Trees {
        let mean = self.weights.iter().sum::<f32>() / self.weights.len().max(1) as f32;
        self.weights.iter_mut().for_each(|weight| *weight /= mean.max(1e-9));
        fit_boosted(&Bins::new(&self.rows, width, 127), &self.labels, &self.weights, options)
    }
}
