//! Regularized tree isotonic regression: smooths scores so that they never decrease from a node to its descendants.
//!
//! Input: a tree with a score, a weight and a penalty per node. Output: values `y` that minimize
//! `Σ wᵢ·|xᵢ − yᵢ| + Σ γᵢ over the nodes whose value differs from their parent's` with `y(parent) ≤ y(child)`; the root
//! always pays its penalty (PageLevel §4). Of equally good values the middle is taken. A dynamic program over the values a node can take, one pass up and one down,
//! O(nodes · values) by suffix minima. It does not depend on pages.

/// A tree with scores, weights and penalties, in preorder: every parent is before its children.
#[derive(Clone, Copy, Debug)]
pub struct ScoredTree<'a> {
    /// The parent of each node; that of the first node, the root, is ignored.
    pub parents: &'a [u32],
    /// The score of each node, 0 to 1.
    pub scores: &'a [f32],
    /// The cost of a unit of distance between the value and the score of each node.
    pub weights: &'a [f32],
    /// The cost of a value that differs from the parent's.
    pub penalties: &'a [f32],
}

/// The number of values of a quantized regression. A score is at most 1/512 away from its level.
pub const LEVELS: usize = 256;

/// The middle of a level.
fn level_value(level: usize) -> f64 {
    (level as f64 + 0.5) / LEVELS as f64
}

/// Smooths scores exactly: values can be any of the scores. Time and memory grow with nodes times distinct scores.
pub fn smooth_exact(tree: ScoredTree<'_>) -> Vec<f32> {
    let mut distinct: Vec<f32> = tree.scores.iter().map(|score| sanitize(*score)).collect();
    distinct.sort_by(f32::total_cmp);
    distinct.dedup();
    let values: Vec<f64> = distinct.iter().map(|value| f64::from(*value)).collect();
    let indexes: Vec<u32> =
        tree.scores.iter().map(|score| distinct.partition_point(|value| *value < sanitize(*score)) as u32).collect();
    centre_ties(tree, &values, &indexes, &regress(tree, &values, &indexes))
}

/// Smooths scores rounded to 256 levels. Time is linear in the number of nodes.
pub fn smooth_quantized(tree: ScoredTree<'_>) -> Vec<f32> {
    let level = |score: f32| ((sanitize(score) * LEVELS as f32) as usize).min(LEVELS - 1);
    // An optimal value is always one of the scores (lemma 3 of the paper), so levels without a score are left out.
    let mut index_of = [u32::MAX; LEVELS];
    for score in tree.scores {
        index_of[level(*score)] = 0;
    }
    let mut values = Vec::with_capacity(LEVELS);
    for (level, index) in index_of.iter_mut().enumerate() {
        if *index == 0 {
            *index = values.len() as u32;
            values.push(level_value(level));
        }
    }
    let indexes: Vec<u32> = tree.scores.iter().map(|score| index_of[level(*score)]).collect();
    centre_ties(tree, &values, &indexes, &regress(tree, &values, &indexes))
}

/// The score clamped to 0..1; 0.5 if it is NaN.
fn sanitize(score: f32) -> f32 {
    if score.is_nan() { 0.5 } else { score.clamp(0.0, 1.0) }
}

/// The choice of each node for each value of its parent, as two bits per value.
struct Choices {
    words: usize,
    /// Whether the node takes the value of its parent.
    stay: Vec<u64>,
    /// Whether no higher value of the node is cheaper than this one. A node that leaves its parent's value takes the next such value.
    record: Vec<u64>,
}

impl Choices {
    fn new(nodes: usize, values: usize) -> Choices {
        let words = values.div_ceil(64);
        Choices { words, stay: vec![0; nodes * words], record: vec![0; nodes * words] }
    }

    /// The index of a node's value, given that of its parent.
    fn value_index(&self, node: usize, parent: usize) -> usize {
        let row = node * self.words;
        if self.stay[row + parent / 64] >> (parent % 64) & 1 == 1 {
            return parent;
        }
        let above = parent + 1;
        let mut word = above / 64;
        let mut bits = self.record[row + word] & (u64::MAX << (above % 64));
        while bits == 0 {
            word += 1;
            bits = self.record[row + word];
        }
        word * 64 + bits.trailing_zeros() as usize
    }
}

