//! Applies forests and boosted trees: sums many small decision trees over the same row.
//!
//! Up to 64 rows are scored together, as the bits of a word. First, each question that any tree asks ("is this feature at or above
//! that bin edge?") is answered for all rows at once: the answers are one word. Then the set of all rows is routed down each tree:
//! the rows of the two children of a node are two operations on words, and each row that reaches a leaf gets the leaf's value. A
//! tree costs a few instructions per row, regardless of its depth, and sums are added in the order of the trees. How many rows the
//! processor compares at once changes no result.

use super::discretize::Discretizer;
use super::logistic::sigmoid;
use super::model_file::{Array, ModelFile, damaged};
use super::tile::{LANES, Plan, PlanNode, ReachedLarge, Tile, ask, sum_index};
use crate::error::Error;
use fearless_simd::{Level, Simd, dispatch};

/// The minimum number of rows that are scored together. Fewer rows walk down the trees one by one, which is quicker then.
const MIN_TILE_ROWS: usize = 4;
/// The bin that marks a leaf. No value is in a higher bin.
const LEAF: u16 = 255;

/// How the sum over the trees becomes a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Link {
    /// The mean of the trees, as in random forests.
    Mean,
    /// The sum itself, as in boosted regression.
    Sum,
    /// The sum is log-odds, as in boosted binary classification.
    Logistic,
    /// One sum for each class, as in boosted multi-class classification.
    Softmax,
}

