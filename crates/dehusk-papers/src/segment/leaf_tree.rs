//! The tree that segmentation works on: the leaves of a page, and the elements that tell them apart.
//!
//! A leaf is an element with text of its own or an image. Of the elements around leaves only those matter that hold several things:
//! a chain of elements that each hold nothing but the next one is a single part.

use crate::dom::elements::is_unseen;
use crate::dom::{Document, Name, NodeId, NodeKind};
use dehusk::layout::{Layout, NodeBox, body_elements};
use dehusk::segmentation::SegmentLeaf;

/// An element with text of its own or an image.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Leaf {
    /// The element.
    pub node: NodeId,
    /// Its index among the elements of the body in document order; the body is 0.
    pub element: u32,
    /// The characters of its own text other than white space.
    pub characters: u32,
    /// The sentences of its own text, by their punctuation; at least 1 if there is text.
    pub sentences: u32,
    /// Whether it is an image, or other media.
    pub is_image: bool,
    /// Whether it is a link or inside a link.
    pub in_link: bool,
    /// Whether it is visible and has an area.
    pub is_shown: bool,
    /// The part that it belongs to.
    pub part: u32,
}

/// A chain of elements that hold the same leaves. It is either a leaf, or several parts, or text of its own beside parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The outermost element of the chain.
    pub top: NodeId,
    /// The innermost element of the chain.
    pub bottom: NodeId,
    /// The part around it; `u32::MAX` for the first part.
    pub parent: u32,
    /// The number of parts around it.
    pub depth: u32,
    /// The leaves inside are those with the numbers from this one ...
    pub first_leaf: u32,
    /// ... to before this one.
    pub end_leaf: u32,
    /// Whether the innermost element is a leaf itself. That leaf is the first.
    pub is_leaf: bool,
    first_child: u32,
    end_child: u32,
}

impl Part {
    /// The number of leaves inside.
    pub fn leaf_count(&self) -> u32 {
        self.end_leaf - self.first_leaf
    }

    /// The numbers of the leaves inside.
    pub fn leaves(&self) -> std::ops::Range<usize> {
        self.first_leaf as usize..self.end_leaf as usize
    }

    /// The number of the part around it.
    pub fn parent(&self) -> Option<usize> {
        (self.parent != u32::MAX).then_some(self.parent as usize)
    }
}

/// The leaves of a page and the parts around them, both in document order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LeafTree {
    /// The leaves.
    pub leaves: Vec<Leaf>,
    /// The parts. The first holds all leaves.
    pub parts: Vec<Part>,
    children: Vec<u32>,
}

/// What is known of an element while the tree is built.
#[derive(Clone, Copy, Default)]
struct Element {
    parent: u32,
    characters: u32,
    sentences: u32,
    is_leaf: bool,
    in_link: bool,
    /// Leaves in its subtree.
    leaves: u32,
    /// Children with leaves.
    children: u32,
    part: u32,
}

impl LeafTree {
    /// The leaves as a [`Segmentation`](dehusk::Segmentation) takes them.
    pub(crate) fn segment_leaves(&self) -> Vec<SegmentLeaf> {
        let leaf = |leaf: &Leaf| SegmentLeaf {
            node: leaf.node,
            element: leaf.element,
            characters: leaf.characters,
            is_shown: leaf.is_shown,
        };
        self.leaves.iter().map(leaf).collect()
    }

    /// The leaves and parts of a page.
    pub fn new(document: &Document, layout: &Layout) -> LeafTree {
        let ids = body_elements(document);
        let elements = elements(document, &ids);
        let mut tree = LeafTree::default();
        tree.build(&ids, elements, layout, document);
        tree.link_children();
        tree
    }

    /// The parts directly inside a part.
    pub fn children(&self, part: usize) -> &[u32] {
        let Part { first_child, end_child, .. } = self.parts[part];
        &self.children[first_child as usize..end_child as usize]
    }

    /// The elements of a part, innermost first.
    pub fn chain<'a>(&self, document: &'a Document, part: usize) -> impl Iterator<Item = NodeId> + use<'a> {
        let Part { top, bottom, .. } = self.parts[part];
        std::iter::successors(Some(bottom), move |id| if *id == top { None } else { document.parent(*id) })
    }

    fn build(&mut self, ids: &[NodeId], mut elements: Vec<Element>, layout: &Layout, document: &Document) {
        for at in 0..ids.len() {
            let Element { parent, is_leaf, leaves, .. } = elements[at];
            if leaves == 0 {
                continue;
            }
            let outer = elements[parent as usize];
            let continues = at > 0 && !outer.is_leaf && outer.children == 1;
            let part = if continues {
                self.parts[outer.part as usize].bottom = ids[at];
                outer.part
            } else {
                let around = (at > 0).then_some(outer.part);
                self.parts.push(Part {
                    top: ids[at],
                    bottom: ids[at],
                    parent: around.unwrap_or(u32::MAX),
                    depth: around.map_or(0, |around| self.parts[around as usize].depth + 1),
                    first_leaf: self.leaves.len() as u32,
                    end_leaf: self.leaves.len() as u32 + leaves,
                    is_leaf: false,
                    first_child: 0,
                    end_child: 0,
                });
                self.parts.len() as u32 - 1
            };
            elements[at].part = part;
            if is_leaf {
                self.parts[part as usize].is_leaf = true;
                let Element { characters, sentences, in_link, .. } = elements[at];
                let shown: &NodeBox = layout.node(ids[at]);
                self.leaves.push(Leaf {
                    node: ids[at],
                    element: at as u32,
                    characters,
                    sentences,
                    is_image: is_image(document, ids[at]),
                    in_link,
                    is_shown: shown.area() > 0.0,
                    part,
                });
            }
        }
    }

    fn link_children(&mut self) {
        let mut counts = vec![0_u32; self.parts.len() + 1];
        for part in &self.parts {
            if let Some(parent) = part.parent() {
                counts[parent + 1] += 1;
            }
        }
        for at in 1..counts.len() {
            counts[at] += counts[at - 1];
        }
        self.children = vec![0; self.parts.len().saturating_sub(1)];
        for (part, start) in self.parts.iter_mut().zip(&counts) {
            (part.first_child, part.end_child) = (*start, *start);
        }
        for at in 0..self.parts.len() {
            if let Some(parent) = self.parts[at].parent() {
                let end = &mut self.parts[parent].end_child;
                self.children[*end as usize] = at as u32;
                *end += 1;
            }
        }
    }
}

