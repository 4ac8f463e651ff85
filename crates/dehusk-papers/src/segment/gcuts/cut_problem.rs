//! What GCUTS minimizes, apart from any page: a tree, the labels each leaf may take and what they cost, and the weights of pairs.
//!
//! Costs are rounded once to multiples of 2⁻²⁰, so energies are exact sums of integers, equal on every machine. Interior
//! nodes have no freedom of their own: see [`CutProblem::append_label`].

/// One unit of cost in fixed point.
const UNIT: f64 = (1 << 20) as f64;
/// The largest cost in fixed point; larger ones are cut to it.
const MAX_COST: u32 = u32::MAX - 1;
/// The cost of an interior node that is not finite: it is replaced by the largest finite one of the node.
pub(crate) const INFINITE: u32 = u32::MAX;

/// A cost in fixed point. Less than 0 is 0, and what is not a number is the largest cost.
fn fixed(cost: f64) -> u32 {
    if cost.is_nan() { MAX_COST } else { (cost * UNIT).round().clamp(0.0, MAX_COST as f64) as u32 }
}

/// A weight times λ in fixed point; 0 if it is not a number.
pub(crate) fn scaled(lambda: f64, weight: f64) -> i64 {
    let product = lambda * weight;
    if product.is_nan() { 0 } else { fixed(product) as i64 }
}

/// A cost from fixed point.
pub(crate) fn real(cost: i64) -> f64 {
    cost as f64 / UNIT
}

/// A label: the nodes that may take it, in preorder, and what each pays for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Label {
    pub(crate) nodes: Vec<u32>,
    pub(crate) costs: Vec<u32>,
}

/// A labelling problem on a tree.
#[derive(Clone, Debug)]
pub struct CutProblem {
    pub(crate) parents: Vec<u32>,
    /// The end of each subtree, in preorder.
    ends: Vec<u32>,
    /// How many leaves come before a node in preorder; one entry more than nodes.
    leaves_before: Vec<u32>,
    pub(crate) labels: Vec<Label>,
    pub(crate) pairs: Vec<(u32, u32, f64)>,
    pub(crate) parent_weights: Vec<f64>,
    pub(crate) invisible_costs: Vec<u32>,
}

impl CutProblem {
    /// A problem on a tree, given by the parent of each node in preorder; the root is node 0, and its entry is not read. Nodes
    /// without children are leaves. There are no labels and pairs yet, and the weights of parents are 0.
    ///
    /// # Panics
    /// If the nodes are not in preorder.
    pub fn new(parents: &[u32]) -> CutProblem {
        let nodes = parents.len();
        let mut ends: Vec<u32> = (1..=nodes as u32).collect();
        for node in (1..nodes).rev() {
            let parent = parents[node] as usize;
            assert!(parent < node, "node {node} comes before its parent {parent}");
            ends[parent] = ends[parent].max(ends[node]);
        }
        let mut path: Vec<u32> = Vec::new();
        for (node, parent) in parents.iter().enumerate() {
            while node > 0 && path.last().is_some_and(|last| last != parent) {
                path.pop();
            }
            assert!(node == 0 || !path.is_empty(), "node {node} is not in preorder");
            path.push(node as u32);
        }
        let mut leaves_before = vec![0; nodes + 1];
        for node in 0..nodes {
            leaves_before[node + 1] = leaves_before[node] + (ends[node] as usize == node + 1) as u32;
        }
        let mut parents = parents.to_vec();
        if let Some(root) = parents.first_mut() {
            *root = 0;
        }
        CutProblem {
            parents,
            ends,
            leaves_before,
            labels: Vec::new(),
            pairs: Vec::new(),
            parent_weights: vec![0.0; nodes],
            invisible_costs: vec![0; nodes],
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Whether a node has no children.
    pub fn is_leaf(&self, node: usize) -> bool {
        self.ends[node] as usize == node + 1
    }

    /// Adds a label and returns its number.
    ///
    /// `candidates` are the nodes that may take it, in ascending order: `0..nodes` for all, the range of a subtree for what is inside.
    /// Only the leaves among them matter. An interior node has the label exactly if all leaves below it have it, so it may take
    /// it if all of them may, and only then `cost` is called for it; otherwise it is invisible. A leaf whose cost is not finite may not
    /// take the label. An interior node whose cost is not finite pays the largest finite one that it has for any label.
    pub fn append_label(&mut self, candidates: impl IntoIterator<Item = u32>, cost: impl Fn(usize) -> f64) -> usize {
        let mut leaves: Vec<(u32, u32)> = Vec::new();
        for leaf in candidates {
            let node = leaf as usize;
            let is_next = leaves.last().is_none_or(|(last, _)| *last < leaf);
            if node < self.len() && self.is_leaf(node) && is_next {
                let cost = cost(node);
                if cost.is_finite() {
                    leaves.push((leaf, fixed(cost)));
                }
            }
        }
        let mut label = Label::default();
        let mut chain: Vec<u32> = Vec::new();
        let mut run_end = 0;
        for (at, (leaf, own_cost)) in leaves.iter().enumerate() {
            let rank = |node: u32| self.leaves_before[node as usize];
            if at >= run_end {
                run_end = at + 1;
                while run_end < leaves.len() && rank(leaves[run_end].0) == rank(*leaf) + (run_end - at) as u32 {
                    run_end += 1;
                }
            }
            // The ancestors whose first leaf this is, as long as all leaves below them are in this run of candidates.
            let mut node = *leaf;
            while node > 0 {
                let parent = self.parents[node as usize];
                let leaves_below = rank(self.ends[parent as usize]) - rank(parent);
                if rank(parent) != rank(*leaf) || leaves_below as usize > run_end - at {
                    break;
                }
                chain.push(parent);
                node = parent;
            }
            while let Some(node) = chain.pop() {
                label.nodes.push(node);
                let cost = cost(node as usize);
                label.costs.push(if cost.is_finite() { fixed(cost) } else { INFINITE });
            }
            label.nodes.push(*leaf);
            label.costs.push(*own_cost);
        }
        self.labels.push(label);
        self.labels.len() - 1
    }

    /// Adds a pair of adjacent leaves, which pay λ times the weight if their labels differ. Weights of the same pair add up.
    ///
    /// # Panics
    /// If one of them is not a leaf.
    pub fn append_pair(&mut self, one: u32, two: u32, weight: f64) {
        assert!(self.is_leaf(one as usize) && self.is_leaf(two as usize), "a pair of leaves: {one}, {two}");
        if one != two {
            self.pairs.push((one, two, weight));
        }
    }

    /// Sets the weight of the edge between a node and its parent: a visible node with an invisible parent pays λ times as much.
    pub fn set_parent_weight(&mut self, node: usize, weight: f64) {
        self.parent_weights[node] = weight;
    }

    /// Sets what an interior node pays for being invisible, D_u(ξ), 0 unless set. It is raised where that is too little: see
    /// [`CutSettings`](crate::segment::gcuts::CutSettings).
    pub fn set_invisible_cost(&mut self, node: usize, cost: f64) {
        self.invisible_costs[node] = fixed(cost);
    }
}
