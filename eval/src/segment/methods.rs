//! All methods on pages that they were not trained on.

use super::baselines;
use super::measures::Agreement;
use crate::Stop;
use crate::plot::{Axis, Line, plot};
use crate::report::{Results, table};
use dehusk::methods::segment::{CutTrees, LeafLabels, SegmentPage};
use dehusk::{SegmentMethod, Segmenter};
use dehusk_train::{Boxes, LAMBDAS, MarkedPage, PaperCosts, Variant, fit_best, shuffled};
use rayon::prelude::*;
use std::fmt::Write as _;

const BOXES: [Boxes; 2] = [Boxes::Real, Boxes::Estimated];

/// The results of all methods, in the order they were measured.
#[derive(Default)]
pub(super) struct Table {
    rows: Vec<(String, [Vec<Agreement>; 2])>,
    notes: String,
}

impl Table {
    fn add(&mut self, name: &str, boxes: Boxes, agreements: Vec<Agreement>) {
        let side = usize::from(boxes == Boxes::Estimated);
        match self.rows.iter_mut().find(|row| row.0 == name) {
            Some(row) => row.1[side].extend(agreements),
            None => {
                let mut sides = [Vec::new(), Vec::new()];
                sides[side] = agreements;
                self.rows.push((name.to_string(), sides));
            }
        }
    }

    pub(super) fn report(&self) -> String {
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|(name, sides)| {
                let mut row = vec![name.clone()];
                sides.iter().for_each(|side| row.extend(Agreement::mean(side).cells()));
                row
            })
            .collect();
        let head = ["method", "Rand", "NMI", "B³ leaf", "B³ char", "est. Rand", "NMI", "B³ leaf", "B³ char"];
        format!("## Agreement with the marks\n\n{}\n{}\n", table(&head, &rows), self.notes)
    }

    /// The share of pages with at least an adjusted Rand index, by method.
    pub(super) fn distribution(&self) -> String {
        let shown = ["best", "GCUTS", "CCLUS", "sections", "fixed depth 3"];
        let chosen = self.rows.iter().filter(|row| shown.contains(&row.0.as_str()));
        let line = |(name, sides): &(String, [Vec<Agreement>; 2])| {
            let mut values: Vec<f64> = sides[0].iter().map(|one| one.rand).collect();
            values.sort_by(|one, two| two.total_cmp(one));
            let count = values.len() as f64;
            let point = |(at, value): (usize, &f64)| ((at as f64 + 1.0) / count, value.max(0.0));
            Line { name: name.clone(), points: values.iter().enumerate().map(point).collect() }
        };
        let lines: Vec<Line> = chosen.map(line).collect();
        let x = Axis { name: "share of pages with at least this agreement", from: 0.0, to: 1.0 };
        let y = Axis { name: "adjusted Rand index", from: 0.0, to: 1.0 };
        plot("Agreement with the marks, page by page (real boxes)", &x, &y, &lines)
    }
}

/// Agreement of labels with the marks, over shown and marked leaves.
fn agreement(split: &SegmentPage<'_>, truth: &[(usize, u32)], labels: &[u32]) -> Agreement {
    let marks: Vec<u32> = truth.iter().map(|(_, segment)| *segment).collect();
    let found: Vec<u32> = truth.iter().map(|(leaf, _)| labels[*leaf]).collect();
    let characters: Vec<f64> = truth.iter().map(|(leaf, _)| f64::from(split.tree.leaves[*leaf].characters)).collect();
    Agreement::new(&marks, &found, &characters)
}