/// Chooses one of the ascending `values` for each node. `indexes` are the indexes of the nodes' scores in `values`.
fn regress(tree: ScoredTree<'_>, values: &[f64], indexes: &[u32]) -> Vec<u32> {
    let nodes = indexes.len();
    if nodes == 0 {
        return Vec::new();
    }
    let mut choices = Choices::new(nodes, values.len());
    // For each open node, the costs of its descendants by its value. Going from the last node to the first, the open nodes are
    // ancestors of one another, so a stack of rows is enough.
    let mut open: Vec<(usize, Vec<f64>)> = Vec::new();
    let mut free: Vec<Vec<f64>> = Vec::new();
    for node in (1..nodes).rev() {
        let (weight, penalty) = (cost(tree.weights[node]), cost(tree.penalties[node]));
        let score = values[indexes[node] as usize];
        let parent = parent_of(tree, node);
        if let Some((_, mut row)) = open.pop_if(|(holder, _)| *holder == node) {
            add_own(&mut row, values, score, weight);
            let bits = node * choices.words..(node + 1) * choices.words;
            fold_into_parent(&mut row, penalty, &mut choices.stay[bits.clone()], &mut choices.record[bits]);
            match open.last_mut() {
                Some((holder, sum)) if *holder == parent => {
                    sum.iter_mut().zip(&row).for_each(|(sum, cost)| *sum += cost);
                    free.push(row);
                }
                _ => open.push((parent, row)),
            }
            continue;
        }
        if open.last().is_none_or(|(holder, _)| *holder != parent) {
            open.push((parent, zeroed(&mut free, values.len())));
        }
        if let Some((_, sum)) = open.last_mut() {
            add_leaf(sum, values, indexes[node] as usize, weight, penalty);
        }
    }
    let mut root = open.pop().map_or_else(|| vec![0.0; values.len()], |(_, row)| row);
    add_own(&mut root, values, values[indexes[0] as usize], cost(tree.weights[0]));
    let mut chosen = vec![0u32; nodes];
    chosen[0] = lowest(&root) as u32;
    for node in 1..nodes {
        let around = chosen[parent_of(tree, node)] as usize;
        // The first child of a node comes right after it.
        let is_leaf = node + 1 == nodes || parent_of(tree, node + 1) != node;
        chosen[node] = if is_leaf {
            let index = indexes[node] as usize;
            let moves = leaf_moves(values, index, cost(tree.weights[node]), cost(tree.penalties[node]));
            if moves(around) { index as u32 } else { around as u32 }
        } else {
            choices.value_index(node, around) as u32
        };
    }
    chosen
}

/// A set of connected nodes that were given one value.
struct Section {
    parent: usize,
    /// The lowest and the highest value of the section that are optimal.
    lowest: f64,
    highest: f64,
    /// The scores of its nodes, with their weights.
    scores: Vec<(u32, f64)>,
}

/// The values of the nodes. Where a range of values is optimal, the middle of it is taken: a section of two nodes with scores 0.2
/// and 0.8 costs the same at each value in between, and its lowest value would make every such section content.
fn centre_ties(tree: ScoredTree<'_>, values: &[f64], indexes: &[u32], chosen: &[u32]) -> Vec<f32> {
    let mut sections: Vec<Section> = Vec::new();
    let mut section_of: Vec<usize> = Vec::with_capacity(chosen.len());
    for (node, index) in chosen.iter().enumerate() {
        let parent = if node > 0 { parent_of(tree, node) } else { 0 };
        if node == 0 || chosen[parent] != *index {
            let value = values[*index as usize];
            let around = if node > 0 { section_of[parent] } else { 0 };
            section_of.push(sections.len());
            sections.push(Section { parent: around, lowest: value, highest: value, scores: Vec::new() });
        } else {
            section_of.push(section_of[parent]);
        }
        sections[section_of[node]].scores.push((indexes[node], cost(tree.weights[node])));
    }
    for section in &mut sections {
        section.scores.sort_by_key(|(index, _)| *index);
        let total: f64 = section.scores.iter().map(|(_, weight)| weight).sum();
        let mut below = 0.0;
        for (index, weight) in &section.scores {
            let value = values[*index as usize];
            // All values between two scores are optimal if the scores on both sides weigh the same.
            if *weight > 0.0 && below == total - below {
                section.highest = section.highest.max(value);
                break;
            }
            below += weight;
            if below == total - below {
                section.lowest = section.lowest.min(value);
            }
        }
    }
    // A section must stay at or below the sections in it, and these above it.
    for number in (1..sections.len()).rev() {
        let parent = sections[number].parent;
        sections[parent].highest = sections[parent].highest.min(sections[number].highest);
    }
    let mut centres: Vec<f64> = Vec::with_capacity(sections.len());
    for section in &sections {
        let centre = f64::midpoint(section.lowest, section.highest);
        centres.push(centres.get(section.parent).map_or(centre, |around: &f64| around.max(centre)));
    }
    section_of.into_iter().map(|section| centres[section] as f32).collect()
}

