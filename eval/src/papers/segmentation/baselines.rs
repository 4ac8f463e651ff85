//! Plain rules to compare with: landmarks and top-level blocks, and a fixed depth.

use dehusk::dom::{Document, Name, NodeId};
use dehusk_papers::segment::LeafTree;

/// One segment for each landmark (`<header>`, `<nav>`, `<main>`, `<aside>`, `<footer>` or such a role), and one for each child of the body
/// for what is outside landmarks.
pub(super) fn landmarks(document: &Document, tree: &LeafTree) -> Vec<u32> {
    let mut labels = vec![0; document.len()];
    let body = document.find(Name::BODY).unwrap_or_default();
    for id in document.ids() {
        let parent = document.parent(id);
        let outer = parent.map_or(0, |parent| labels[parent.index()]);
        let starts = parent == Some(body) || is_landmark(document, id);
        labels[id.index()] = if starts { id.0 } else { outer };
    }
    tree.leaves.iter().map(|leaf| labels[leaf.node.index()]).collect()
}

fn is_landmark(document: &Document, id: NodeId) -> bool {
    let role = document.attribute(id, Name::ROLE).unwrap_or_default();
    matches!(
        document.html_name(id),
        Name::HEADER | Name::NAV | Name::MAIN | Name::ASIDE | Name::FOOTER | Name::ARTICLE | Name::SECTION
    ) || matches!(role, "banner" | "navigation" | "main" | "complementary" | "contentinfo" | "search" | "form")
}

/// One segment for each part at a depth, and for each part that ends above it.
pub(super) fn depth(tree: &LeafTree, depth: u32) -> Vec<u32> {
    let mut labels: Vec<u32> = Vec::with_capacity(tree.parts.len());
    for (at, part) in tree.parts.iter().enumerate() {
        let outer = part.parent().map_or(0, |parent| labels[parent]);
        labels.push(if part.depth <= depth { at as u32 } else { outer });
    }
    tree.leaves.iter().map(|leaf| labels[leaf.part as usize]).collect()
}
