//! Time of tree isotonic regression by the number of nodes.

use crate::Stop;
use crate::shared::report::{Results, median, table};
use dehusk::dom::random::SplitMix64;
use dehusk_papers::pagelevel::{ScoredTree, smooth_exact, smooth_quantized};
use std::time::Instant;

const SIZES: [usize; 4] = [1_000, 5_000, 20_000, 100_000];
/// Exact regression takes quadratic time.
const MOST_EXACT: usize = 5_000;
const REPEATS: usize = 7;

struct Tree {
    parents: Vec<u32>,
    scores: Vec<f32>,
    weights: Vec<f32>,
    penalties: Vec<f32>,
}

/// A tree like that of a page: nodes hang below the last one or below one of its ancestors, no deeper than browsers allow.
fn tree(nodes: usize) -> Tree {
    let mut random = SplitMix64::new(7);
    let (mut parents, mut depths): (Vec<u32>, Vec<u32>) = (vec![0], vec![0]);
    for node in 1..nodes {
        let mut parent = node - 1;
        while parent > 0 && (random.below(2) == 0 || depths[parent] > 500) {
            parent = parents[parent] as usize;
        }
        parents.push(parent as u32);
        depths.push(depths[parent] + 1);
    }
    let mut column = |scale: f64, least: f64| (0..nodes).map(|_| (least + scale * random.unit()) as f32).collect();
    Tree { parents, scores: column(1.0, 0.0), weights: column(3.0, 1.0), penalties: column(1.0, 0.01) }
}

fn milliseconds(work: impl Fn() -> Vec<f32>) -> f64 {
    let times = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(work());
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    median(times)
}

pub(crate) fn run(results: &Results) -> Result<(), Stop> {
    let mut rows = Vec::new();
    for nodes in SIZES {
        let own = tree(nodes);
        let tree =
            ScoredTree { parents: &own.parents, scores: &own.scores, weights: &own.weights, penalties: &own.penalties };
        let quantized = milliseconds(|| smooth_quantized(tree));
        let exact = (nodes <= MOST_EXACT).then(|| milliseconds(|| smooth_exact(tree)));
        rows.push(vec![
            nodes.to_string(),
            format!("{quantized:.2}"),
            format!("{:.0}", quantized * 1e6 / nodes as f64),
            exact.map_or("-".to_string(), |exact| format!("{exact:.1}")),
        ]);
    }
    let head = ["nodes", "quantized, ms", "ns per node", "exact, ms"];
    let body = table(&head, &rows)
        + "\nMedian of seven runs, one thread. Trees and scores are random, so all 256 levels are in use, which is the worst case; real \
           pages have fewer scored nodes and fewer levels.\n";
    results.publish("isotonic", "Tree isotonic regression", "none: random trees", &body)
}
