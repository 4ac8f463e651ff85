//! The restricted top-down distance computed directly from its definition, and small trees to test it on. Tests only.

#[path = "random.rs"]
mod random;

use super::{NO_NODE, NodeId, PageTree, TextForm, TreeNode};
pub(crate) use random::Random;
use std::collections::BTreeMap;

fn tree_of(labels_and_parents: &[(u64, u32)]) -> PageTree {
    let nodes: Vec<TreeNode> = labels_and_parents
        .iter()
        .enumerate()
        .map(|(at, (label, parent))| {
            let node = NodeId(at as u32);
            TreeNode { label: *label, parent: *parent, node, visible: true, linked: false, form: TextForm::Long }
        })
        .collect();
    PageTree::assemble(&nodes)
}

/// A random tree of up to `max_nodes` nodes. Each node is attached to the previous node or one of its ancestors, so
/// this is a preorder.
pub(crate) fn random_tree(random: &mut Random, max_nodes: usize, labels: usize) -> PageTree {
    let count = 1 + random.below(max_nodes);
    let mut nodes = vec![(random.below(labels.min(2)) as u64 + 1, NO_NODE)];
    let mut open = vec![0u32];
    for number in 1..count as u32 {
        let depth = 1 + random.below(open.len());
        open.truncate(depth);
        nodes.push((random.below(labels) as u64 + 1, open[open.len() - 1]));
        open.push(number);
    }
    tree_of(&nodes)
}

/// A root with `count` children with one text each. `mark` makes the texts of two trees different.
pub(crate) fn wide_tree(count: u32, mark: u64) -> PageTree {
    let mut nodes = vec![(1, NO_NODE)];
    for child in 0..count {
        let parent = nodes.len() as u32;
        nodes.push((2, 0));
        nodes.push((1_000 + mark * 1_000_000 + child as u64, parent));
    }
    tree_of(&nodes)
}

/// A tree of one branch.
pub(crate) fn path_tree(depth: u32, leaf: u64) -> PageTree {
    let mut nodes = vec![(1, NO_NODE)];
    nodes.extend((1..depth).map(|number| (2, number - 1)));
    nodes.push((1_000 + leaf, depth - 1));
    tree_of(&nodes)
}

fn children(tree: &PageTree, at: u32) -> Vec<u32> {
    let mut list = Vec::new();
    tree.list_children(at, &mut list);
    list
}

/// Computes the minimum cost over all restricted top-down mappings that pair the roots. Nodes are priced from last to
/// first. Pairs with different labels keep nothing below; for the children of the others, every order-preserving
/// choice of pairs is tried.
pub(crate) fn brute_force_distance(one: &PageTree, two: &PageTree) -> u64 {
    let mut known: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for at in (0..one.len() as u32).rev() {
        for there in (0..two.len() as u32).rev() {
            let below = (one.size_of(at) + two.size_of(there) - 2) as u64;
            let cost = if one.label_of(at) != two.label_of(there) {
                1 + below
            } else {
                let saved = best_saving(one, &children(one, at), two, &children(two, there), &known);
                below - saved
            };
            known.insert((at, there), cost);
        }
    }
    known[&(0, 0)]
}

/// Computes the maximum saving of pairing children, compared with deleting and inserting all of them: tries all
/// subsets of the children of one node with all subsets of the same size of the other, in order.
fn best_saving(one: &PageTree, left: &[u32], two: &PageTree, right: &[u32], known: &BTreeMap<(u32, u32), u64>) -> u64 {
    let mut best = 0;
    for set in 0u32..1 << left.len() {
        for other in (0u32..1 << right.len()).filter(|other| other.count_ones() == set.count_ones()) {
            let chosen = left.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
            let partners = right.iter().enumerate().filter(|(bit, _)| other >> bit & 1 == 1);
            let saving: i64 = chosen
                .zip(partners)
                .map(|((_, a), (_, b))| (one.size_of(*a) + two.size_of(*b)) as i64 - known[&(*a, *b)] as i64)
                .sum();
            best = best.max(saving);
        }
    }
    best as u64
}

/// Whether a tree can be obtained from another by removing subtrees.
pub(crate) fn is_contained(part: &PageTree, whole: &PageTree) -> bool {
    if part.is_empty() {
        return true;
    }
    // Which pairs of nodes fit, from last to first.
    let mut fits: BTreeMap<(u32, u32), bool> = BTreeMap::new();
    for at in (0..part.len() as u32).rev() {
        for there in (0..whole.len() as u32).rev() {
            let mut wanted = children(part, at).into_iter().peekable();
            for child in children(whole, there) {
                // Taking the first child that fits leaves the most for the rest.
                if wanted.peek().is_some_and(|want| fits[&(*want, child)]) {
                    wanted.next();
                }
            }
            fits.insert((at, there), part.label_of(at) == whole.label_of(there) && wanted.peek().is_none());
        }
    }
    fits[&(0, 0)]
}
