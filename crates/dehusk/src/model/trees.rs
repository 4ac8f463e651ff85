//! Forests and boosted trees, applied: many small decision trees over the same row, summed.
//!
//! Up to 64 rows are scored together, as the bits of a word. First each question that any tree asks ("is this feature not below
//! that cut?") is asked of all rows once: its answers are one word. Then a tree hands the set of all rows down: at a node the
//! rows of each child are two operations on words, and each row of a leaf gets the leaf's value. A row costs a tree a few
//! instructions, however deep it is, and its sum is added up in the order of the trees. Questions are asked of as many rows at
//! once as the processor can compare, which changes no result.

use super::discretize::Discretizer;
use super::file::{Array, ModelFile, bad};
use super::logistic::sigmoid;
use super::tile::{LANES, Place, Plan, ReachedLarge, Tile, ask, is_constant, place_of};
use crate::error::Error;
use fearless_simd::{Level, Simd, dispatch};

/// Fewer rows than these walk down the trees one by one, which costs a row more and a tree less.
const FEW: usize = 4;
/// The interval no value lies above: what a leaf compares with.
const NEVER: u16 = 255;

/// What the sum over the trees means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Link {
    /// The mean of the trees, as in random forests.
    Mean,
    /// The sum as it is, as in boosting for a number.
    Sum,
    /// The sum is log-odds: boosting for yes and no.
    Logistic,
    /// One sum for each class: boosting for classes.
    Softmax,
}

/// A node of a tree as training gives it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TreeNode {
    /// The feature it asks about.
    pub feature: u32,
    /// Rows whose value is not below this go right, others left.
    pub cut: f32,
    /// The number of the left child in its tree; 0 for a leaf.
    pub left: u32,
    /// The number of the right child.
    pub right: u32,
    /// The value of a leaf, or what a leaf in this place would have.
    pub value: f32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Node {
    /// The left child in its tree; the right one follows. A leaf leads to itself.
    left: u32,
    /// The number of the feature among those in use.
    feature: u16,
    /// Rows in intervals above this go right.
    interval: u16,
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
    /// Where sums begin; one for each output. Tree `t` adds to output `t % outputs`.
    base: Vec<f32>,
    /// The features the trees ask about.
    used: Vec<u16>,
    /// The cuts of those features.
    cuts: Discretizer,
    nodes: Vec<Node>,
    values: Vec<f32>,
    trees: Vec<Tree>,
    /// The nodes once more, as scoring wants them.
    plan: Box<Plan>,
}

/// Memory for the rows that are scored together.
#[derive(Clone, Debug, Default)]
pub struct TreeScratch {
    tile: Tile,
    answers: Vec<u64>,
    reached: ReachedLarge,
    sums: Vec<[f32; LANES]>,
}