fn measure(
    pages: &[&MarkedPage],
    boxes: Boxes,
    split_page: impl Fn(&MarkedPage, &SegmentPage<'_>) -> LeafLabels + Sync,
) -> Vec<Agreement> {
    pages
        .par_iter()
        .map(|page| {
            // The leaves that count are those a browser shows, whatever boxes the method sees.
            let real = SegmentPage::new(&page.document, page.layout(Boxes::Real));
            let truth = page.marked_leaves(&real);
            let split = SegmentPage::new(&page.document, page.layout(boxes));
            agreement(&split, &truth, &split_page(page, &split).labels)
        })
        .collect()
}

/// The paper's methods with a split of 25:25:50 by page, and the rules that need no training on all pages.
pub(super) fn paper(
    pages: &[MarkedPage],
    splits: u64,
    rows: &mut Table,
    results: Option<&Results>,
) -> Result<(), Stop> {
    let all: Vec<&MarkedPage> = pages.iter().collect();
    let names = ["GCUTS", "GCUTS without parents", "GCUTS without learning", "CCLUS", "CCLUS without learning"];
    for boxes in BOXES {
        let mut sweeps = vec![vec![0.0; LAMBDAS.len()]; names.len()];
        let mut chosen = vec![Vec::new(); names.len()];
        for seed in 0..splits {
            let order = shuffled(pages.len(), seed);
            let quarter = pages.len() / 4;
            let part = |from: usize, to: usize| order[from..to].iter().map(|at| &pages[*at]).collect::<Vec<_>>();
            let (fit, validate, test) = (part(0, quarter), part(quarter, 2 * quarter), part(2 * quarter, pages.len()));
            let costs = PaperCosts::fit(&fit, boxes, seed);
            for (number, variant) in Variant::ALL.into_iter().enumerate() {
                let scores = costs.sweep(&validate, boxes, variant);
                let best =
                    (0..LAMBDAS.len()).max_by(|one, two| scores[*one].total_cmp(&scores[*two]).then(two.cmp(one)));
                let lambda = LAMBDAS[best.unwrap_or(0)];
                chosen[number].push(lambda.to_string());
                sweeps[number].iter_mut().zip(&scores).for_each(|(sum, score)| *sum += score / splits as f64);
                let found = measure(&test, boxes, |_, split| costs.split(split, variant, lambda));
                rows.add(names[number], boxes, found);
            }
        }
        for (name, lambdas) in names.iter().zip(&chosen) {
            let _ = writeln!(rows.notes, "- {name}, {boxes:?} boxes: λ of the splits {}", lambdas.join(", "));
        }
        if let Some(results) = results {
            let points =
                |scores: &Vec<f64>| LAMBDAS.iter().zip(scores).map(|(x, y)| (f64::from(*x).log10(), *y)).collect();
            let lines: Vec<Line> = names
                .iter()
                .zip(&sweeps)
                .map(|(name, scores)| Line { name: name.to_string(), points: points(scores) })
                .collect();
            let x = Axis { name: "log10 of λ", from: -1.5, to: 1.0 };
            let y = Axis { name: "adjusted Rand index on validation pages", from: 0.0, to: 0.7 };
            let name = if boxes == Boxes::Real { "segment-lambda.svg" } else { "segment-lambda-estimated.svg" };
            results.publish_file(name, &plot(&format!("λ ({boxes:?} boxes)"), &x, &y, &lines))?;
        }
        let sections = Segmenter::new(SegmentMethod::Sections);
        rows.add(
            "sections",
            boxes,
            measure(&all, boxes, |page, split| {
                let found = sections.segment_document(&page.document, page.layout(boxes), None);
                let label = |leaf: &dehusk::methods::segment::Leaf| found.leaf_segment(leaf.node).unwrap_or(0) as u32;
                LeafLabels { labels: split.tree.leaves.iter().map(label).collect(), is_complete: true }
            }),
        );
        let plain = |labels: Vec<u32>| LeafLabels { labels, is_complete: true };
        rows.add(
            "landmarks and top-level blocks",
            boxes,
            measure(&all, boxes, |page, split| plain(baselines::landmarks(&page.document, &split.tree))),
        );
        for depth in 1..=5 {
            let name = format!("fixed depth {depth}");
            rows.add(&name, boxes, measure(&all, boxes, |_, split| plain(baselines::depth(&split.tree, depth))));
        }
        rows.add("one segment", boxes, measure(&all, boxes, |_, split| plain(vec![0; split.tree.leaves.len()])));
        rows.add(
            "each leaf alone",
            boxes,
            measure(&all, boxes, |_, split| plain((0..split.tree.leaves.len() as u32).collect())),
        );
    }
    Ok(())
}

/// `best` on the test halves of the same splits, and on folds of all pages. Returns the trees of the folds and the fold of each page.
pub(super) fn best(pages: &[MarkedPage], splits: u64, folds: usize, rows: &mut Table) -> Folds {
    for seed in 0..splits {
        let order = shuffled(pages.len(), seed);
        let half = 2 * (pages.len() / 4);
        let fit: Vec<&MarkedPage> = order[..half].iter().map(|at| &pages[*at]).collect();
        let test: Vec<&MarkedPage> = order[half..].iter().map(|at| &pages[*at]).collect();
        let trees = fit_best(&fit, seed);
        for boxes in BOXES {
            rows.add(
                "best, trained on half of the pages",
                boxes,
                measure(&test, boxes, |_, split| split.best(&trees, &split.part_table())),
            );
        }
    }
    let folds = Folds::fit(pages, folds);
    for boxes in BOXES {
        let all: Vec<&MarkedPage> = pages.iter().collect();
        rows.add(
            "best",
            boxes,
            measure(&all, boxes, |page, split| split.best(folds.trees(pages, page), &split.part_table())),
        );
    }
    folds
}

/// Trees of `best` that have not seen a part of the pages.
pub(super) struct Folds {
    fold: Vec<usize>,
    trees: Vec<CutTrees>,
}

impl Folds {
    fn fit(pages: &[MarkedPage], folds: usize) -> Folds {
        let mut fold = vec![0; pages.len()];
        shuffled(pages.len(), 0).iter().enumerate().for_each(|(place, page)| fold[*page] = place % folds);
        let fit = |left_out: usize| {
            let seen: Vec<&MarkedPage> =
                pages.iter().zip(&fold).filter(|(_, own)| **own != left_out).map(|(page, _)| page).collect();
            fit_best(&seen, 0)
        };
        let trees = (0..folds).map(fit).collect();
        Folds { fold, trees }
    }

    /// The trees that have not seen a page.
    pub(super) fn trees(&self, pages: &[MarkedPage], page: &MarkedPage) -> &CutTrees {
        let number = pages.iter().position(|other| std::ptr::eq(other, page)).unwrap_or(0);
        &self.trees[self.fold[number]]
    }
}
