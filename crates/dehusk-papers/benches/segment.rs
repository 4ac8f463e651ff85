//! The time of segmentation's optimizers on made-up problems: `cargo bench -p dehusk --bench segment`.

#[path = "../../dehusk/tests/support/random.rs"]
mod random;

use dehusk_papers::segment::{ClusterSettings, CutProblem, CutSettings, MaxFlow, UNCUTTABLE, cluster_leaves};
use divan::{Bencher, black_box};
use random::Random;
use std::collections::VecDeque;

fn main() {
    divan::main();
}

/// A graph as an expansion builds it: capacities from the source and to the sink by node, and edges.
struct Graph {
    terminals: Vec<(i64, i64)>,
    edges: Vec<(usize, usize, i64, i64)>,
}

/// 1,400 leaves on a grid with seven neighbours each, below 300 interior nodes of two graph nodes each: 2,000 nodes, 13,000 edges.
fn expansion_graph(seed: u64) -> Graph {
    let (leaves, width, interior) = (1_400, 40, 300);
    let mut random = Random(seed);
    let mut cost = |below: usize| random.below(below) as i64;
    let mut graph = Graph { terminals: Vec::new(), edges: Vec::new() };
    graph.terminals.extend((0..leaves).map(|_| (cost(1 << 20), cost(1 << 20))));
    for leaf in 0..leaves {
        for step in [1, 2, width - 1, width, width + 1, 2 * width, 2 * width + 1] {
            if leaf + step < leaves {
                let weight = cost(1 << 18);
                let backward = if cost(2) == 0 { 0 } else { weight };
                graph.edges.push((leaf, leaf + step, weight, backward));
            }
        }
    }
    for node in 0..interior {
        let (keep, take) = (leaves + 2 * node, leaves + 2 * node + 1);
        graph.terminals.extend([(cost(1 << 20), 0), (0, cost(1 << 20))]);
        if node > 0 {
            let parent = leaves + 2 * ((node - 1) / 4);
            graph.edges.extend([(parent, keep, UNCUTTABLE, 0), (take, parent + 1, UNCUTTABLE, 0)]);
        }
    }
    for leaf in 0..leaves {
        let parent = leaves + 2 * (interior / 4 + leaf * (interior - interior / 4) / leaves);
        graph.edges.extend([(parent, leaf, UNCUTTABLE, 0), (leaf, parent + 1, UNCUTTABLE, 0)]);
    }
    graph
}

fn boykov_kolmogorov(graph: &Graph, flow: &mut MaxFlow) -> i64 {
    flow.clear(graph.terminals.len());
    for (node, (from_source, to_sink)) in graph.terminals.iter().enumerate() {
        flow.add_terminal(node, *from_source, *to_sink);
    }
    for (one, two, forward, backward) in &graph.edges {
        flow.add_edge(*one, *two, *forward, *backward);
    }
    flow.run(u64::MAX).unwrap()
}

/// The textbook's algorithm of Dinic, for comparison.
#[derive(Default)]
struct Dinic {
    arcs: Vec<Vec<usize>>,
    heads: Vec<usize>,
    left: Vec<i64>,
}

impl Dinic {
    fn of(graph: &Graph) -> Dinic {
        let nodes = graph.terminals.len();
        let mut dinic = Dinic { arcs: vec![Vec::new(); nodes + 2], ..Dinic::default() };
        for (node, (from_source, to_sink)) in graph.terminals.iter().enumerate() {
            dinic.add(nodes, node, *from_source, 0);
            dinic.add(node, nodes + 1, *to_sink, 0);
        }
        graph.edges.iter().for_each(|(one, two, forward, backward)| dinic.add(*one, *two, *forward, *backward));
        dinic
    }

    fn add(&mut self, one: usize, two: usize, forward: i64, backward: i64) {
        self.arcs[one].push(self.heads.len());
        self.arcs[two].push(self.heads.len() + 1);
        self.heads.extend([two, one]);
        self.left.extend([forward, backward]);
    }

    fn run(&mut self) -> i64 {
        let (source, sink) = (self.arcs.len() - 2, self.arcs.len() - 1);
        let mut flow = 0;
        loop {
            let mut level = vec![u32::MAX; self.arcs.len()];
            level[source] = 0;
            let mut queue = VecDeque::from([source]);
            while let Some(at) = queue.pop_front() {
                for arc in &self.arcs[at] {
                    let head = self.heads[*arc];
                    if self.left[*arc] > 0 && level[head] == u32::MAX {
                        level[head] = level[at] + 1;
                        queue.push_back(head);
                    }
                }
            }
            if level[sink] == u32::MAX {
                return flow;
            }
            let mut next = vec![0; self.arcs.len()];
            let mut path: Vec<usize> = Vec::new();
            loop {
                let at = path.last().map_or(source, |arc| self.heads[*arc]);
                if at == sink {
                    let amount = path.iter().map(|arc| self.left[*arc]).min().unwrap();
                    flow += amount;
                    path.iter().for_each(|arc| {
                        self.left[*arc] -= amount;
                        self.left[*arc ^ 1] += amount;
                    });
                    let full = path.iter().position(|arc| self.left[*arc] == 0).unwrap();
                    path.truncate(full);
                } else if let Some(arc) = self.arcs[at].get(next[at]).copied() {
                    if self.left[arc] > 0 && level[self.heads[arc]] == level[at] + 1 {
                        path.push(arc);
                    } else {
                        next[at] += 1;
                    }
                } else if let Some(arc) = path.pop() {
                    next[self.heads[arc ^ 1]] += 1;
                } else {
                    break;
                }
            }
        }
    }
}