impl Trees {
    /// Joins trees. The first node of each is its root; `base` has one value for each output.
    ///
    /// # Panics
    /// If a feature has more than 255 different cuts, a tree more than 65,536 nodes, or its nodes do not form a tree. Training
    /// makes none of these.
    pub fn build(features: usize, link: Link, base: Vec<f32>, trees: &[Vec<TreeNode>]) -> Trees {
        let mut by_feature: Vec<Vec<f32>> = vec![Vec::new(); features];
        for node in trees.iter().flatten().filter(|node| node.left != 0) {
            by_feature[node.feature as usize].push(node.cut);
        }
        for cuts in &mut by_feature {
            cuts.sort_by(f32::total_cmp);
            cuts.dedup();
            assert!(cuts.len() <= NEVER as usize, "a feature has too many cuts");
        }
        let used: Vec<u16> =
            (0..features).filter(|feature| !by_feature[*feature].is_empty()).map(|feature| feature as u16).collect();
        let numbers: Vec<u16> =
            (0..features).map(|feature| used.partition_point(|at| (*at as usize) < feature) as u16).collect();
        let cuts: Vec<Vec<f32>> = used.iter().map(|feature| by_feature[*feature as usize].clone()).collect();
        let mut built = Trees {
            features,
            link,
            base,
            used,
            cuts: Discretizer::new(&cuts),
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

    /// Lays a tree out level by level, siblings beside each other.
    fn append(&mut self, tree: &[TreeNode], numbers: &[u16]) {
        assert!(tree.len() <= 1 << 16, "a tree has too many nodes");
        let start = self.nodes.len();
        let mut order = vec![0u32];
        let mut at = 0;
        while at < order.len() {
            assert!(order.len() <= tree.len(), "the nodes form no tree");
            let node = &tree[order[at] as usize];
            self.values.push(node.value);
            if node.left == 0 {
                self.nodes.push(Node { left: at as u32, feature: 0, interval: NEVER });
            } else {
                let feature = numbers[node.feature as usize];
                let cuts = self.cuts.cuts(feature as usize);
                let interval = cuts.partition_point(|cut| *cut < node.cut) as u16;
                self.nodes.push(Node { left: order.len() as u32, feature, interval });
                order.extend([node.left, node.right]);
            }
            at += 1;
        }
        let depth = depth(&self.nodes[start..]);
        self.trees.push(Tree { start: start as u32, end: self.nodes.len() as u32, depth });
    }

    /// Takes nodes that ask and leaves apart. Nodes were found to be sound before.
    fn make_plan(&self) -> Plan {
        let mut plan = Plan::default();
        for tree in &self.trees {
            let places = (tree.start as usize..tree.end as usize).map(|at| match self.nodes[at] {
                Node { interval: NEVER, .. } => Place::Leaf(self.values[at]),
                Node { left, feature, interval } => {
                    let question = self.cuts.start(feature as usize) + interval as usize;
                    Place::Asks { question: question as u32, left: left as u16 }
                }
            });
            plan.push(&places.collect::<Vec<_>>());
        }
        plan
    }

    /// How many features a row has.
    pub fn features(&self) -> usize {
        self.features
    }

    /// How many scores a row gets: 1, or one for each class.
    pub fn outputs(&self) -> usize {
        self.base.len()
    }

    /// How many trees there are.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Whether there is no tree.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// How many nodes the trees have together.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Scores rows, given one after the other, and appends their scores to `out`, those of one row together.
    pub fn score_into(&self, rows: &[f32], scratch: &mut TreeScratch, out: &mut Vec<f32>) {
        if self.features == 0 {
            return;
        }
        let mut tile = std::mem::take(&mut scratch.tile);
        for block in rows.chunks(LANES * self.features) {
            if block.len() < FEW * self.features {
                block.chunks_exact(self.features).for_each(|row| self.walk(row, out));
                continue;
            }
            tile.clear(self.features, block.len() / self.features);
            for (at, row) in block.chunks_exact(self.features).enumerate() {
                self.used
                    .iter()
                    .for_each(|feature| tile.columns[*feature as usize].values[at] = row[*feature as usize]);
            }
            self.score_tile(&tile, scratch, out);
        }
        scratch.tile = tile;
    }

    /// The score of one row: the first of its outputs. Rows given together cost less.
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
            while self.nodes[start + at].interval != NEVER {
                let node = self.nodes[start + at];
                let cut = self.cuts.cuts(node.feature as usize)[node.interval as usize];
                let right = cut <= row[self.used[node.feature as usize] as usize];
                at = node.left as usize + usize::from(right);
            }
            out[first + number % self.base.len()] += self.values[start + at];
        }
        self.finish(&mut out[first..]);
    }

    /// Scores the rows of a tile and appends their scores to `out`. What a processor can do at once differs, the result does not.
    pub(crate) fn score_tile(&self, tile: &Tile, scratch: &mut TreeScratch, out: &mut Vec<f32>) {
        dispatch!(Level::new(), simd => self.add_up(simd, tile, scratch));
        for row in 0..tile.rows {
            let at = out.len();
            out.extend(scratch.sums.iter().map(|sums| sums[place_of(row)]));
            self.finish(&mut out[at..]);
        }
    }