/// The parent of a node that is not the root. An invalid parent, at or after its child, is replaced by the node before the child.
fn parent_of(tree: ScoredTree<'_>, node: usize) -> usize {
    (tree.parents[node] as usize).min(node - 1)
}

/// Returns whether a leaf takes its own score, the value at `index`, instead of the value of its parent. No third value can be
/// better.
fn leaf_moves(values: &[f64], index: usize, weight: f64, penalty: f64) -> impl Fn(usize) -> bool {
    move |around| around < index && weight * (values[index] - values[around]) > penalty
}

/// Adds the cost of a leaf for each value of its parent. More than half of all nodes are leaves.
fn add_leaf(sum: &mut [f64], values: &[f64], index: usize, weight: f64, penalty: f64) {
    let score = values[index];
    let (below, above) = sum.split_at_mut(index);
    below.iter_mut().zip(values).for_each(|(sum, value)| *sum += (weight * (score - value)).min(penalty));
    above.iter_mut().zip(&values[index..]).for_each(|(sum, value)| *sum += weight * (value - score));
}

/// A weight or penalty, clamped so that it is not negative and sums stay finite; 0 if it is NaN.
fn cost(number: f32) -> f64 {
    if number.is_nan() { 0.0 } else { f64::from(number.clamp(0.0, 1e12)) }
}

fn zeroed(free: &mut Vec<Vec<f64>>, values: usize) -> Vec<f64> {
    let mut row = free.pop().unwrap_or_default();
    row.clear();
    row.resize(values, 0.0);
    row
}

/// Adds the cost of the distance to a node's own score for each of the values.
fn add_own(row: &mut [f64], values: &[f64], score: f64, weight: f64) {
    row.iter_mut().zip(values).for_each(|(cost, value)| *cost += weight * (score - value).abs());
}

/// Turns the costs of a node by its own value into those by the value of its parent, and records its choices.
fn fold_into_parent(row: &mut [f64], penalty: f64, stay: &mut [u64], record: &mut [u64]) {
    let mut best_above = f64::INFINITY;
    for (word, costs) in row.chunks_mut(64).enumerate().rev() {
        let (mut stays, mut records) = (0, 0);
        // From the highest value to the lowest, so the last bit shifted in belongs to the first value.
        for cost in costs.iter_mut().rev() {
            let own = *cost;
            let leave = best_above + penalty;
            stays = stays << 1 | u64::from(own <= leave);
            records = records << 1 | u64::from(own <= best_above);
            *cost = own.min(leave);
            best_above = best_above.min(own);
        }
        stay[word] = stays;
        record[word] = records;
    }
}

