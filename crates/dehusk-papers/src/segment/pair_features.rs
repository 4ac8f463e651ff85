//! How two leaves differ: the features of a pair, all from 0 (alike) to 1 (different).
//!
//! They are distances, so that their plain mean is a sensible distance without any learning.

use super::leaf_tree::LeafTree;
use super::node_vectors::{HEADING, NodeVectors, SENTENCE_LENGTH, TEXT_LENGTH};
use crate::dom::{Document, Name, NodeId};
use dehusk::layout::Layout;

/// The number of features of a pair.
pub const PAIR_WIDTH: usize = 26;

pub(crate) const PAIR_COLUMNS: [&str; PAIR_WIDTH] = [
    "tree_distance",
    "common_part_share",
    "common_part_depth",
    "children_between",
    "distance_x",
    "distance_y",
    "left_edges",
    "right_edges",
    "top_edges",
    "centres",
    "width",
    "height",
    "font_size",
    "weight",
    "italic",
    "font_family",
    "color",
    "background",
    "link",
    "image",
    "text_length",
    "sentence_length",
    "tag",
    "class",
    "heading",
    "parent",
];

/// The features of a pair.
pub type PairVector = [f32; PAIR_WIDTH];

/// Describes pairs of leaves of a page.
pub struct PairDescriber<'a> {
    document: &'a Document,
    layout: &'a Layout,
    tree: &'a LeafTree,
    vectors: &'a NodeVectors,
}

impl<'a> PairDescriber<'a> {
    /// A describer for a page.
    pub fn new(
        document: &'a Document,
        layout: &'a Layout,
        tree: &'a LeafTree,
        vectors: &'a NodeVectors,
    ) -> PairDescriber<'a> {
        PairDescriber { document, layout, tree, vectors }
    }

    /// The features of two leaves, given by their numbers. The order does not matter.
    pub fn describe(&self, one: usize, two: usize) -> PairVector {
        let (document, tree) = (self.document, self.tree);
        let (first, second) = (&tree.leaves[one], &tree.leaves[two]);
        let (a, b) = (self.layout.node(first.node), self.layout.node(second.node));
        let (one_vector, two_vector) = (&self.vectors.leaves[one], &self.vectors.leaves[two]);
        let differ = |column: usize| (one_vector[column] - two_vector[column]).abs().min(1.0);
        let bit = |value: bool| f32::from(u8::from(value));
        let (common, steps, between) = self.common_part(first.part, second.part);
        let common_part = &tree.parts[common as usize];
        let gap = |start: f32, end: f32, other_start: f32, other_end: f32| {
            (other_start - end).max(start - other_end).max(0.0)
        };
        // 0 to 1, half at a line of text.
        let near = |pixels: f32| pixels / (pixels + 20.0);
        let tag = |id: NodeId| document.name(id);
        let class = |id: NodeId| document.attribute(id, Name::CLASS).unwrap_or_default();
        let relative = |one: f32, two: f32| (one - two).abs() / (one.max(two) + 1.0);
        [
            steps as f32 / (steps as f32 + 4.0),
            common_part.leaf_count() as f32 / tree.leaves.len() as f32,
            1.0 / (1.0 + common_part.depth as f32),
            between as f32 / (between as f32 + 2.0),
            near(gap(a.x, a.x + a.width, b.x, b.x + b.width)),
            near(gap(a.y, a.y + a.height, b.y, b.y + b.height)),
            near((a.x - b.x).abs()),
            near((a.x + a.width - b.x - b.width).abs()),
            near((a.y - b.y).abs()),
            near((a.x + a.width / 2.0 - b.x - b.width / 2.0).abs()),
            relative(a.width, b.width),
            relative(a.height, b.height),
            relative(a.font_size, b.font_size),
            (f32::from(a.font_weight.abs_diff(b.font_weight)) / 300.0).min(1.0),
            bit(a.italic != b.italic),
            bit(a.font_family != b.font_family),
            a.color.distance(b.color),
            a.background.distance(b.background),
            bit(first.in_link != second.in_link),
            bit(first.is_image != second.is_image),
            differ(TEXT_LENGTH),
            differ(SENTENCE_LENGTH),
            bit(tag(first.node) != tag(second.node)),
            bit(class(first.node) != class(second.node)),
            differ(HEADING),
            bit(document.parent(first.node) != document.parent(second.node)),
        ]
    }

    /// The innermost part that holds both, the steps to it, and the children of it that come between them.
    fn common_part(&self, one: u32, two: u32) -> (u32, u32, u32) {
        let parts = &self.tree.parts;
        let (mut one, mut two) = (one, two);
        let (mut below_one, mut below_two) = (None, None);
        let mut steps = 0;
        while one != two {
            if parts[one as usize].depth >= parts[two as usize].depth {
                below_one = Some(one);
                one = parts[one as usize].parent;
            } else {
                below_two = Some(two);
                two = parts[two as usize].parent;
            }
            steps += 1;
        }
        let children = self.tree.children(one as usize);
        let place = |child: u32| children.binary_search(&child).unwrap_or(0) as u32;
        let between = match (below_one, below_two) {
            (Some(one), Some(two)) => place(one).abs_diff(place(two)),
            _ => 0,
        };
        (one, steps, between)
    }
}
