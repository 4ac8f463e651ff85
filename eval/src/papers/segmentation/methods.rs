//! All methods on pages that they were not trained on.

use super::baselines;
use super::measures::Agreement;
use crate::Stop;
use crate::shared::plot::{Axis, Line, plot};
use crate::shared::report::{Results, table};
use dehusk_papers::segment::{CutTrees, LeafLabels, SegmentPage};
use dehusk_papers::segment::{ModelSegmenter, SegmentMethod};
use dehusk_train::{Boxes, LAMBDAS, MarkedLeaf, MarkedPage, PaperCosts, Variant, fit_best, shuffled};
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
fn agreement(split: &SegmentPage<'_>, truth: &[MarkedLeaf], labels: &[u32]) -> Agreement {
    let marks: Vec<u32> = truth.iter().map(|marked| marked.segment).collect();
    let found: Vec<u32> = truth.iter().map(|marked| labels[marked.leaf]).collect();
    let characters = |marked: &MarkedLeaf| f64::from(split.tree.leaves[marked.leaf].characters);
    let characters: Vec<f64> = truth.iter().map(characters).collect();
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

/// A variant of the paper's methods on random splits of the pages.
pub(crate) struct VariantRun {
    pub(crate) name: &'static str,
    pub(crate) splits: Vec<SplitRun>,
}

/// A variant on one split.
pub(crate) struct SplitRun {
    /// Chosen on the validation pages.
    pub(crate) lambda: f32,
    /// The mean adjusted Rand index on the validation pages, for each of [`LAMBDAS`].
    validation: Vec<f64>,
    /// The test pages, with the chosen λ.
    pub(crate) test: Vec<Agreement>,
    /// The mean over the test pages for each of [`LAMBDAS`]; empty if the variant is not swept.
    pub(crate) by_lambda: Vec<Agreement>,
}

/// Runs the paper's methods with a split of 25:25:50 by page: to fit costs, to choose λ, to test. The variants in `swept` are tested with every
/// λ.
pub(crate) fn run_variants(pages: &[MarkedPage], splits: u64, boxes: Boxes, swept: &[Variant]) -> Vec<VariantRun> {
    let names = ["GCUTS", "GCUTS without parents", "GCUTS without learning", "CCLUS", "CCLUS without learning"];
    let mut runs: Vec<VariantRun> = names.map(|name| VariantRun { name, splits: Vec::new() }).into();
    for seed in 0..splits {
        let order = shuffled(pages.len(), seed);
        let quarter = pages.len() / 4;
        let part = |from: usize, to: usize| order[from..to].iter().map(|at| &pages[*at]).collect::<Vec<_>>();
        let (fit, validate, test) = (part(0, quarter), part(quarter, 2 * quarter), part(2 * quarter, pages.len()));
        let costs = PaperCosts::fit(&fit, boxes, seed);
        for (run, variant) in runs.iter_mut().zip(Variant::ALL) {
            let validation = costs.sweep(&validate, boxes, variant);
            let best = (0..LAMBDAS.len())
                .max_by(|one, two| validation[*one].total_cmp(&validation[*two]).then(two.cmp(one)))
                .unwrap_or(0);
            let measure_with = |lambda: f32| measure(&test, boxes, |_, split| costs.split(split, variant, lambda));
            let (test, by_lambda) = match swept.contains(&variant) {
                false => (measure_with(LAMBDAS[best]), Vec::new()),
                true => {
                    let mut swept: Vec<Vec<Agreement>> = LAMBDAS.iter().map(|lambda| measure_with(*lambda)).collect();
                    let means = swept.iter().map(|pages| Agreement::mean(pages)).collect();
                    (swept.swap_remove(best), means)
                }
            };
            run.splits.push(SplitRun { lambda: LAMBDAS[best], validation, test, by_lambda });
        }
    }
    runs
}

/// The paper's methods with a split of 25:25:50 by page, and the rules that need no training on all pages.
pub(super) fn paper(
    pages: &[MarkedPage],
    splits: u64,
    rows: &mut Table,
    results: Option<&Results>,
) -> Result<(), Stop> {
    let all: Vec<&MarkedPage> = pages.iter().collect();
    for boxes in BOXES {
        let runs = run_variants(pages, splits, boxes, &[]);
        for run in &runs {
            run.splits.iter().for_each(|split| rows.add(run.name, boxes, split.test.clone()));
            let lambdas: Vec<String> = run.splits.iter().map(|split| split.lambda.to_string()).collect();
            let _ = writeln!(rows.notes, "- {}, {boxes:?} boxes: λ of the splits {}", run.name, lambdas.join(", "));
        }
        if let Some(results) = results {
            let mean = |run: &VariantRun, at: usize| {
                run.splits.iter().map(|split| split.validation[at]).sum::<f64>() / run.splits.len().max(1) as f64
            };
            let points = |run: &VariantRun| {
                LAMBDAS.iter().enumerate().map(|(at, x)| (f64::from(*x).log10(), mean(run, at))).collect()
            };
            let lines: Vec<Line> =
                runs.iter().map(|run| Line { name: run.name.to_string(), points: points(run) }).collect();
            let x = Axis { name: "log10 of λ", from: -1.5, to: 1.0 };
            let y = Axis { name: "adjusted Rand index on validation pages", from: 0.0, to: 0.7 };
            let name =
                if boxes == Boxes::Real { "segmentation-lambda.svg" } else { "segmentation-lambda-estimated.svg" };
            results.publish_file(name, &plot(&format!("λ ({boxes:?} boxes)"), &x, &y, &lines))?;
        }
        let sections = ModelSegmenter::new(SegmentMethod::Sections);
        rows.add(
            "sections",
            boxes,
            measure(&all, boxes, |page, split| {
                let found = sections.segment_document(&page.document, page.layout(boxes), None);
                let label = |leaf: &dehusk_papers::segment::Leaf| found.leaf_segment(leaf.node).unwrap_or(0) as u32;
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
