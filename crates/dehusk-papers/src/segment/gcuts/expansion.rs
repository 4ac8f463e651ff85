//! One α-expansion of GCUTS: of all ways in which leaves keep their label or take α, the one of least energy, by a minimum cut.
//!
//! The construction of the paper, with parents as pairs of graph nodes. A leaf on the source side keeps its label, on the sink
//! side it takes α. An interior node u has a node u_s, which falls to the sink side as soon as a leaf below takes α, and a node
//! u_t, which stays on the source side as long as a leaf below keeps its label. A mixed node pays
//! m_u = D_u(ξ) + c_u − V(u, parent(u)), where c_u is the weight of the edges to its children: the parent of an invisible node is invisible,
//! too, so the edge to it, which is in the parent's c, costs nothing. If u has label β now, u_s pays m_u − D_u(β) on the sink side and u_t pays
//! m_u − D_u(α) on the source side: all keep is D_u(β), all take is D_u(α), mixed is m_u, up to a constant. If u is invisible now,
//! there is only u_t; if a leaf below may not take α, only u_s.
//!
//! Only what can change is in the graph: leaves that may take α and could gain by it, and their ancestors. So an expansion costs about as
//! much as its candidates, whatever the size of the page.

use super::cut_problem::{CutProblem, INFINITE, scaled};
use super::max_flow::{MaxFlow, UNCUTTABLE};

/// The label of invisible nodes.
pub(crate) const INVISIBLE: u32 = u32::MAX;

/// How often leaves that cannot gain are looked for: each time there are fewer left, and so fewer may gain by each other.
const MAX_PRUNINGS: usize = 4;

/// What an expansion did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Lower,
    Same,
    OutOfWork,
}

/// What the current expansion knows of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Move {
    /// The expansion this was written in.
    permitted_in: u32,
    visited_in: u32,
    /// The cost of α.
    cost: i64,
    /// Its graph node: of a leaf, or u_s of an interior node.
    keep_node: u32,
    /// u_t.
    take_node: u32,
    some_keep: bool,
    some_take: bool,
    /// The loss if the leaves below that could be fixed take α, and whether there are any.
    loss: i64,
    has_fixable: bool,
}

/// A labelling and its energy, to be lowered by expansions.
pub(crate) struct Expander<'p> {
    problem: &'p CutProblem,
    with_parents: bool,
    /// Neighbours of leaves: where the list of each node starts, and the neighbours with λ times the weight.
    neighbour_starts: Vec<u32>,
    neighbours: Vec<(u32, i64)>,
    /// Their sum for each leaf.
    neighbour_weights: Vec<i64>,
    /// m_u of interior nodes.
    mixed_costs: Vec<i64>,
    /// The largest finite cost of interior nodes.
    largest_costs: Vec<i64>,
    labels: Vec<u32>,
    /// What each node pays for its label; 0 if invisible.
    costs: Vec<i64>,
    energy: i64,
    /// The number of changes so far, and when each node or a neighbour of it changed last.
    clock: u32,
    changed_at: Vec<u32>,
    /// When each label was expanded last.
    expanded_at: Vec<u32>,
    expansion: u32,
    moves: Vec<Move>,
    /// The leaves that may take α, in preorder.
    active: Vec<u32>,
    /// Their ancestors with a part in the graph.
    visited: Vec<u32>,
    graph: MaxFlow,
    work: u64,
    pub(crate) max_prunings: usize,
}

