//! How likely each leaf of a page is content, by the default detector.

use crate::dom::{Document, NodeId};
use crate::segment::leaf_tree::LeafTree;
use dehusk::detect::fusion::{FusionModel, FusionPage};

/// The probability that a leaf is content, by leaf. A leaf without text is rated like the text before it.
pub(crate) fn content_scores(
    document: &Document,
    tree: &LeafTree,
    model: &FusionModel,
    page: &mut FusionPage,
) -> Vec<f32> {
    page.prepare(document, &model.odds);
    let scores = model.score(page);
    let mut block = 0;
    let mut before = 0.0;
    let score = |leaf: NodeId| {
        // Blocks and leaves are both in document order.
        while block < page.len() && page.span(block).1 <= leaf {
            block += 1;
        }
        if block < page.len() && page.span(block).0 < document.end(leaf) {
            before = scores.blocks[block];
        }
        before
    };
    tree.leaves.iter().map(|leaf| leaf.node).map(score).collect()
}
