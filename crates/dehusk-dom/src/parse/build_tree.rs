//! The tree during parsing: nodes in order of creation, linked to parents, siblings and children.
//!
//! The tree sink changes it as the tree builder directs; the document writer then copies it to the
//! [`Document`](crate::Document). It also holds the data of the current token, which the tree builder does not get.

use crate::document::{Attribute, Namespace, NodeKind, Placement, Quirks, TextRange};
use crate::limits::Limit;
use crate::names::Name;
use html5ever::LocalName;
use std::collections::HashMap;

/// Marks an absent link to a node or a text piece.
pub(crate) const NO_LINK: u32 = u32::MAX;

/// A node during parsing.
#[derive(Clone, Copy)]
pub(crate) struct BuildNode {
    pub(crate) kind: NodeKind,
    pub(crate) placement: Placement,
    pub(crate) namespace: Namespace,
    pub(crate) integration_point: bool,
    /// Whether it was moved in front of the table that contains it (foster parenting).
    pub(crate) is_fostered: bool,
    pub(crate) depth: u16,
    /// Number of formatting elements among its ancestors and itself.
    pub(crate) formatting: u16,
    pub(crate) name: Name,
    pub(crate) parent: u32,
    pub(crate) previous: u32,
    pub(crate) next: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) value: TextRange,
    /// The range of its start tag, or of a whole comment or document type.
    pub(crate) span: TextRange,
    /// The range of its end tag.
    pub(crate) end_tag: TextRange,
    pub(crate) first_piece: u32,
    pub(crate) last_piece: u32,
}

impl BuildNode {
    pub(crate) fn new(kind: NodeKind) -> BuildNode {
        BuildNode {
            kind,
            // Whatever no token of the source claims later was inserted by the rules of the standard.
            placement: Placement::Invented,
            namespace: Namespace::Html,
            integration_point: false,
            is_fostered: false,
            depth: 0,
            formatting: 0,
            name: Name::NONE,
            parent: NO_LINK,
            previous: NO_LINK,
            next: NO_LINK,
            first: NO_LINK,
            last: NO_LINK,
            value: TextRange::default(),
            span: TextRange::default(),
            end_tag: TextRange::default(),
            first_piece: NO_LINK,
            last_piece: NO_LINK,
        }
    }
}

/// A part of a text node. The parts of a node are a linked list.
#[derive(Clone, Copy)]
pub(crate) struct TextPiece {
    pub(crate) value: TextRange,
    pub(crate) span: TextRange,
    pub(crate) next: u32,
}

/// Buffers reused from page to page.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) nodes: Vec<BuildNode>,
    pub(crate) pieces: Vec<TextPiece>,
    pub(crate) pending_texts: Vec<(TextRange, TextRange)>,
}

/// All nodes, and the data of the current token.
pub(crate) struct Tree<'a> {
    pub(crate) nodes: Vec<BuildNode>,
    pub(crate) pieces: Vec<TextPiece>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) quirks: Quirks,
    /// Texts the tree builder has received, and how many of them it has inserted.
    pub(crate) pending_texts: Vec<(TextRange, TextRange)>,
    pub(crate) next_pending: usize,
    /// Value and span of the current comment or document type.
    pub(crate) comment_or_doctype: (TextRange, TextRange),
    pub(crate) comment_kind: NodeKind,
    /// The name of the current tag.
    pub(crate) tag_name: Name,
    pub(crate) tag_local: Option<&'a LocalName>,
    /// The attributes of the current tag, as a range of `attributes`.
    pub(crate) tag_attributes: TextRange,
    /// Attributes of formatting elements, by the key the tree builder has for them. Pages choose the attributes, so
    /// the hash must be one that they cannot foresee.
    pub(crate) formatting: HashMap<FormattingKey, TextRange>,
    pub(crate) max_attributes: usize,
    /// Whether an element was moved along with its children, whose depths are then still those of its old place.
    pub(crate) moved_elements: bool,
    pub(crate) work: u64,
    pub(crate) limit_hit: Option<Limit>,
}

/// The eight bytes that represent the attributes of a formatting element in the tree builder.
pub(crate) type FormattingKey = [u8; 8];

/// Whether the content of an element is one text.
pub(crate) fn is_raw_text(name: Name) -> bool {
    matches!(
        name,
        Name::SCRIPT
            | Name::STYLE
            | Name::TITLE
            | Name::TEXTAREA
            | Name::XMP
            | Name::IFRAME
            | Name::NOEMBED
            | Name::NOFRAMES
            | Name::PLAINTEXT
    )
}

/// Whether the tree builder keeps an element in its list of active formatting elements.
pub(crate) fn is_formatting(name: Name) -> bool {
    matches!(
        name,
        Name::A
            | Name::B
            | Name::BIG
            | Name::CODE
            | Name::EM
            | Name::FONT
            | Name::I
            | Name::NOBR
            | Name::S
            | Name::SMALL
            | Name::STRIKE
            | Name::STRONG
            | Name::TT
            | Name::U
    )
}