impl<'p> Expander<'p> {
    pub(crate) fn new(problem: &'p CutProblem, lambda: f64, with_parents: bool) -> Expander<'p> {
        let nodes = problem.len();
        let mut largest_costs = vec![0; nodes];
        for label in &problem.labels {
            for (node, cost) in label.nodes.iter().zip(&label.costs).filter(|(_, cost)| **cost != INFINITE) {
                largest_costs[*node as usize] = largest_costs[*node as usize].max(*cost as i64);
            }
        }
        let mut parent_weights: Vec<i64> =
            problem.parent_weights.iter().map(|weight| scaled(lambda, *weight)).collect();
        if let Some(root) = parent_weights.first_mut() {
            *root = 0;
        }
        // m_u is at least the cost of any label, or being mixed would be cheaper than having one label: that is, D_u(ξ) is
        // raised to what this takes.
        let mut mixed_costs: Vec<i64> = problem.invisible_costs.iter().map(|cost| *cost as i64).collect();
        for node in 1..nodes {
            mixed_costs[problem.parents[node] as usize] += parent_weights[node];
            mixed_costs[node] -= parent_weights[node];
        }
        for (mixed, largest) in mixed_costs.iter_mut().zip(&largest_costs) {
            *mixed = (*mixed).max(*largest);
        }
        let (neighbour_starts, neighbours) = adjacency(problem, lambda);
        let mut neighbour_weights = vec![0; nodes];
        for (node, total) in neighbour_weights.iter_mut().enumerate() {
            let range = neighbour_starts[node] as usize..neighbour_starts[node + 1] as usize;
            *total = neighbours[range].iter().map(|(_, weight)| *weight).sum();
        }
        Expander {
            problem,
            with_parents,
            neighbour_starts,
            neighbours,
            neighbour_weights,
            mixed_costs,
            largest_costs,
            labels: vec![INVISIBLE; nodes],
            costs: vec![0; nodes],
            energy: 0,
            clock: 0,
            changed_at: vec![0; nodes],
            expanded_at: vec![0; problem.labels.len()],
            expansion: 0,
            moves: vec![Move::default(); nodes],
            active: Vec::new(),
            visited: Vec::new(),
            graph: MaxFlow::default(),
            work: 0,
            max_prunings: MAX_PRUNINGS,
        }
    }

    pub(crate) fn energy(&self) -> i64 {
        self.energy
    }

    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    pub(crate) fn label_count(&self) -> usize {
        self.problem.labels.len()
    }

    pub(crate) fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Takes a label for each leaf; the entries of interior nodes are not read. False if a leaf may not have its label.
    pub(crate) fn start(&mut self, leaf_labels: &[u32]) -> bool {
        let problem = self.problem;
        self.labels.copy_from_slice(leaf_labels);
        label_interior(problem, &mut self.labels);
        self.costs.fill(-1);
        for (number, label) in problem.labels.iter().enumerate() {
            for (node, cost) in label.nodes.iter().zip(&label.costs) {
                if self.labels[*node as usize] == number as u32 {
                    self.costs[*node as usize] = self.label_cost(*node as usize, *cost);
                }
            }
        }
        let mut energy = 0;
        for node in 0..problem.len() {
            let (label, is_leaf) = (self.labels[node], problem.is_leaf(node));
            if is_leaf && (label == INVISIBLE || self.costs[node] < 0) {
                return false;
            }
            if label == INVISIBLE {
                self.costs[node] = 0;
            }
            if is_leaf || self.with_parents {
                energy += if label == INVISIBLE { self.mixed_costs[node] } else { self.costs[node] };
            }
            for (other, weight) in self.neighbours(node) {
                let counts = *other as usize > node && self.labels[*other as usize] != label;
                energy += if counts { *weight } else { 0 };
            }
        }
        self.energy = energy;
        self.clock += 1;
        self.changed_at.fill(self.clock);
        true
    }

    fn label_cost(&self, node: usize, cost: u32) -> i64 {
        if cost == INFINITE { self.largest_costs[node] } else { cost as i64 }
    }

    fn neighbours(&self, node: usize) -> &[(u32, i64)] {
        &self.neighbours[self.neighbour_starts[node] as usize..self.neighbour_starts[node + 1] as usize]
    }

    fn is_permitted(&self, node: usize) -> bool {
        self.moves[node].permitted_in == self.expansion
    }

    fn is_visited(&self, node: usize) -> bool {
        self.moves[node].visited_in == self.expansion
    }

    /// Whether a leaf may move; its neighbours with α have moved already.
    fn is_active(&self, leaf: usize, alpha: u32) -> bool {
        self.is_permitted(leaf) && self.labels[leaf] != alpha
    }

    /// Expands a label: the labelling of least energy that some leaves reach by taking it. Stops if that takes more work than there is.
    pub(crate) fn expand(&mut self, alpha: u32, max_work: u64) -> Outcome {
        if self.work > max_work {
            return Outcome::OutOfWork;
        }
        let label = &self.problem.labels[alpha as usize];
        self.expansion += 1;
        self.work += label.nodes.len() as u64;
        for (node, cost) in label.nodes.iter().zip(&label.costs) {
            let cost = self.label_cost(*node as usize, *cost);
            let moves = &mut self.moves[*node as usize];
            (moves.permitted_in, moves.cost) = (self.expansion, cost);
        }
        self.active.clear();
        let is_movable = |node: &u32| self.problem.is_leaf(*node as usize) && self.labels[*node as usize] != alpha;
        self.active.extend(label.nodes.iter().copied().filter(is_movable));
        let changed_at = self.visit_ancestors();
        // Nothing it depends on has changed since it was expanded last, and then nothing was left to gain.
        if self.active.is_empty() || changed_at <= self.expanded_at[alpha as usize] {
            return Outcome::Same;
        }
        for round in 0..self.max_prunings {
            if !self.prune(alpha, round == 0) && round > 0 {
                break;
            }
        }
        let keep_all = self.build(alpha);
        let lowest = self.graph.run(max_work.saturating_sub(self.work));
        self.work += self.graph.work();
        let Some(lowest) = lowest else { return Outcome::OutOfWork };
        let outcome = if lowest < keep_all { Outcome::Lower } else { Outcome::Same };
        if outcome == Outcome::Lower {
            self.energy += lowest - keep_all;
            self.apply(alpha);
        }
        self.expanded_at[alpha as usize] = self.clock;
        outcome
    }

    /// Collects the ancestors of active leaves whose cost depends on the move, the last in preorder first. Returns when something
    /// the move depends on changed last.
    fn visit_ancestors(&mut self) -> u32 {
        let mut changed_at = 0;
        self.visited.clear();
        for at in 0..self.active.len() {
            let leaf = self.active[at] as usize;
            changed_at = changed_at.max(self.changed_at[leaf]);
            let mut node = leaf;
            while self.with_parents && node > 0 {
                node = self.problem.parents[node] as usize;
                if self.is_visited(node) {
                    break;
                }
                changed_at = changed_at.max(self.changed_at[node]);
                // Invisible now and after any move, as are all nodes above.
                if self.labels[node] == INVISIBLE && !self.is_permitted(node) {
                    break;
                }
                self.moves[node].visited_in = self.expansion;
                self.visited.push(node as u32);
            }
        }
        self.visited.sort_unstable_by(|one, two| two.cmp(one));
        self.work += (self.active.len() + self.visited.len()) as u64;
        changed_at
    }

    /// Fixes leaves that cannot gain by taking α, whatever the other leaves do: taken out of any move, they leave it at most as dear.
    /// Whether there were any.
    ///
    /// A leaf loses D_p(α) − D_p(β), and gains at most the weights of neighbours that may have α, and by every ancestor u that
    /// becomes α the difference m_u − D_u(α). The latter needs all leaves below u. So leaves that lose by themselves are
    /// collected from the bottom up, and those below u are given up where together they lose less than u gains.
    fn prune(&mut self, alpha: u32, is_first: bool) -> bool {
        for node in &self.visited {
            (self.moves[*node as usize].loss, self.moves[*node as usize].has_fixable) = (0, false);
        }
        let mut work = 0;
        for at in 0..self.active.len() {
            let leaf = self.active[at] as usize;
            let mut loss = self.moves[leaf].cost - self.costs[leaf];
            // Nearly all leaves go in the first round, by a bound that needs no look at the neighbours.
            let neighbours = if is_first { &[] } else { self.neighbours(leaf) };
            loss -= if is_first { self.neighbour_weights[leaf] } else { 0 };
            for (other, weight) in neighbours {
                let other = *other as usize;
                if self.labels[other] == alpha || self.is_active(other, alpha) {
                    loss -= weight;
                } else if self.labels[other] == self.labels[leaf] {
                    loss += weight;
                }
            }
            work += neighbours.len() as u64;
            (self.moves[leaf].loss, self.moves[leaf].has_fixable) = (loss, loss >= 0);
            self.add_to_parent(leaf);
        }
        for at in 0..self.visited.len() {
            let node = self.visited[at] as usize;
            if self.is_permitted(node) && self.moves[node].has_fixable {
                self.moves[node].loss -= self.mixed_costs[node] - self.moves[node].cost;
                self.moves[node].has_fixable = self.moves[node].loss >= 0;
            }
            self.add_to_parent(node);
        }
        // From the top down: what is given up is given up below, too.
        for at in (0..self.visited.len()).rev() {
            let node = self.visited[at] as usize;
            let parent = self.problem.parents[node] as usize;
            if node > 0 && self.is_visited(parent) && self.is_permitted(parent) && !self.moves[parent].has_fixable {
                self.moves[node].has_fixable = false;
            }
        }
        let mut active = std::mem::take(&mut self.active);
        let before = active.len();
        active.retain(|leaf| {
            let leaf = *leaf as usize;
            let parent = self.problem.parents[leaf] as usize;
            let given_up =
                leaf > 0 && self.is_visited(parent) && self.is_permitted(parent) && !self.moves[parent].has_fixable;
            if !self.moves[leaf].has_fixable || given_up {
                return true;
            }
            self.moves[leaf].permitted_in = 0;
            let mut node = leaf;
            while node > 0 {
                node = self.problem.parents[node] as usize;
                if !self.is_permitted(node) {
                    break;
                }
                self.moves[node].permitted_in = 0;
            }
            false
        });
        self.work += work + (before + self.visited.len()) as u64;
        self.active = active;
        if self.active.len() == before {
            return false;
        }
        for node in &self.visited {
            self.moves[*node as usize].visited_in = 0;
        }
        self.visit_ancestors();
        true
    }

    fn add_to_parent(&mut self, node: usize) {
        let parent = self.problem.parents[node] as usize;
        if node > 0 && self.moves[node].has_fixable && self.is_visited(parent) {
            self.moves[parent].loss += self.moves[node].loss;
            self.moves[parent].has_fixable = true;
        }
    }

    /// Builds the graph of the move. The capacity of the cut in which all leaves keep their labels.
    fn build(&mut self, alpha: u32) -> i64 {
        let mut graph = std::mem::take(&mut self.graph);
        let mut size = 0;
        let mut number = || {
            size += 1;
            size - 1
        };
        for leaf in &self.active {
            self.moves[*leaf as usize].keep_node = number();
        }
        for node in &self.visited {
            let node = *node as usize;
            if self.labels[node] != INVISIBLE {
                self.moves[node].keep_node = number();
            }
            if self.moves[node].permitted_in == self.expansion {
                self.moves[node].take_node = number();
            }
        }
        graph.clear(size as usize);
        let mut keep_all = 0;
        for leaf in &self.active {
            let leaf = *leaf as usize;
            let own = self.moves[leaf].keep_node as usize;
            let (mut keep, mut take) = (self.costs[leaf], self.moves[leaf].cost);
            for (other, weight) in self.neighbours(leaf) {
                let other = *other as usize;
                let agree = self.labels[other] == self.labels[leaf];
                if self.labels[other] == alpha {
                    keep += weight;
                } else if !self.is_active(other, alpha) {
                    take += weight;
                    keep += if agree { 0 } else { *weight };
                } else if leaf < other {
                    let others = self.moves[other].keep_node as usize;
                    graph.add_edge(own, others, *weight, if agree { *weight } else { 0 });
                    // Two labels that differ now cost the weight unless both leaves take α.
                    if !agree {
                        graph.add_terminal(others, 0, *weight);
                        keep_all += weight;
                    }
                }
            }
            graph.add_terminal(own, take, keep);
            keep_all += keep;
            self.link(&mut graph, leaf, own, own);
        }
        for node in &self.visited {
            let node = *node as usize;
            let Move { keep_node, take_node, cost, .. } = self.moves[node];
            if self.labels[node] != INVISIBLE {
                graph.add_terminal(keep_node as usize, self.mixed_costs[node] - self.costs[node], 0);
            }
            if self.is_permitted(node) {
                graph.add_terminal(take_node as usize, 0, self.mixed_costs[node] - cost);
                keep_all += self.mixed_costs[node] - cost;
            }
            self.link(&mut graph, node, keep_node as usize, take_node as usize);
        }
        let (nodes, edges) = graph.size();
        self.work += (nodes + edges) as u64;
        self.graph = graph;
        keep_all
    }

    /// Ties the graph nodes of a node to those of its parent.
    fn link(&self, graph: &mut MaxFlow, node: usize, keep_node: usize, take_node: usize) {
        let parent = self.problem.parents[node] as usize;
        if node == 0 || !self.is_visited(parent) {
            return;
        }
        if self.labels[parent] != INVISIBLE {
            graph.add_edge(self.moves[parent].keep_node as usize, keep_node, UNCUTTABLE, 0);
        }
        if self.is_permitted(parent) {
            graph.add_edge(take_node, self.moves[parent].take_node as usize, UNCUTTABLE, 0);
        }
    }

    /// Moves the leaves on the sink side to α, and their ancestors with them.
    fn apply(&mut self, alpha: u32) {
        self.clock += 1;
        for node in &self.visited {
            (self.moves[*node as usize].some_keep, self.moves[*node as usize].some_take) = (false, false);
        }
        for at in 0..self.active.len() {
            let leaf = self.active[at] as usize;
            let keeps = self.graph.is_source_side(self.moves[leaf].keep_node as usize);
            if !keeps {
                self.set_label(leaf, alpha);
            }
            self.moves[self.problem.parents[leaf] as usize].some_keep |= keeps;
            self.moves[self.problem.parents[leaf] as usize].some_take |= !keeps;
        }
        for at in 0..self.visited.len() {
            let node = self.visited[at] as usize;
            let Move { some_keep, some_take, .. } = self.moves[node];
            if self.is_permitted(node) && !some_keep {
                self.set_label(node, alpha);
            } else if some_take && self.labels[node] != INVISIBLE {
                self.set_label(node, INVISIBLE);
            }
            if node > 0 {
                let parent = &mut self.moves[self.problem.parents[node] as usize];
                parent.some_keep |= some_keep;
                parent.some_take |= some_take;
            }
        }
    }

    fn set_label(&mut self, node: usize, label: u32) {
        self.labels[node] = label;
        self.costs[node] = if label == INVISIBLE { 0 } else { self.moves[node].cost };
        self.changed_at[node] = self.clock;
        for (other, _) in
            &self.neighbours[self.neighbour_starts[node] as usize..self.neighbour_starts[node + 1] as usize]
        {
            self.changed_at[*other as usize] = self.clock;
        }
    }
}

/// Gives interior nodes the label of the leaves below them, or none if those differ.
pub(crate) fn label_interior(problem: &CutProblem, labels: &mut [u32]) {
    for node in (0..problem.len()).rev() {
        if !problem.is_leaf(node) {
            // The first child is the next node.
            labels[node] = labels[node + 1];
        }
    }
    for node in (1..problem.len()).rev() {
        let parent = problem.parents[node] as usize;
        if labels[node] != labels[parent] {
            labels[parent] = INVISIBLE;
        }
    }
}

/// The neighbours of each leaf, with λ times the weights.
fn adjacency(problem: &CutProblem, lambda: f64) -> (Vec<u32>, Vec<(u32, i64)>) {
    let mut starts = vec![0u32; problem.len() + 2];
    for (one, two, _) in &problem.pairs {
        starts[*one as usize + 2] += 1;
        starts[*two as usize + 2] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut neighbours = vec![(0, 0); 2 * problem.pairs.len()];
    for (one, two, weight) in &problem.pairs {
        let weight = scaled(lambda, *weight);
        for (from, to) in [(one, two), (two, one)] {
            let at = &mut starts[*from as usize + 1];
            neighbours[*at as usize] = (*to, weight);
            *at += 1;
        }
    }
    starts.pop();
    (starts, neighbours)
}
