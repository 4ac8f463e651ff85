//! A page as a labelled ordered tree, small enough to store many of them.
//!
//! Input: a document. Output: the visible part of its body, as elements with a label each (name, classes, ids, names
//! of attributes, without values that change per request) and texts. Scripts, styles, comments and white space are
//! left out. Does not depend on templates.

use crate::dom::elements::{is_media_or_control, is_unseen};
use crate::dom::hash::mix;
use crate::dom::{Document, Name, NodeId, NodeKind};
use crate::dom::{NameHashes, text_hash};
use crate::site::slots::TextForm;
use std::ops::Range;

/// The label of the root on all pages: `<body class="page-about">` is a body like any other.
const ROOT_LABEL: u64 = 0x0b0d_e5ee_d0d1_e500;
/// Separates a text from an element that happens to have the same hash.
const TEXT_SEED: u64 = 0x7e87_1eaf_5eed_0001;
/// The parent of the root.
pub const NO_NODE: u32 = u32::MAX;

/// The body of a page as a labelled ordered tree in preorder.
///
/// Equal subtrees have equal hashes, on whichever pages they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageTree {
    labels: Vec<u64>,
    /// Hashes of whole subtrees.
    hashes: Vec<u64>,
    parents: Vec<u32>,
    /// The index after the last descendant.
    ends: Vec<u32>,
    nodes: Vec<NodeId>,
    /// Whether a node is a text, an image or a form field: what a reader sees.
    visible: Vec<bool>,
    /// Whether a node is the text of a link.
    linked: Vec<bool>,
    forms: Vec<TextForm>,
}

/// A node of a tree under construction.
#[derive(Clone, Copy, Debug)]
pub struct TreeNode {
    /// Its label: a hash of the element, or of the text.
    pub label: u64,
    /// The index of its parent, which comes before it; [`NO_NODE`] for the root.
    pub parent: u32,
    /// The node of the document.
    pub node: NodeId,
    /// Whether it is a text, an image or a form field: what a reader sees.
    pub visible: bool,
    /// Whether it is the text of a link.
    pub linked: bool,
    /// The form of its text.
    pub form: TextForm,
}

impl PageTree {
    /// Builds the tree of a document's body; empty if it has no body.
    pub fn of(document: &Document) -> PageTree {
        let Some(body) = document.find(Name::BODY) else { return PageTree::default() };
        let names = NameHashes::of(document);
        let mut scratch = String::new();
        let root = TreeNode {
            label: ROOT_LABEL,
            parent: NO_NODE,
            node: body,
            visible: false,
            linked: false,
            form: TextForm::Long,
        };
        let mut nodes = vec![root];
        // The open elements: their ends in the document and their indices in the tree.
        let mut open = vec![(document.end(body), 0u32)];
        let mut link_until = body;
        let mut at = NodeId(body.0 + 1);
        while at < document.end(body) {
            while open.last().is_some_and(|(end, _)| *end <= at) {
                open.pop();
            }
            let parent = open.last().map_or(0, |(_, number)| *number);
            let mut next = document.end(at);
            match document.kind(at) {
                NodeKind::Text => {
                    let hash = text_hash(document.text(at), &mut scratch);
                    if hash != 0 {
                        let (label, linked) = (mix(hash, TEXT_SEED), at < link_until);
                        let form = TextForm::of(document, at);
                        nodes.push(TreeNode { label, parent, node: at, visible: true, linked, form });
                    }
                }
                NodeKind::Element if !is_unseen(document.html_name(at)) => {
                    let (exact, structure) = names.element(document, at, &mut scratch);
                    // An image is identified by its URL, a link by its text.
                    let visible = is_media_or_control(document.html_name(at), document.name(at));
                    let label = if visible { exact } else { structure };
                    open.push((next, nodes.len() as u32));
                    nodes.push(TreeNode { label, parent, node: at, visible, linked: false, form: TextForm::Long });
                    if document.html_name(at) == Name::A {
                        link_until = link_until.max(next);
                    }
                    next = NodeId(at.0 + 1);
                }
                _ => {}
            }
            at = next;
        }
        PageTree::assemble(&nodes)
    }

    /// Builds a tree from nodes in preorder.
    pub fn assemble(nodes: &[TreeNode]) -> PageTree {
        let count = nodes.len();
        let mut hashes = vec![0u64; count];
        let mut ends: Vec<u32> = (1..=count as u32).collect();
        // Going backwards, children are finished before their parent, whose entry accumulates theirs until then.
        for at in (0..count).rev() {
            let hash = mix(nodes[at].label, hashes[at]);
            hashes[at] = hash;
            if nodes[at].parent != NO_NODE {
                let parent = nodes[at].parent as usize;
                hashes[parent] = mix(hashes[parent], hash);
                ends[parent] = ends[parent].max(ends[at]);
            }
        }
        PageTree {
            labels: nodes.iter().map(|node| node.label).collect(),
            hashes,
            parents: nodes.iter().map(|node| node.parent).collect(),
            ends,
            nodes: nodes.iter().map(|node| node.node).collect(),
            visible: nodes.iter().map(|node| node.visible).collect(),
            linked: nodes.iter().map(|node| node.linked).collect(),
            forms: nodes.iter().map(|node| node.form).collect(),
        }
    }

