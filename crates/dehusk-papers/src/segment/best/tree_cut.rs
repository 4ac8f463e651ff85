//! `best`: the cut of the page's own tree that keeps together what a model takes for one segment.
//!
//! Every part is a candidate for a segment. A model estimates for each part the share of pairs of leaves, in different children of it, that belong
//! to one segment. Whether to keep a part whole is then a choice between the sum over all pairs inside it and the best that its
//! children can do by themselves, so the best cut for any threshold is found in one pass from the leaves to the root.

use crate::segment::leaf_tree::LeafTree;

/// The thresholds that are tried: the share of pairs from which two children rather belong together.
const THRESHOLDS: [f32; 13] = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8];

/// What a set of pairs adds up to.
#[derive(Clone, Copy, Debug, Default)]
struct Pairs {
    /// All pairs.
    all: f64,
    /// Those expected to belong together.
    together: f64,
}

impl Pairs {
    fn add(&mut self, other: Pairs) {
        self.all += other.all;
        self.together += other.together;
    }
}

/// A cut: which parts are kept whole, and the adjusted Rand index that is expected of it if the shares are right.
struct Cut {
    whole: Vec<bool>,
    expected: f64,
}

/// The segment of each leaf, given for each part the share of pairs of leaves in different children that belong together.
pub(crate) fn cut_tree(tree: &LeafTree, shares: &[f32]) -> Vec<u32> {
    if tree.parts.is_empty() {
        return Vec::new();
    }
    let pairs = pairs_by_part(tree, shares);
    let cuts = THRESHOLDS.iter().map(|threshold| cut_at(tree, &pairs, f64::from(*threshold)));
    let best = cuts.reduce(|best, cut| if cut.expected > best.expected { cut } else { best });
    best.map_or(Vec::new(), |best| leaf_labels(tree, &best.whole))
}

/// The pairs of leaves in different children of each part. Only shown leaves count, unless nothing is shown.
fn pairs_by_part(tree: &LeafTree, shares: &[f32]) -> Vec<Pairs> {
    let anything_shown = tree.leaves.iter().any(|leaf| leaf.is_shown);
    let mut counts = vec![0.0; tree.parts.len()];
    let mut pairs = vec![Pairs::default(); tree.parts.len()];
    for leaf in &tree.leaves {
        counts[leaf.part as usize] += f64::from(u8::from(leaf.is_shown || !anything_shown));
    }
    for at in (0..tree.parts.len()).rev() {
        pairs[at].together = pairs[at].all * f64::from(shares[at]);
        if let Some(parent) = tree.parts[at].parent() {
            pairs[parent].all += counts[parent] * counts[at];
            counts[parent] += counts[at];
        }
    }
    pairs
}

fn cut_at(tree: &LeafTree, pairs: &[Pairs], threshold: f64) -> Cut {
    let count = tree.parts.len();
    // For each part: the gain if it is whole, the best gain of any cut of it, all its pairs, and those that the best cut joins.
    let mut whole_gain = vec![0.0; count];
    let mut best_gain = vec![0.0; count];
    let mut inside = pairs.to_vec();
    let mut joined = vec![Pairs::default(); count];
    let mut whole = vec![false; count];
    for at in (0..count).rev() {
        whole_gain[at] += pairs[at].together - threshold * pairs[at].all;
        if whole_gain[at] >= best_gain[at] {
            whole[at] = true;
            best_gain[at] = whole_gain[at];
            joined[at] = inside[at];
        }
        if let Some(parent) = tree.parts[at].parent() {
            let (gain, best) = (whole_gain[at], best_gain[at]);
            whole_gain[parent] += gain;
            best_gain[parent] += best;
            let (own, own_joined) = (inside[at], joined[at]);
            inside[parent].add(own);
            joined[parent].add(own_joined);
        }
    }
    let (page, joined) = (inside[0], joined[0]);
    // The adjusted Rand index, with expected numbers of pairs.
    let chance = joined.all * page.together / page.all.max(1.0);
    let most = (joined.all + page.together) / 2.0;
    let expected = if most > chance { (joined.together - chance) / (most - chance) } else { 0.0 };
    Cut { whole, expected }
}

