//! Which leaves are next to each other on the rendered page, by a sweep: never by looking at all pairs.
//!
//! The page is cut into stripes. Going down the page, each vertical stripe remembers the last leaf seen in it; a leaf is adjacent to
//! what its stripes remember. The same once more from left to right. Work is leaves times stripes at most.

use super::leaf_tree::LeafTree;
use dehusk::layout::{Layout, NodeBox};

/// How many stripes a page is cut into, in each direction.
const MAX_STRIPES: usize = 512;
/// The width of a stripe in pixels, unless the page needs wider ones.
const STRIPE: f32 = 8.0;
const NONE: u32 = u32::MAX;

/// Pairs of shown leaves that are next to each other: the smaller number first, in ascending order, each pair once.
pub fn adjacent_leaves(layout: &Layout, tree: &LeafTree) -> Vec<(u32, u32)> {
    let shown: Vec<u32> =
        (0..tree.leaves.len()).filter(|leaf| tree.leaves[*leaf].is_shown).map(|leaf| leaf as u32).collect();
    let mut pairs = Vec::new();
    let at = |leaf: u32| layout.node(tree.leaves[leaf as usize].node);
    sweep(&shown, |leaf| vertical(at(leaf)), layout.width, &mut pairs);
    sweep(&shown, |leaf| horizontal(at(leaf)), layout.height, &mut pairs);
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Where a leaf begins in the direction of the sweep, and the range across it.
fn vertical(at: &NodeBox) -> (f32, f32, f32) {
    (at.y, at.x, at.x + at.width)
}

fn horizontal(at: &NodeBox) -> (f32, f32, f32) {
    (at.x, at.y, at.y + at.height)
}

fn sweep(leaves: &[u32], place: impl Fn(u32) -> (f32, f32, f32), across: f32, pairs: &mut Vec<(u32, u32)>) {
    let stripe = STRIPE.max(across / MAX_STRIPES as f32);
    let mut order: Vec<(f32, u32)> = leaves.iter().map(|leaf| (place(*leaf).0, *leaf)).collect();
    order.sort_by(|one, two| one.0.total_cmp(&two.0).then(one.1.cmp(&two.1)));
    let mut last = [NONE; MAX_STRIPES];
    for (_, leaf) in order {
        let (_, start, end) = place(leaf);
        let first = ((start / stripe).max(0.0) as usize).min(MAX_STRIPES - 1);
        // A leaf covers a stripe if it covers its middle, and at least one.
        let after = ((end / stripe).max(0.0).round() as usize).clamp(first + 1, MAX_STRIPES);
        let mut before = NONE;
        for seen in &mut last[first..after] {
            if *seen != NONE && *seen != before {
                pairs.push((leaf.min(*seen), leaf.max(*seen)));
            }
            before = *seen;
            *seen = leaf;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;
    use dehusk::layout::{ElementBox, SuppliedBoxes};

    /// Leaves with these boxes (x, y, width, height).
    fn pairs_of(boxes: &[[f32; 4]]) -> Vec<(u32, u32)> {
        let html: String = boxes.iter().map(|_| "<p>x</p>").collect();
        let document = Parser::default().parse(&html).unwrap();
        let element = |at: NodeBox, name: &str| ElementBox { name: name.to_string(), at };
        let mut elements = vec![element(NodeBox::new(0.0, 0.0, 1280.0, 1000.0), "body")];
        elements.extend(boxes.iter().map(|[x, y, width, height]| element(NodeBox::new(*x, *y, *width, *height), "p")));
        let layout = SuppliedBoxes { elements, texts: Vec::new() }.layout(&document).unwrap();
        adjacent_leaves(&layout, &LeafTree::new(&document, &layout))
    }

    #[test]
    fn neighbours_are_pairs_and_what_is_behind_them_is_not() {
        // Three rows, one below the other.
        let rows = [[0.0, 0.0, 400.0, 20.0], [0.0, 30.0, 400.0, 20.0], [0.0, 60.0, 400.0, 20.0]];
        assert_eq!(pairs_of(&rows), [(0, 1), (1, 2)]);
        // Three columns.
        let columns = [[0.0, 0.0, 100.0, 200.0], [110.0, 0.0, 100.0, 200.0], [220.0, 0.0, 100.0, 200.0]];
        assert_eq!(pairs_of(&columns), [(0, 1), (1, 2)]);
        // A heading above two columns.
        let heading = [[0.0, 0.0, 210.0, 30.0], [0.0, 40.0, 100.0, 200.0], [110.0, 40.0, 100.0, 200.0]];
        assert_eq!(pairs_of(&heading), [(0, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn pairs_grow_with_leaves_and_not_with_their_square() {
        let boxes: Vec<[f32; 4]> =
            (0..2000).map(|at| [(at % 20) as f32 * 60.0, (at / 20) as f32 * 12.0, 50.0, 10.0]).collect();
        assert!(pairs_of(&boxes).len() < 2000 * 8);
    }
}