/// A node of a tree as training produces it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TreeNode {
    /// The feature of the split.
    pub feature: u32,
    /// The threshold of the split: rows whose value is at or above it go right, others left.
    pub threshold: f32,
    /// The number of the left child in its tree; 0 for a leaf.
    pub left: u32,
    /// The number of the right child.
    pub right: u32,
    /// The value of a leaf, or the value a leaf would have instead of this node.
    pub value: f32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Node {
    /// The left child in its tree; the right one follows it. A leaf points to itself.
    left: u32,
    /// The index of the feature among those in use.
    feature: u16,
    /// Rows in higher bins go right.
    bin: u16,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Tree {
    start: u32,
    end: u32,
    depth: u32,
}

/// Trees over one schema of features.
#[derive(Clone, PartialEq, Debug)]
pub struct Trees {
    features: usize,
    link: Link,
    /// The initial sum of each output. Tree `t` adds to output `t % outputs`.
    base: Vec<f32>,
    /// The features that the trees use.
    used: Vec<u16>,
    /// The bins of those features: the thresholds of all trees.
    bins: Discretizer,
    nodes: Vec<Node>,
    values: Vec<f32>,
    trees: Vec<Tree>,
    /// The nodes again, in the form that scoring 64 rows needs.
    plan: Box<Plan>,
}

/// Reusable buffers for the rows that are scored together.
#[derive(Clone, Debug, Default)]
pub struct TreeScratch {
    tile: Tile,
    answers: Vec<u64>,
    reached: ReachedLarge,
    sums: Vec<[f32; LANES]>,
}

impl Trees {
    /// Combines trees. The first node of each is its root; `base` has one value for each output.
    ///
    /// # Panics
    /// If a feature has more than 255 different thresholds, a tree has more than 65,536 nodes, or its nodes do not form a tree.
    /// Training produces none of these.
    pub fn build(features: usize, link: Link, base: Vec<f32>, trees: &[Vec<TreeNode>]) -> Trees {
        let mut by_feature: Vec<Vec<f32>> = vec![Vec::new(); features];
        for node in trees.iter().flatten().filter(|node| node.left != 0) {
            by_feature[node.feature as usize].push(node.threshold);
        }
        for edges in &mut by_feature {
            edges.sort_by(f32::total_cmp);
            edges.dedup();
            assert!(edges.len() <= LEAF as usize, "a feature has too many thresholds");
        }
        let used: Vec<u16> =
            (0..features).filter(|feature| !by_feature[*feature].is_empty()).map(|feature| feature as u16).collect();
        let numbers: Vec<u16> =
            (0..features).map(|feature| used.partition_point(|at| (*at as usize) < feature) as u16).collect();
        let edges: Vec<Vec<f32>> = used.iter().map(|feature| by_feature[*feature as usize].clone()).collect();
        let mut built = Trees {
            features,
            link,
            base,
            used,
            bins: Discretizer::new(&edges),
            nodes: Vec::new(),
            values: Vec::new(),
            trees: Vec::new(),
            plan: Box::default(),
        };
        for tree in trees {
            built.append(tree, &numbers);
        }
        built.plan = Box::new(built.make_plan());
        built
    }

    /// Appends a tree level by level, with siblings next to each other.
    fn append(&mut self, tree: &[TreeNode], numbers: &[u16]) {
        assert!(tree.len() <= 1 << 16, "a tree has too many nodes");
        let start = self.nodes.len();
        let mut order = vec![0u32];
        let mut at = 0;
        while at < order.len() {
            assert!(order.len() <= tree.len(), "the nodes do not form a tree");
            let node = &tree[order[at] as usize];
            self.values.push(node.value);
            if node.left == 0 {
                self.nodes.push(Node { left: at as u32, feature: 0, bin: LEAF });
            } else {
                let feature = numbers[node.feature as usize];
                let edges = self.bins.edges(feature as usize);
                let bin = edges.partition_point(|edge| *edge < node.threshold) as u16;
                self.nodes.push(Node { left: order.len() as u32, feature, bin });
                order.extend([node.left, node.right]);
            }
            at += 1;
        }
        let depth = depth(&self.nodes[start..]);
        self.trees.push(Tree { start: start as u32, end: self.nodes.len() as u32, depth });
    }

    /// Makes the plan for scoring 64 rows. The nodes must be valid.
    fn make_plan(&self) -> Plan {
        let mut plan = Plan::default();
        for tree in &self.trees {
            let nodes = (tree.start as usize..tree.end as usize).map(|at| match self.nodes[at] {
                Node { bin: LEAF, .. } => PlanNode::Leaf(self.values[at]),
                Node { left, feature, bin } => {
                    let question = self.bins.first_edge(feature as usize) + bin as usize;
                    PlanNode::Split { question: question as u32, left: left as u16 }
                }
            });
            plan.push(&nodes.collect::<Vec<_>>());
        }
        plan
    }

    /// The number of features of a row.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The number of scores of a row: 1, or one for each class.
    pub fn outputs(&self) -> usize {
        self.base.len()
    }

    /// The number of trees.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Returns whether there are no trees.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The number of nodes of all trees.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How the sum over the trees becomes a score.
    pub fn link(&self) -> Link {
        self.link
    }

    /// The initial sum of each output.
    pub fn base(&self) -> &[f32] {
        &self.base
    }

    /// The trees as training produces them: [`build`](Trees::build) makes the same trees of them again.
    pub fn to_nodes(&self) -> Vec<Vec<TreeNode>> {
        let node = |at: usize| {
            let (node, value) = (self.nodes[at], self.values[at]);
            if node.bin == LEAF {
                return TreeNode { value, ..TreeNode::default() };
            }
            TreeNode {
                feature: u32::from(self.used[node.feature as usize]),
                threshold: self.bins.edges(node.feature as usize)[node.bin as usize],
                left: node.left,
                right: node.left + 1,
                value,
            }
        };
        let nodes = |tree: &Tree| (tree.start as usize..tree.end as usize).map(node).collect();
        self.trees.iter().map(nodes).collect()
    }

    /// Scores concatenated rows and appends the scores of each row to `out`.
    pub fn score_into(&self, rows: &[f32], scratch: &mut TreeScratch, out: &mut Vec<f32>) {
        if self.features == 0 {
            return;
        }
        let mut tile = std::mem::take(&mut scratch.tile);
        for chunk in rows.chunks(LANES * self.features) {
            if chunk.len() < MIN_TILE_ROWS * self.features {
                chunk.chunks_exact(self.features).for_each(|row| self.walk(row, out));
                continue;
            }
            tile.clear(self.features, chunk.len() / self.features);
            for (at, row) in chunk.chunks_exact(self.features).enumerate() {
                self.used
                    .iter()
                    .for_each(|feature| tile.columns[*feature as usize].values[at] = row[*feature as usize]);
            }
            self.score_tile(&tile, scratch, out);
        }
        scratch.tile = tile;
    }

    /// The score of one row: the first of its outputs. Scoring rows together is quicker.
    pub fn score(&self, row: &[f32]) -> f32 {
        let mut out = Vec::with_capacity(self.outputs());
        self.score_into(row, &mut TreeScratch::default(), &mut out);
        out.first().copied().unwrap_or(0.0)
    }

    /// Scores one row tree by tree.
    fn walk(&self, row: &[f32], out: &mut Vec<f32>) {
        let first = out.len();
        out.extend(&self.base);
        for (number, tree) in self.trees.iter().enumerate() {
            let start = tree.start as usize;
            let mut at = 0;
            while self.nodes[start + at].bin != LEAF {
                let node = self.nodes[start + at];
                let edge = self.bins.edges(node.feature as usize)[node.bin as usize];
                let right = edge <= row[self.used[node.feature as usize] as usize];
                at = node.left as usize + usize::from(right);
            }
            out[first + number % self.base.len()] += self.values[start + at];
        }
        self.finish(&mut out[first..]);
    }

    /// Scores the rows of a tile and appends their scores to `out`. The result does not depend on the processor.
    pub(crate) fn score_tile(&self, tile: &Tile, scratch: &mut TreeScratch, out: &mut Vec<f32>) {
        dispatch!(Level::new(), simd => self.add_up(simd, tile, scratch));
        for row in 0..tile.rows {
            let at = out.len();
            out.extend(scratch.sums.iter().map(|sums| sums[sum_index(row)]));
            self.finish(&mut out[at..]);
        }
    }

    /// Computes the answers of all rows to every question, and from them the sums.
    #[inline(always)]
    fn add_up<S: Simd>(&self, simd: S, tile: &Tile, scratch: &mut TreeScratch) {
        let TreeScratch { answers, reached, sums, .. } = scratch;
        let rows = tile.rows.clamp(1, LANES);
        answers.resize(self.bins.all_edges().len(), 0);
        let mut rest = &mut answers[..];
        for (number, feature) in self.used.iter().enumerate() {
            let edges = self.bins.edges(number);
            let (own, others) = std::mem::take(&mut rest).split_at_mut(edges.len());
            ask(simd, &tile.columns[*feature as usize].values, rows, edges, own);
            rest = others;
        }
        sums.clear();
        sums.extend(self.base.iter().map(|base| [*base; LANES]));
        self.plan.add(rows, answers, reached, sums);
    }

    /// Turns the sums of a row into scores.
    fn finish(&self, sums: &mut [f32]) {
        match self.link {
            Link::Sum => {}
            Link::Mean => {
                let trees = (self.trees.len() / self.base.len()).max(1) as f32;
                sums.iter_mut().for_each(|sum| *sum /= trees);
            }
            Link::Logistic => sums.iter_mut().for_each(|sum| *sum = sigmoid(*sum)),
            Link::Softmax => {
                let most = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                sums.iter_mut().for_each(|sum| *sum = (*sum - most).exp());
                let total: f32 = sums.iter().sum();
                sums.iter_mut().for_each(|sum| *sum /= total);
            }
        }
    }

    /// The contribution of each feature to the sum of an output: the change of the node's value at each split on the row's path.
    pub fn contributions(&self, row: &[f32], output: usize) -> Vec<f32> {
        let mut contributions = vec![0.0; self.features];
        let outputs = self.base.len();
        for tree in self.trees.iter().skip(output).step_by(outputs) {
            let start = tree.start as usize;
            let mut at = 0;
            for _ in 0..tree.depth {
                let node = self.nodes[start + at];
                if node.bin == LEAF {
                    break;
                }
                let feature = self.used[node.feature as usize] as usize;
                let bin = self.bins.bin(node.feature as usize, row[feature]);
                let next = node.left as usize + usize::from(bin as u16 > node.bin);
                contributions[feature] += self.values[start + next] - self.values[start + at];
                at = next;
            }
        }
        if self.link == Link::Mean {
            let trees = (self.trees.len() / outputs).max(1) as f32;
            contributions.iter_mut().for_each(|contribution| *contribution /= trees);
        }
        contributions
    }

    /// Adds the trees to a file, in arrays whose names start with `prefix`.
    pub fn write(&self, prefix: &str, file: &mut ModelFile) {
        let link = match self.link {
            Link::Mean => 0,
            Link::Sum => 1,
            Link::Logistic => 2,
            Link::Softmax => 3,
        };
        file.set(format!("{prefix}.link"), Array::U8(vec![link]));
        file.set(format!("{prefix}.base"), Array::F32(self.base.clone()));
        file.set(format!("{prefix}.used"), Array::U16(self.used.clone()));
        self.bins.write(prefix, file);
        let sizes = self.trees.iter().map(|tree| tree.end - tree.start).collect();
        file.set(format!("{prefix}.trees"), Array::U32(sizes));
        file.set(format!("{prefix}.left"), Array::U16(self.nodes.iter().map(|node| node.left as u16).collect()));
        file.set(format!("{prefix}.feature"), Array::U16(self.nodes.iter().map(|node| node.feature).collect()));
        file.set(format!("{prefix}.interval"), Array::U8(self.nodes.iter().map(|node| node.bin as u8).collect()));
        file.set(format!("{prefix}.values"), Array::F32(self.values.clone()));
    }

    /// Reads trees for rows of the given number of features.
    pub fn read(prefix: &str, features: usize, file: &ModelFile) -> Result<Trees, Error> {
        let name = |what: &str| format!("{prefix}.{what}");
        let link = match file.u8s(&name("link"))? {
            [0] => Link::Mean,
            [1] => Link::Sum,
            [2] => Link::Logistic,
            [3] => Link::Softmax,
            _ => return Err(damaged(format!("`{prefix}` has an unknown link"))),
        };
        let used = file.u16s(&name("used"))?.to_vec();
        let bins = Discretizer::read(prefix, used.len(), file)?;
        let lefts = file.u16s(&name("left"))?.iter().map(|left| u32::from(*left));
        let splits = file.u16s(&name("feature"))?.iter().zip(file.u8s(&name("interval"))?);
        let nodes: Vec<Node> = lefts
            .zip(splits)
            .map(|(left, (feature, bin))| Node { left, feature: *feature, bin: u16::from(*bin) })
            .collect();
        let mut trees = Trees {
            features,
            link,
            base: file.f32s(&name("base"))?.to_vec(),
            used,
            bins,
            nodes,
            values: file.f32s(&name("values"))?.to_vec(),
            trees: Vec::new(),
            plan: Box::default(),
        };
        let fits = trees.nodes.len() == trees.values.len()
            && !trees.base.is_empty()
            && trees.used.is_sorted_by(|one, two| one < two)
            && trees.used.last().is_none_or(|last| (*last as usize) < features)
            && trees.values.iter().chain(&trees.base).all(|value| value.is_finite());
        if !fits {
            return Err(damaged(format!("the arrays of `{prefix}` do not match each other")));
        }
        let mut start = 0;
        for size in file.u32s(&name("trees"))? {
            let end = start + *size as usize;
            let nodes = trees.nodes.get(start..end).filter(|nodes| trees.is_tree(nodes));
            let nodes = nodes.ok_or_else(|| damaged(format!("a tree of `{prefix}` is damaged")))?;
            let tree = Tree { start: start as u32, end: end as u32, depth: depth(nodes) };
            trees.trees.push(tree);
            start = end;
        }
        if start != trees.nodes.len() || !trees.trees.len().is_multiple_of(trees.base.len()) {
            return Err(damaged(format!("the number of trees of `{prefix}` is wrong")));
        }
        trees.plan = Box::new(trees.make_plan());
        Ok(trees)
    }

    /// Returns whether nodes form a tree as [`append`](Trees::append) writes it: level by level, and leaves point to themselves.
    fn is_tree(&self, nodes: &[Node]) -> bool {
        let mut next = 1;
        let is_valid = |(at, node): (usize, &Node)| match node.bin == LEAF {
            true => node.left as usize == at && (node.feature as usize) < self.used.len().max(1),
            false => {
                let left = node.left as usize;
                let is_next = left == next;
                next += 2;
                is_next
                    && left > at
                    && (node.feature as usize) < self.used.len()
                    && (node.bin as usize) < self.bins.edges(node.feature as usize).len()
            }
        };
        nodes.iter().enumerate().all(is_valid) && next == nodes.len()
    }
}

/// The number of steps from the root to the deepest leaf. Children come after their parent.
fn depth(nodes: &[Node]) -> u32 {
    let mut depths = vec![0u32; nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        if node.bin != LEAF {
            let left = node.left as usize;
            depths[left] = depths[left].max(depths[at] + 1);
            depths[left + 1] = depths[left + 1].max(depths[at] + 1);
        }
    }
    depths.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
#[path = "trees_tests.rs"]
mod tests;