    /// Returns the tree of the nodes for which `keep` is set. The ancestors of a kept node must be kept, too.
    pub fn pruned(&self, keep: &[bool]) -> PageTree {
        let mut number = vec![NO_NODE; self.len()];
        let mut nodes = Vec::new();
        for at in (0..self.len()).filter(|at| keep[*at]) {
            number[at] = nodes.len() as u32;
            let parent = if at == 0 { NO_NODE } else { number[self.parents[at] as usize] };
            let (label, node) = (self.labels[at], self.nodes[at]);
            let (visible, linked, form) = (self.visible[at], self.linked[at], self.forms[at]);
            nodes.push(TreeNode { label, parent, node, visible, linked, form });
        }
        PageTree::assemble(&nodes)
    }

    /// Returns the nodes with visible content, their ancestors, and the children of these without their subtrees.
    pub fn without_empty(&self) -> PageTree {
        let mut shows = self.visible.clone();
        for at in (1..self.len()).rev() {
            shows[self.parents[at] as usize] |= shows[at];
        }
        let keep: Vec<bool> =
            (0..self.len()).map(|at| shows[at] || (at > 0 && shows[self.parents[at] as usize])).collect();
        self.pruned(&keep)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether the tree has no nodes.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The number of texts, images and form fields.
    pub fn visible_len(&self) -> usize {
        self.visible.iter().filter(|visible| **visible).count()
    }

    /// The hash of the whole tree: equal trees have equal hashes.
    pub fn hash(&self) -> u64 {
        self.hashes.first().copied().unwrap_or(0)
    }

    /// The label of a node.
    pub fn label_of(&self, at: u32) -> u64 {
        self.labels[at as usize]
    }

    /// The parent of a node; [`NO_NODE`] for the root.
    pub fn parent_of(&self, at: u32) -> u32 {
        self.parents[at as usize]
    }

    /// The hash of a whole subtree.
    pub fn hash_of(&self, at: u32) -> u64 {
        self.hashes[at as usize]
    }

    /// The number of nodes of a subtree.
    pub fn size_of(&self, at: u32) -> u32 {
        self.ends[at as usize] - at
    }

    /// Whether a node is a text, an image or a form field.
    pub fn is_visible(&self, at: u32) -> bool {
        self.visible[at as usize]
    }

    /// The node of the document.
    pub fn node(&self, at: u32) -> NodeId {
        self.nodes[at as usize]
    }

    /// The index range of a node and its descendants.
    pub fn subtree(&self, at: u32) -> Range<u32> {
        at..self.ends[at as usize]
    }

    /// Whether two subtrees are equal. Sizes are compared as well, so that a hash collision cannot lead out of a
    /// tree.
    pub fn is_same(&self, at: u32, other: &PageTree, there: u32) -> bool {
        self.hash_of(at) == other.hash_of(there) && self.size_of(at) == other.size_of(there)
    }

    /// ChildLists the children of a node.
    pub fn list_children(&self, at: u32, list: &mut Vec<u32>) {
        list.clear();
        let mut child = at + 1;
        while child < self.ends[at as usize] {
            list.push(child);
            child = self.ends[child as usize];
        }
    }

    /// Whether a node is the text of a link.
    pub fn is_linked(&self, at: u32) -> bool {
        self.linked[at as usize]
    }

    /// The form of a text.
    pub fn form_of(&self, at: u32) -> TextForm {
        self.forms[at as usize]
    }

    /// Returns the slot of each node: a hash of the labels from the root to its parent.
    pub fn slots(&self) -> Vec<u64> {
        let mut slots = vec![0u64; self.len()];
        for at in 1..self.len() {
            let parent = self.parents[at] as usize;
            slots[at] = mix(slots[parent], self.labels[parent]);
        }
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn tree(page: &str) -> PageTree {
        PageTree::of(&Parser::default().parse(page).unwrap())
    }

    #[test]
    fn only_visible_nodes_are_in_the_tree() {
        let page = tree("<body><div>one<!-- x --><script>y</script> <b>two</b><style>z</style></div> <img src=a>");
        assert_eq!((page.len(), page.visible_len()), (6, 3));
        assert!(tree("<frameset><frame>").is_empty());
    }

    #[test]
    fn values_that_change_per_request_do_not_count() {
        let one =
            tree("<body class=home><div class='menu active' id=item-10481 data-t=1718000000><a href=/x>a</a></div>");
        let two = tree("<body class=news><div id=item-10482 class=menu data-t=1718000001>\n<a href=/y>a</a></div>");
        assert_eq!(one.hash(), two.hash());
        assert_ne!(one.hash(), tree("<body><div class=menu id=item-10481 data-t=1><a href=/x>b</a></div>").hash());
        assert_ne!(tree("<body><img src=/one.png>").hash(), tree("<body><img src=/two.png>").hash());
    }
}
