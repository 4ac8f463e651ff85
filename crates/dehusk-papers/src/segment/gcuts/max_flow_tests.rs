//! Maximum flow against a textbook algorithm.

use super::*;
use crate::dom::random::SplitMix64;
use std::collections::VecDeque;

/// A graph as a matrix of capacities; the last two nodes are source and sink.
struct Textbook {
    capacity: Vec<Vec<i64>>,
}

impl Textbook {
    /// Edmonds–Karp: shortest augmenting paths.
    fn max_flow(&self) -> i64 {
        let mut left = self.capacity.clone();
        let (source, sink) = (left.len() - 2, left.len() - 1);
        let mut flow = 0;
        loop {
            let mut parent = vec![usize::MAX; left.len()];
            parent[source] = source;
            let mut queue = VecDeque::from([source]);
            while let Some(at) = queue.pop_front() {
                for to in 0..left.len() {
                    if left[at][to] > 0 && parent[to] == usize::MAX {
                        parent[to] = at;
                        queue.push_back(to);
                    }
                }
            }
            if parent[sink] == usize::MAX {
                return flow;
            }
            let (mut amount, mut at) = (i64::MAX, sink);
            while at != source {
                amount = amount.min(left[parent[at]][at]);
                at = parent[at];
            }
            at = sink;
            while at != source {
                left[parent[at]][at] -= amount;
                left[at][parent[at]] += amount;
                at = parent[at];
            }
            flow += amount;
        }
    }

    fn cut(&self, is_source_side: impl Fn(usize) -> bool) -> i64 {
        let mut total = 0;
        for (from, row) in self.capacity.iter().enumerate() {
            for (to, capacity) in row.iter().enumerate() {
                total += if is_source_side(from) && !is_source_side(to) { *capacity } else { 0 };
            }
        }
        total
    }
}

#[test]
fn flow_and_cut_equal_the_textbook() {
    let mut random = SplitMix64::new(1);
    let mut graph = MaxFlow::default();
    let mut sides = [0, 0];
    for case in 0..4_000 {
        let nodes = 1 + random.below(if case % 10 == 0 { 40 } else { 12 });
        // Small capacities make ties and zeros, large ones make long runs of partly filled arcs.
        let largest = [2, 5, 100, 1 << 40][random.below(4)];
        let mut textbook = Textbook { capacity: vec![vec![0; nodes + 2]; nodes + 2] };
        graph.clear(nodes);
        for _ in 0..random.below(2 * nodes + 2) {
            let (node, from_source, to_sink) = (random.below(nodes), random.below(largest), random.below(largest));
            // Mostly one terminal each, so that flow must pass between nodes.
            let (from_source, to_sink) = [(from_source, 0), (0, to_sink), (from_source, to_sink)][random.below(3)];
            graph.add_terminal(node, from_source as i64, to_sink as i64);
            textbook.capacity[nodes][node] += from_source as i64;
            textbook.capacity[node][nodes + 1] += to_sink as i64;
        }
        for _ in 0..random.below(4 * nodes) {
            let (one, two) = (random.below(nodes), random.below(nodes));
            if one == two {
                continue;
            }
            let forward = if random.below(10) == 0 { UNCUTTABLE / 1_000 } else { random.below(largest) as i64 };
            let backward = if random.below(2) == 0 { 0 } else { random.below(largest) as i64 };
            graph.add_edge(one, two, forward, backward);
            textbook.capacity[one][two] += forward;
            textbook.capacity[two][one] += backward;
        }
        let flow = graph.run(u64::MAX).unwrap();
        assert_eq!(flow, textbook.max_flow(), "case {case}");
        let side = |node| node == nodes || node < nodes && graph.is_source_side(node);
        assert_eq!(textbook.cut(side), flow, "the cut of case {case}");
        (0..nodes).for_each(|node| sides[side(node) as usize] += 1);
    }
    assert!(sides.iter().all(|count| *count > 5_000), "both sides occur: {sides:?}");
}

#[test]
fn long_chains_and_wide_stars_end() {
    let nodes = 20_000;
    let mut graph = MaxFlow::new(nodes);
    graph.add_terminal(0, 7, 0);
    graph.add_terminal(nodes - 1, 0, 9);
    (1..nodes).for_each(|node| graph.add_edge(node - 1, node, 5 + (node == 77) as i64, 0));
    assert_eq!(graph.run(u64::MAX), Some(5));
    graph.clear(nodes);
    for node in 1..nodes {
        graph.add_terminal(node, (node % 2) as i64, (node % 2 == 0) as i64);
        graph.add_edge(0, node, 1, 1);
    }
    assert_eq!(graph.run(u64::MAX), Some(nodes as i64 / 2 - 1));
}

#[test]
fn work_is_bounded() {
    let mut graph = MaxFlow::new(100);
    graph.add_terminal(0, 1, 0);
    graph.add_terminal(99, 0, 1);
    (1..100).for_each(|node| graph.add_edge(node - 1, node, 1, 0));
    assert_eq!(graph.clone().run(50), None);
    assert_eq!(graph.run(1_000), Some(1));
    assert!(graph.work() > 50);
}