fn leaf_labels(tree: &LeafTree, whole: &[bool]) -> Vec<u32> {
    let mut segments: Vec<Option<u32>> = Vec::with_capacity(tree.parts.len());
    for (at, part) in tree.parts.iter().enumerate() {
        let outer = part.parent().and_then(|parent| segments[parent]);
        segments.push(outer.or(whole[at].then_some(at as u32)));
    }
    // Text of a part that is not whole is a segment by itself.
    tree.leaves.iter().map(|leaf| segments[leaf.part as usize].unwrap_or(leaf.part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;
    use crate::layout::estimate;

    /// Trees of nested elements from a list of choices.
    fn random_tree(seed: u64) -> LeafTree {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |end: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % end
        };
        let (mut html, mut open) = (String::from("<body>"), 0);
        for _ in 0..10 {
            match next(3) {
                0 => {
                    html.push_str("<div>");
                    open += 1;
                }
                1 if open > 0 => {
                    html.push_str("</div>");
                    open -= 1;
                }
                _ => html.push_str("<p>text</p>"),
            }
        }
        let document = Parser::default().parse(&html).unwrap();
        LeafTree::new(&document, &estimate(&document))
    }

    /// The gain of a labelling: pairs in one segment, with their shares, less the threshold for each.
    fn gain(tree: &LeafTree, shares: &[f32], labels: &[u32], threshold: f64) -> f64 {
        let mut sum = 0.0;
        for one in 0..labels.len() {
            for two in one + 1..labels.len() {
                if labels[one] == labels[two] {
                    let parts = &tree.parts;
                    let (mut a, mut b) = (tree.leaves[one].part, tree.leaves[two].part);
                    while a != b {
                        if a > b { a = parts[a as usize].parent } else { b = parts[b as usize].parent }
                    }
                    sum += f64::from(shares[a as usize]) - threshold;
                }
            }
        }
        sum
    }

    #[test]
    fn no_cut_of_the_tree_is_better() {
        for seed in 0..400 {
            let tree = random_tree(seed);
            let count = tree.parts.len();
            let shares: Vec<f32> = (0..count).map(|at| ((seed as usize * 7 + at * 13) % 11) as f32 / 10.0).collect();
            if count == 0 || count > 12 {
                continue;
            }
            let threshold = 0.45;
            let found = cut_at(&tree, &pairs_by_part(&tree, &shares), threshold);
            let found = gain(&tree, &shares, &leaf_labels(&tree, &found.whole), threshold);
            let all = (0..1_u32 << count).map(|bits| {
                let whole: Vec<bool> = (0..count).map(|at| bits >> at & 1 == 1).collect();
                gain(&tree, &shares, &leaf_labels(&tree, &whole), threshold)
            });
            let best = all.fold(f64::NEG_INFINITY, f64::max);
            assert!((found - best).abs() < 1e-9, "seed {seed}: {found} of {best}");
        }
    }

    #[test]
    fn shares_decide_what_is_whole() {
        let document = Parser::default().parse("<body><div><p>a</p><p>b</p></div><div><p>c</p><p>d</p></div>").unwrap();
        let tree = LeafTree::new(&document, &estimate(&document));
        let shares = |page: f32| (0..tree.parts.len()).map(|at| if at == 0 { page } else { 0.9 }).collect::<Vec<f32>>();
        let two = cut_tree(&tree, &shares(0.05));
        assert_eq!((two[0] == two[1], two[1] == two[2], two[2] == two[3]), (true, false, true));
        let one = cut_tree(&tree, &shares(0.95));
        assert!(one.iter().all(|label| *label == one[0]));
    }
}