    /// Finds the answers of all rows to every question, and by them the sums.
    #[inline(always)]
    fn add_up<S: Simd>(&self, simd: S, tile: &Tile, scratch: &mut TreeScratch) {
        let TreeScratch { answers, reached, sums, .. } = scratch;
        answers.clear();
        for (number, feature) in self.used.iter().enumerate() {
            let column = &tile.columns[*feature as usize].values;
            let cuts = self.cuts.cuts(number);
            // What is said of the whole page is the same in all rows, and much else in most.
            if is_constant(column, tile.rows) {
                answers.extend(cuts.iter().map(|cut| if *cut <= column[0] { u64::MAX } else { 0 }));
            } else {
                ask(simd, column, cuts, answers);
            }
        }
        sums.clear();
        sums.extend(self.base.iter().map(|base| [*base; LANES]));
        self.plan.add(tile.rows, answers, reached, sums);
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

    /// How much each feature moves the sum of an output: at each node of a row's way, the change of the mean value.
    pub fn contributions(&self, row: &[f32], output: usize) -> Vec<f32> {
        let mut weighed = vec![0.0; self.features];
        let outputs = self.base.len();
        for tree in self.trees.iter().skip(output).step_by(outputs) {
            let start = tree.start as usize;
            let mut at = 0;
            for _ in 0..tree.depth {
                let node = self.nodes[start + at];
                if node.interval == NEVER {
                    break;
                }
                let feature = self.used[node.feature as usize] as usize;
                let interval = self.cuts.interval(node.feature as usize, row[feature]);
                let next = node.left as usize + usize::from(interval as u16 > node.interval);
                weighed[feature] += self.values[start + next] - self.values[start + at];
                at = next;
            }
        }
        if self.link == Link::Mean {
            let trees = (self.trees.len() / outputs).max(1) as f32;
            weighed.iter_mut().for_each(|weight| *weight /= trees);
        }
        weighed
    }

    /// Puts the trees into a file, under names that start with `prefix`.
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
        self.cuts.write(prefix, file);
        let sizes = self.trees.iter().map(|tree| tree.end - tree.start).collect();
        file.set(format!("{prefix}.trees"), Array::U32(sizes));
        file.set(format!("{prefix}.left"), Array::U16(self.nodes.iter().map(|node| node.left as u16).collect()));
        file.set(format!("{prefix}.feature"), Array::U16(self.nodes.iter().map(|node| node.feature).collect()));
        file.set(format!("{prefix}.interval"), Array::U8(self.nodes.iter().map(|node| node.interval as u8).collect()));
        file.set(format!("{prefix}.values"), Array::F32(self.values.clone()));
    }

    /// Reads trees over rows of so many features.
    pub fn read(prefix: &str, features: usize, file: &ModelFile) -> Result<Trees, Error> {
        let name = |what: &str| format!("{prefix}.{what}");
        let link = match file.u8s(&name("link"))? {
            [0] => Link::Mean,
            [1] => Link::Sum,
            [2] => Link::Logistic,
            [3] => Link::Softmax,
            _ => return Err(bad(format!("`{prefix}` has an unknown link"))),
        };
        let used = file.u16s(&name("used"))?.to_vec();
        let cuts = Discretizer::read(prefix, used.len(), file)?;
        let lefts = file.u16s(&name("left"))?.iter().map(|left| u32::from(*left));
        let asked = file.u16s(&name("feature"))?.iter().zip(file.u8s(&name("interval"))?);
        let nodes: Vec<Node> = lefts
            .zip(asked)
            .map(|(left, (feature, interval))| Node { left, feature: *feature, interval: u16::from(*interval) })
            .collect();
        let mut trees = Trees {
            features,
            link,
            base: file.f32s(&name("base"))?.to_vec(),
            used,
            cuts,
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
            return Err(bad(format!("the arrays of `{prefix}` do not fit each other")));
        }
        let mut start = 0;
        for size in file.u32s(&name("trees"))? {
            let end = start + *size as usize;
            let nodes = trees.nodes.get(start..end).filter(|nodes| trees.is_tree(nodes));
            let nodes = nodes.ok_or_else(|| bad(format!("a tree of `{prefix}` is damaged")))?;
            let tree = Tree { start: start as u32, end: end as u32, depth: depth(nodes) };
            trees.trees.push(tree);
            start = end;
        }
        if start != trees.nodes.len() || !trees.trees.len().is_multiple_of(trees.base.len()) {
            return Err(bad(format!("`{prefix}` does not hold the trees it says")));
        }
        trees.plan = Box::new(trees.make_plan());
        Ok(trees)
    }

    /// Whether nodes form a tree that ends: children stand behind their parent, leaves lead to themselves.
    fn is_tree(&self, nodes: &[Node]) -> bool {
        let is_sound = |(at, node): (usize, &Node)| match node.interval == NEVER {
            true => node.left as usize == at && (node.feature as usize) < self.used.len().max(1),
            false => {
                let left = node.left as usize;
                left > at
                    && left + 1 < nodes.len()
                    && (node.feature as usize) < self.used.len()
                    && (node.interval as usize) < self.cuts.cuts(node.feature as usize).len()
            }
        };
        !nodes.is_empty() && nodes.iter().enumerate().all(is_sound)
    }
}

/// The steps from the root to the deepest leaf. Children stand behind their parent.
fn depth(nodes: &[Node]) -> u32 {
    let mut depths = vec![0u32; nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        if node.interval != NEVER {
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