/// Whether an element is an image or other media.
fn is_image(document: &Document, id: NodeId) -> bool {
    document.name(id) == Name::SVG
        || matches!(document.html_name(id), Name::IMG | Name::VIDEO | Name::CANVAS | Name::OBJECT | Name::EMBED)
}

fn elements(document: &Document, ids: &[NodeId]) -> Vec<Element> {
    let mut elements = vec![Element::default(); ids.len()];
    // The index of each element by node.
    let mut index = vec![u32::MAX; document.len()];
    for (at, id) in ids.iter().enumerate() {
        index[id.index()] = at as u32;
        let parent = if at == 0 { None } else { document.parent(*id) };
        let parent = parent.map_or(0, |parent| index[parent.index()]);
        let outer = elements[parent as usize];
        elements[at] = Element {
            parent,
            in_link: outer.in_link || document.html_name(*id) == Name::A,
            is_leaf: is_image(document, *id),
            ..Element::default()
        };
    }
    let Some(body) = ids.first() else { return elements };
    for id in document.descendants(*body).filter(|id| document.kind(*id) == NodeKind::Text) {
        let owner = document.parent(id).map_or(u32::MAX, |parent| index[parent.index()]);
        let Some(element) = elements.get_mut(owner as usize) else { continue };
        let text = document.text(id);
        if is_unseen(document.html_name(ids[owner as usize])) || text.bytes().all(|byte| byte.is_ascii_whitespace()) {
            continue;
        }
        element.is_leaf = true;
        element.characters += text.chars().filter(|character| !character.is_whitespace()).count() as u32;
        element.sentences += sentences(text);
    }
    for at in (0..elements.len()).rev() {
        elements[at].leaves += elements[at].is_leaf as u32;
        let Element { parent, leaves, .. } = elements[at];
        if at > 0 && leaves > 0 {
            elements[parent as usize].leaves += leaves;
            elements[parent as usize].children += 1;
        }
    }
    elements
}

/// The sentences of a text: its ends of sentences that are followed by white space or nothing, and at least one.
fn sentences(text: &str) -> u32 {
    let mut count = 0;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let ends = match character {
            '.' | '!' | '?' => characters.peek().is_none_or(|next| next.is_whitespace()),
            '。' | '！' | '？' => true,
            _ => false,
        };
        count += ends as u32;
    }
    count.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;
    use crate::layout::estimate;

    fn tree(html: &str) -> LeafTree {
        let document = Parser::default().parse(html).unwrap();
        LeafTree::new(&document, &estimate(&document))
    }

    #[test]
    fn chains_are_one_part_and_leaves_are_numbered_like_elements() {
        let tree =
            tree("<body><div><div><p>One. Two!</p><ul><li><a href=x>Three</a></li></ul></div></div><script>x</script>");
        // body, div and div hold the same leaves.
        assert_eq!(tree.parts.len(), 3);
        assert_eq!(tree.leaves.iter().map(|leaf| leaf.element).collect::<Vec<_>>(), [3, 6]);
        assert_eq!(tree.leaves[0].sentences, 2);
        assert!(tree.leaves[1].in_link && !tree.leaves[0].in_link);
        assert_eq!(tree.children(0), [1, 2]);
        assert_eq!(tree.parts[0].leaves(), 0..2);
    }

    #[test]
    fn text_beside_parts_is_a_leaf_of_its_own() {
        let tree = tree("<body><p>Text <b>bold</b> text <img src=a></p>");
        assert!(tree.parts[0].is_leaf);
        assert_eq!(tree.parts[0].leaf_count(), 3);
        assert_eq!(tree.children(0).len(), 2);
        assert!(tree.leaves[2].is_image);
    }

    #[test]
    fn a_page_without_leaves_has_no_parts() {
        assert_eq!(tree("<body><div></div>").parts.len(), 0);
        assert_eq!(tree("").parts.len(), 0);
        assert_eq!(tree("<body><template><p>x</p></template>").leaves.len(), 0);
    }
}