impl Tree<'_> {
    pub(crate) fn push(&mut self, node: BuildNode) -> u32 {
        self.work += 1;
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    pub(crate) fn drop_tag_attributes(&mut self) {
        // They are the last ones, and nothing refers to them.
        if self.attributes.len() == self.tag_attributes.end as usize {
            self.attributes.truncate(self.tag_attributes.start as usize);
        }
        self.tag_attributes = TextRange::default();
    }

    /// Sets the depth of a node that was inserted.
    fn place(&mut self, id: u32, parent: u32) {
        self.set_depth(id, parent);
        let BuildNode { first, name, .. } = self.nodes[id as usize];
        // A template has a child from the start, its contents, whose depth `set_depth` keeps up to date.
        self.moved_elements |= first != NO_LINK && name != Name::TEMPLATE;
        self.work += 1;
    }

    pub(crate) fn set_depth(&mut self, id: u32, parent: u32) {
        let BuildNode { depth, formatting, .. } = self.nodes[parent as usize];
        let node = &mut self.nodes[id as usize];
        node.depth = depth.saturating_add(1);
        node.formatting = formatting + (node.kind == NodeKind::Element && is_formatting(node.name)) as u16;
        // The contents of a template are created before the template is inserted.
        let (first, depth) = (node.first, node.depth);
        if node.name == Name::TEMPLATE && first != NO_LINK && self.nodes[first as usize].kind == NodeKind::Fragment {
            self.nodes[first as usize].depth = depth.saturating_add(1);
        }
    }

    pub(crate) fn append(&mut self, parent: u32, child: u32) {
        let last = self.nodes[parent as usize].last;
        let node = &mut self.nodes[child as usize];
        node.parent = parent;
        node.previous = last;
        node.next = NO_LINK;
        match last {
            NO_LINK => self.nodes[parent as usize].first = child,
            last => self.nodes[last as usize].next = child,
        }
        self.nodes[parent as usize].last = child;
        self.place(child, parent);
    }

    pub(crate) fn insert_before(&mut self, sibling: u32, child: u32) {
        let BuildNode { parent, previous, .. } = self.nodes[sibling as usize];
        let node = &mut self.nodes[child as usize];
        node.parent = parent;
        node.previous = previous;
        node.next = sibling;
        self.nodes[sibling as usize].previous = child;
        match previous {
            NO_LINK => self.nodes[parent as usize].first = child,
            previous => self.nodes[previous as usize].next = child,
        }
        self.place(child, parent);
    }

    pub(crate) fn detach(&mut self, id: u32) {
        let BuildNode { parent, previous, next, .. } = self.nodes[id as usize];
        if parent == NO_LINK {
            return;
        }
        match previous {
            NO_LINK => self.nodes[parent as usize].first = next,
            previous => self.nodes[previous as usize].next = next,
        }
        match next {
            NO_LINK => self.nodes[parent as usize].last = previous,
            next => self.nodes[next as usize].previous = previous,
        }
        let node = &mut self.nodes[id as usize];
        node.parent = NO_LINK;
        node.previous = NO_LINK;
        node.next = NO_LINK;
        self.work += 1;
    }

    /// The text for the placeholder that the tree builder inserts. It inserts placeholders in the order it received them.
    pub(crate) fn next_text(&mut self) -> (TextRange, TextRange) {
        debug_assert!(self.next_pending < self.pending_texts.len(), "the tree builder made up a text");
        // Should it happen all the same, an empty text is better than a panic.
        let next = self.pending_texts.get(self.next_pending).copied().unwrap_or_default();
        self.next_pending += 1;
        next
    }

    pub(crate) fn append_text(&mut self, existing: u32, value: TextRange, span: TextRange, moved: bool) -> u32 {
        let piece = self.pieces.len() as u32;
        let extend = match existing {
            NO_LINK => None,
            id => Some(self.nodes[id as usize].last_piece),
        };
        if let Some(last) = extend {
            let before = &mut self.pieces[last as usize];
            // Adjacent pieces become one, so that most texts remain a single range of the source and need no copy.
            if before.value.end == value.start && before.span.end == span.start {
                before.value.end = value.end;
                before.span.end = span.end;
                return existing;
            }
            before.next = piece;
            self.pieces.push(TextPiece { value, span, next: NO_LINK });
            self.nodes[existing as usize].last_piece = piece;
            return existing;
        }
        self.pieces.push(TextPiece { value, span, next: NO_LINK });
        let mut node = BuildNode::new(NodeKind::Text);
        node.placement = if moved { Placement::Moved } else { Placement::Source };
        node.first_piece = piece;
        node.last_piece = piece;
        self.push(node)
    }
}