mod max_flow {
    use super::*;

    #[divan::bench]
    fn ours(bencher: Bencher<'_, '_>) {
        let (graph, mut flow) = (expansion_graph(1), MaxFlow::default());
        assert_eq!(boykov_kolmogorov(&graph, &mut flow), Dinic::of(&graph).run());
        bencher.bench_local(|| boykov_kolmogorov(black_box(&graph), &mut flow));
    }

    #[divan::bench]
    fn dinic(bencher: Bencher<'_, '_>) {
        let graph = expansion_graph(1);
        bencher.bench_local(|| Dinic::of(black_box(&graph)).run());
    }
}

/// A page of sections: nodes have four features each, those of leaves are around those of their section.
struct Page {
    parents: Vec<u32>,
    ends: Vec<u32>,
    features: Vec<[f64; 4]>,
    leaves: Vec<u32>,
}

fn page(leaves: usize) -> Page {
    let mut random = Random(5);
    let mut uniform = || random.below(1 << 20) as f64 / (1 << 20) as f64;
    let mut page = Page { parents: vec![0], ends: Vec::new(), features: vec![[0.0; 4]], leaves: Vec::new() };
    while page.leaves.len() < leaves {
        let centre = [0; 4].map(|_| 4.0 * uniform());
        let section = page.parents.len() as u32;
        page.parents.push(0);
        page.features.push(centre);
        for _ in 0..2 + (8.0 * uniform()) as usize {
            let group = page.parents.len() as u32;
            page.parents.push(section);
            page.features.push(centre);
            for _ in 0..1 + (10.0 * uniform()) as usize {
                page.leaves.push(page.parents.len() as u32);
                page.parents.push(group);
                page.features.push(centre.map(|value| value + 2.0 * uniform() - 1.0));
            }
        }
    }
    page.ends = (1..=page.parents.len() as u32).collect();
    for node in (1..page.parents.len()).rev() {
        let parent = page.parents[node] as usize;
        page.ends[parent] = page.ends[parent].max(page.ends[node]);
        let means: [f64; 4] =
            std::array::from_fn(|at| (page.features[parent][at] * 3.0 + page.features[node][at]) / 4.0);
        page.features[parent] = means;
    }
    page
}

fn cut_problem(page: &Page, max_labels: usize, whole_page: bool) -> CutProblem {
    let nodes = page.parents.len() as u32;
    let mut problem = CutProblem::new(&page.parents);
    let interior: Vec<u32> = (0..nodes).filter(|node| page.ends[*node as usize] > node + 1).collect();
    for label in interior.iter().step_by(interior.len().div_ceil(max_labels)) {
        let features = page.features[*label as usize];
        let parent = page.parents[*label as usize];
        let candidates =
            if whole_page || *label == 0 { 0..nodes } else { parent.max(*label)..page.ends[*label as usize] };
        problem.append_label(candidates, |node| {
            page.features[node].iter().zip(features).map(|(one, two)| (one - two).powi(2)).sum::<f64>().sqrt()
        });
    }
    for steps in [1, 2, 25, 26] {
        page.leaves
            .iter()
            .zip(page.leaves.iter().skip(steps))
            .for_each(|(one, two)| problem.append_pair(*one, *two, 0.6));
    }
    (1..nodes as usize).for_each(|node| problem.set_parent_weight(node, 0.5));
    problem
}

const LEAVES: [usize; 3] = [300, 1_000, 5_000];

#[divan::bench(args = LEAVES, sample_count = 5)]
fn gcuts_labels_of_the_whole_page(bencher: Bencher<'_, '_>, leaves: usize) {
    let page = page(leaves);
    bencher.bench(|| {
        let found = cut_problem(&page, 300, true).minimize(CutSettings::default()).unwrap();
        assert!(found.is_complete);
        found
    });
}

#[divan::bench(args = LEAVES, sample_count = 5)]
fn gcuts_labels_of_subtrees(bencher: Bencher<'_, '_>, leaves: usize) {
    let page = page(leaves);
    bencher.bench(|| {
        let found = cut_problem(&page, 300, false).minimize(CutSettings::default()).unwrap();
        assert!(found.is_complete);
        found
    });
}

#[divan::bench(args = LEAVES, sample_count = 5)]
fn cclus(bencher: Bencher<'_, '_>, leaves: usize) {
    let page = page(leaves);
    let attraction = |one: usize, two: usize| {
        let [one, two] = [one, two].map(|leaf| page.features[page.leaves[leaf] as usize]);
        let distance = one.iter().zip(two).map(|(one, two)| (one - two).powi(2)).sum::<f64>().sqrt();
        1.0 / (1.0 + (3.0 * (distance - 1.5)).exp())
    };
    bencher.bench(|| cluster_leaves(page.leaves.len(), attraction, ClusterSettings::default()));
}
