//! The feature vector of a node for GCUTS: where it is, how it looks, what text it holds.
//!
//! A leaf has the values of its element. A part has the box around its shown leaves and the means of their other values, so that a leaf
//! can be compared with a part that it could belong to.

use super::leaf_tree::LeafTree;
use crate::dom::elements::heading_level;
use crate::dom::{Document, Name};
use crate::segment::best::part_features::Bounds;
use dehusk::layout::{GenericFamily, Layout, NodeBox};

/// The number of features of a node.
pub const NODE_WIDTH: usize = 26;

/// The features of a node. The first five describe its box, the others are means over leaves.
pub(crate) const NODE_COLUMNS: [&str; NODE_WIDTH] = [
    "x",
    "y",
    "width",
    "height",
    "aspect",
    "font_size",
    "bold",
    "italic",
    "red",
    "green",
    "blue",
    "background_red",
    "background_green",
    "background_blue",
    "serif",
    "monospace",
    "sentence_length",
    "text_length",
    "link",
    "image",
    "heading",
    "item",
    "paragraph",
    "cell",
    "control",
    "depth",
];

const BOX_COLUMNS: usize = 5;
pub(crate) const SENTENCE_LENGTH: usize = 16;
pub(crate) const TEXT_LENGTH: usize = 17;
pub(crate) const HEADING: usize = 20;

/// A feature vector.
pub type NodeVector = [f32; NODE_WIDTH];

/// The vectors of all leaves and of all parts.
#[derive(Clone, Debug, Default)]
pub struct NodeVectors {
    /// By leaf.
    pub leaves: Vec<NodeVector>,
    /// By part.
    pub parts: Vec<NodeVector>,
}

impl NodeVectors {
    /// Describes the leaves and parts of a page.
    pub fn new(document: &Document, layout: &Layout, tree: &LeafTree) -> NodeVectors {
        let mut leaves = Vec::with_capacity(tree.leaves.len());
        // Sums over shown leaves, their boxes and their number.
        let mut sums = vec![([0.0; NODE_WIDTH], Bounds::EMPTY, 0.0_f32); tree.parts.len()];
        for (number, leaf) in tree.leaves.iter().enumerate() {
            let shown = layout.node(leaf.node);
            let bounds = Bounds::of(shown);
            let vector = leaf_vector(document, layout, tree, number);
            leaves.push(vector);
            // Hidden leaves describe a part only if nothing of it is shown.
            let weight = if leaf.is_shown { 1.0 } else { 1e-3 };
            let (sum, around, count) = &mut sums[leaf.part as usize];
            sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += weight * value);
            *count += weight;
            if leaf.is_shown {
                around.add(&bounds);
            }
        }
        for at in (1..tree.parts.len()).rev() {
            if let Some(parent) = tree.parts[at].parent() {
                let (own, bounds, count) = sums[at];
                let outer = &mut sums[parent];
                outer.0.iter_mut().zip(own).for_each(|(sum, value)| *sum += value);
                outer.1.add(&bounds);
                outer.2 += count;
            }
        }
        let part = |(sum, bounds, count): ([f32; NODE_WIDTH], Bounds, f32)| {
            let mut vector = sum.map(|sum| sum / count.max(1e-3));
            if !bounds.is_empty() {
                vector[..BOX_COLUMNS].copy_from_slice(&box_values(&bounds, layout));
            }
            vector
        };
        NodeVectors { leaves, parts: sums.into_iter().map(part).collect() }
    }
}

fn box_values(bounds: &Bounds, layout: &Layout) -> [f32; BOX_COLUMNS] {
    let (width, height) = (bounds.right - bounds.left, bounds.bottom - bounds.top);
    [
        (bounds.left + bounds.right) / 2.0 / layout.width,
        (bounds.top + bounds.bottom) / 2.0 / layout.height,
        width / layout.width,
        height.max(0.0).ln_1p() / 8.0,
        ((width + 1.0) / (height + 1.0)).ln() / 4.0,
    ]
}

fn leaf_vector(document: &Document, layout: &Layout, tree: &LeafTree, number: usize) -> NodeVector {
    let leaf = &tree.leaves[number];
    let shown: &NodeBox = layout.node(leaf.node);
    let name = document.html_name(leaf.node);
    // What the leaf is part of: a bold word in an item of a list is in that item.
    let (mut is_heading, mut is_item, mut is_paragraph, mut is_cell, mut is_control) =
        (false, false, false, false, false);
    for id in std::iter::once(leaf.node).chain(document.ancestors(leaf.node)).take(4) {
        match document.html_name(id) {
            name if heading_level(name).is_some() => is_heading = true,
            Name::LI | Name::DT | Name::DD => is_item = true,
            Name::P | Name::BLOCKQUOTE | Name::PRE => is_paragraph = true,
            Name::TD | Name::TH => is_cell = true,
            _ => {}
        }
    }
    is_control |= matches!(name, Name::BUTTON | Name::OPTION | Name::TEXTAREA | Name::LABEL | Name::LEGEND);
    let bit = |value: bool| f32::from(u8::from(value));
    let share = |value: u8| f32::from(value) / 255.0;
    let (color, background) = (shown.color, shown.background);
    let boxed = box_values(&Bounds::of(shown), layout);
    let sentence = leaf.characters as f32 / leaf.sentences.max(1) as f32;
    [
        boxed[0],
        boxed[1],
        boxed[2],
        boxed[3],
        boxed[4],
        (shown.font_size / 16.0).min(4.0),
        bit(shown.font_weight >= 600),
        bit(shown.italic),
        share(color.r),
        share(color.g),
        share(color.b),
        share(background.r),
        share(background.g),
        share(background.b),
        bit(shown.font_family.generic == GenericFamily::Serif),
        bit(shown.font_family.generic == GenericFamily::Monospace),
        sentence.ln_1p() / 5.0,
        (leaf.characters as f32).ln_1p() / 6.0,
        bit(leaf.in_link),
        bit(leaf.is_image),
        bit(is_heading),
        bit(is_item),
        bit(is_paragraph),
        bit(is_cell),
        bit(is_control),
        (tree.parts[leaf.part as usize].depth as f32 / 12.0).min(2.0),
    ]
}