/// The index of the lowest cost, the first one if several are equal.
fn lowest(row: &[f64]) -> usize {
    let mut best = 0;
    for (index, cost) in row.iter().enumerate() {
        if *cost < row[best] {
            best = index;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers, the same in each run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % u64::from(bound)) as u32
        }
    }

    struct Owned {
        parents: Vec<u32>,
        scores: Vec<f32>,
        weights: Vec<f32>,
        penalties: Vec<f32>,
    }

    impl Owned {
        /// A tree in preorder: each new node is a child of the last one or of one of its ancestors.
        fn random(random: &mut Random, nodes: usize, distinct: u32) -> Owned {
            let mut parents: Vec<u32> = vec![0];
            for node in 1..nodes as u32 {
                let mut parent = node - 1;
                while parent > 0 && random.below(2) == 0 {
                    parent = parents[parent as usize];
                }
                parents.push(parent);
            }
            let mut some = |bound: u32| (0..nodes).map(|_| random.below(bound) as f32).collect::<Vec<f32>>();
            let scores = some(distinct).iter().map(|level| level / (distinct - 1).max(1) as f32).collect();
            let weights = some(5).iter().map(|weight| weight / 2.0).collect();
            // From no penalty to more than any score can gain.
            let scale = [0.0, 0.05, 0.3, 2.0][some(4)[0] as usize];
            let penalties = some(8).iter().map(|penalty| penalty * scale).collect();
            Owned { parents, scores, weights, penalties }
        }

        fn tree(&self) -> ScoredTree<'_> {
            let Owned { parents, scores, weights, penalties } = self;
            ScoredTree { parents, scores, weights, penalties }
        }

        /// The cost of the values, or `None` if one is below its parent's.
        fn cost(&self, scores: &[f32], values: &[f32]) -> Option<f64> {
            let mut sum = 0.0;
            for node in 0..values.len() {
                let parent = values[self.parents[node] as usize];
                if values[node] < parent {
                    return None;
                }
                sum += f64::from(self.weights[node]) * f64::from((scores[node] - values[node]).abs());
                if node == 0 || values[node] != parent {
                    sum += f64::from(self.penalties[node]);
                }
            }
            Some(sum)
        }

        /// The lowest cost over all assignments of values, by exhaustive search.
        fn least_cost(&self, scores: &[f32], choices: &[f32]) -> f64 {
            let mut indexes = vec![0; scores.len()];
            let mut values = vec![choices[0]; scores.len()];
            let mut least = f64::INFINITY;
            loop {
                least = least.min(self.cost(scores, &values).unwrap_or(f64::INFINITY));
                let Some(node) = indexes.iter().rposition(|index| index + 1 < choices.len()) else { return least };
                indexes[node] += 1;
                indexes[node + 1..].fill(0);
                for (value, index) in values.iter_mut().zip(&indexes) {
                    *value = choices[*index];
                }
            }
        }
    }

    #[test]
    fn of_equally_good_values_the_middle_is_taken() {
        // A wrapper and its only child: any value from 0.2 to 0.8 costs the same.
        let pair = |weights: [f32; 3], scores: [f32; 3]| {
            let owned = Owned {
                parents: vec![0, 0, 1],
                scores: scores.to_vec(),
                weights: weights.to_vec(),
                penalties: vec![0.0, 0.1, 9.0],
            };
            let smooth = smooth_exact(owned.tree());
            let quantized = smooth_quantized(owned.tree());
            assert!(
                smooth.iter().zip(&quantized).all(|(one, two)| (one - two).abs() < 0.01),
                "{smooth:?} {quantized:?}"
            );
            smooth
        };
        assert_eq!(pair([9.0, 1.0, 1.0], [0.1, 0.2, 0.8])[1..], [0.5, 0.5]);
        // The heavier node decides, if there is one.
        assert_eq!(pair([9.0, 1.0, 2.0], [0.1, 0.2, 0.8])[1..], [0.8, 0.8]);
        // A section does not rise above the sections in it. Without a penalty for these, no cost keeps it from that.
        let owned = Owned {
            parents: vec![0, 0, 0],
            scores: vec![0.1, 0.9, 0.3],
            weights: vec![1.0, 1.0, 4.0],
            penalties: vec![0.0, 9.0, 0.0],
        };
        let smooth = smooth_exact(owned.tree());
        assert!(owned.cost(&owned.scores, &smooth).is_some() && smooth[2] == 0.3, "{smooth:?}");
        assert!(smooth[0] == smooth[1] && (0.15..0.25).contains(&smooth[0]), "{smooth:?}");
    }

    fn distinct(scores: &[f32]) -> Vec<f32> {
        let mut distinct = scores.to_vec();
        distinct.sort_by(f32::total_cmp);
        distinct.dedup();
        distinct
    }

    #[test]
    fn exact_equals_brute_force() {
        let mut random = Random(1);
        for round in 0..6_000 {
            // As many distinct scores as brute force can handle.
            let (nodes, levels) = [(9, 3), (7, 4), (6, 5), (5, 9), (3, 20), (1, 4)][round % 6];
            let nodes = 1 + random.below(nodes) as usize;
            let owned = Owned::random(&mut random, nodes, levels);
            let smooth = smooth_exact(owned.tree());
            let cost = owned.cost(&owned.scores, &smooth).expect("values never fall");
            let least = owned.least_cost(&owned.scores, &distinct(&owned.scores));
            assert!((cost - least).abs() < 1e-6, "round {round}: {cost} instead of {least}");
        }
    }

    #[test]
    fn values_between_scores_are_never_better() {
        let mut random = Random(2);
        for _ in 0..500 {
            let owned = Owned::random(&mut random, 5, 3);
            let cost = owned.cost(&owned.scores, &smooth_exact(owned.tree())).expect("values never fall");
            let between = [0.0, 0.2, 0.25, 0.5, 0.6, 0.75, 1.0];
            assert!(cost <= owned.least_cost(&owned.scores, &between) + 1e-6);
        }
    }

    #[test]
    fn quantized_is_optimal_for_its_levels() {
        let mut random = Random(3);
        for _ in 0..2_000 {
            let nodes = 1 + random.below(6) as usize;
            let mut owned = Owned::random(&mut random, nodes, 5);
            for score in &mut owned.scores {
                *score = (*score * 0.9 + random.below(100) as f32 / 1_000.0).min(1.0);
            }
            let rounded: Vec<f32> = owned
                .scores
                .iter()
                .map(|score| level_value(((score * LEVELS as f32) as usize).min(LEVELS - 1)) as f32)
                .collect();
            assert!(owned.scores.iter().zip(&rounded).all(|(one, two)| (one - two).abs() <= 1.0 / 512.0 + 1e-7));
            let smooth = smooth_quantized(owned.tree());
            let cost = owned.cost(&rounded, &smooth).expect("values never fall");
            let least = owned.least_cost(&rounded, &distinct(&rounded));
            assert!((cost - least).abs() < 1e-6, "{cost} instead of {least}");
        }
    }

    #[test]
    fn large_trees_of_any_shape_stay_monotone() {
        let mut random = Random(4);
        for nodes in [1_000, 20_000] {
            let mut owned = Owned::random(&mut random, nodes, 1_000);
            for shape in 0..3 {
                match shape {
                    1 => owned.parents = (0..nodes as u32).map(|node| node.saturating_sub(1)).collect(),
                    2 => owned.parents.fill(0),
                    _ => {}
                }
                let smooth = smooth_quantized(owned.tree());
                assert!((0..nodes).all(|node| smooth[node] >= smooth[owned.parents[node] as usize]));
            }
        }
        let owned = Owned::random(&mut random, 2_000, 700);
        let (exact, quantized) = (smooth_exact(owned.tree()), smooth_quantized(owned.tree()));
        let cost = |values: &[f32]| owned.cost(&owned.scores, values).expect("values never fall");
        // Rounding costs at most 1/512 for each unit of weight, once to the levels and once back.
        let weight: f64 = owned.weights.iter().map(|weight| f64::from(*weight)).sum();
        assert!(cost(&exact) <= cost(&quantized) + 1e-6);
        assert!(cost(&quantized) <= cost(&exact) + weight / 256.0 + 1e-6);
    }

    #[test]
    fn invalid_numbers_are_tolerated() {
        assert!(smooth_quantized(ScoredTree { parents: &[], scores: &[], weights: &[], penalties: &[] }).is_empty());
        let tree = ScoredTree {
            parents: &[0, 0, 9, 2],
            scores: &[f32::NAN, -4.0, f32::INFINITY, 0.3],
            weights: &[1.0, f32::NAN, f32::INFINITY, -1.0],
            penalties: &[0.0, f32::INFINITY, 1.0, f32::NAN],
        };
        for smooth in [smooth_exact(tree), smooth_quantized(tree)] {
            assert!(smooth.iter().all(|value| (0.0..=1.0).contains(value)));
            assert!(smooth[1] >= smooth[0] && smooth[2] >= smooth[1] && smooth[3] >= smooth[2]);
        }
    }

    #[test]
    fn a_high_penalty_joins_and_a_low_one_separates() {
        let (parents, scores, weights) = ([0, 0, 0], [0.1, 0.2, 0.9], [1.0; 3]);
        let smooth = |penalty: f32| {
            smooth_exact(ScoredTree { parents: &parents, scores: &scores, weights: &weights, penalties: &[penalty; 3] })
        };
        assert_eq!(smooth(0.0), scores);
        assert_eq!(smooth(0.3), [0.15, 0.15, 0.9]);
        assert_eq!(smooth(5.0), [0.2, 0.2, 0.2]);
    }
}
