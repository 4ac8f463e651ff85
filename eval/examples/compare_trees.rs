//! Fits our forest and boosted trees on a table dumped by `eval papers --only block --dump TABLE`, to compare them with other libraries on the same
//! rows: `cargo run --release -p dehusk-eval --example compare_trees -- TABLE FOLDS`.

#![allow(clippy::print_stdout, clippy::expect_used)]

use dehusk::model::{TreeScratch, Trees};
use dehusk_train::{Bins, BoostOptions, Curve, ForestOptions, TreeLimits, fit_boosted, fit_forest};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("the table");
    let folds: usize = arguments.next().map_or(1, |folds| folds.parse().expect("a number of folds"));
    let bytes = std::fs::read(path).expect("a readable table");
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize;
    let (rows, columns) = (number(0), number(8));
    let values: Vec<f32> =
        bytes[16..].chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four bytes"))).collect();
    for fold in 0..folds {
        let select = |wanted: &dyn Fn(&[f32]) -> bool| {
            let (mut features, mut labels) = (Vec::new(), Vec::new());
            for row in values.chunks(columns).take(rows).filter(|row| wanted(row)) {
                labels.push(row[0]);
                features.extend(&row[4..]);
            }
            (features, labels)
        };
        let train = select(&|row| row[1] as usize != fold && row[2] > 0.5);
        let test = select(&|row| row[1] as usize == fold);
        let weights = vec![1.0; train.1.len()];
        let started = Instant::now();
        let bins = Bins::new(&train.0, columns - 4, 255);
        let limits = TreeLimits { leaves: 31, depth: 64, min_rows: 20, l2: 0.0, ..TreeLimits::default() };
        let options = BoostOptions { rounds: 100, rate: 0.1, limits, ..BoostOptions::default() };
        let boosted = fit_boosted(&bins, &train.1, &weights, options);
        show("boosted", fold, &boosted, &test, started);
        let started = Instant::now();
        let options = ForestOptions { trees: 50, ..ForestOptions::default() };
        let forest = fit_forest(&bins, &train.1, &weights, options);
        show("forest", fold, &forest, &test, started);
    }
}

fn show(name: &str, fold: usize, model: &Trees, test: &(Vec<f32>, Vec<f32>), started: Instant) {
    let fitted = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let mut scores = Vec::new();
    model.score_into(&test.0, &mut TreeScratch::default(), &mut scores);
    let micros = started.elapsed().as_secs_f64() * 1e6 / test.1.len().max(1) as f64;
    let curve = Curve::of(&scores, &test.1, &vec![1.0; test.1.len()]);
    let loss: f64 = scores.iter().zip(&test.1).map(|(score, label)| log_loss(*score, *label)).sum();
    println!(
        "{name} fold {fold}: roc {:.5} average precision {:.5} log loss {:.5}, {} nodes, fitted in {fitted:.1} s, {micros:.3} µs per row",
        curve.roc_area(),
        curve.average_precision(),
        loss / test.1.len() as f64,
        model.nodes()
    );
}

fn log_loss(score: f32, label: f32) -> f64 {
    let score = f64::from(score).clamp(1e-6, 1.0 - 1e-6);
    -(f64::from(label) * score.ln() + (1.0 - f64::from(label)) * (1.0 - score).ln())
}
