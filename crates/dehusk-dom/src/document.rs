//! The document: the nodes of one page in preorder, with their byte ranges in the source.
//!
//! A node is a number. Its descendants are the numbers that follow it, up to [`Document::end`], so
//! a walk is a loop and a sum over a subtree is one subtraction of prefix sums. Texts and attribute values
//! are ranges of the source if they are literal there, and of a side buffer if character references
//! or line ends had to be decoded. A document does not change after parsing.

use crate::limits::LimitsHit;
use crate::names::{KNOWN_NAMES, Name};
use std::ops::Range;

/// The number of a node: its position in preorder. The document itself is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The document node.
    pub const DOCUMENT: NodeId = NodeId(0);

    /// The number as an index into a slice with one entry per node.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum NodeKind {
    /// The document.
    #[default]
    Document,
    /// The document type declaration.
    Doctype,
    /// An element.
    Element,
    /// A text node.
    Text,
    /// A comment.
    Comment,
    /// A processing instruction, such as `<?marker name=a>`. Its text is what is between `<` and `>`.
    ProcessingInstruction,
    /// The contents of a `<template>` element; its only child.
    Fragment,
}

/// The language an element or an attribute belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Namespace {
    /// HTML for elements, none for attributes.
    #[default]
    Html,
    /// SVG drawings.
    Svg,
    /// MathML formulas.
    MathMl,
    /// Attributes such as `xlink:href`.
    XLink,
    /// Attributes such as `xml:lang`.
    Xml,
    /// Attributes such as `xmlns`.
    XmlNs,
}

/// How a node relates to the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Placement {
    /// Its position in the source matches its position in the tree.
    #[default]
    Source,
    /// It is in the source, but the parser put it elsewhere in the tree, for example because it is between the rows of
    /// a table.
    Moved,
    /// The parser copied a formatting element that was open across a block. At most its end tag is in the source.
    Copied,
    /// The parser inserted it: the document, a missing `<html>`, `<head>`, `<body>`, `<tbody>`, and so on.
    Invented,
}

/// A range of the virtual text space: the source, followed by the side buffer of decoded texts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct TextRange {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl TextRange {
    pub(crate) fn new(start: usize, end: usize) -> TextRange {
        TextRange { start: start as u32, end: end as u32 }
    }
}

/// An attribute of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// Its interned local name.
    pub name: Name,
    /// The namespace of its name.
    pub namespace: Namespace,
    pub(crate) value: TextRange,
}

/// The mode a document type puts a browser into.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Quirks {
    /// Standards mode.
    #[default]
    No,
    /// Almost standards mode.
    Limited,
    /// Quirks mode.
    Full,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) placement: Placement,
    pub(crate) namespace: Namespace,
    /// Whether its source bytes are one contiguous range that contains it and its descendants and nothing else.
    pub(crate) owns_span: bool,
    pub(crate) depth: u16,
    pub(crate) name: Name,
    pub(crate) parent: u32,
    /// The number after the last descendant.
    pub(crate) end: u32,
    /// The text of a text node or comment; the attribute range of an element.
    pub(crate) value: TextRange,
    /// From the start of the start tag to the end of the end tag, or to the end of the content without an end tag.
    pub(crate) span: TextRange,
    /// The content of the element, between its start tag and its end tag.
    pub(crate) inner: TextRange,
}

/// One parsed page.
#[derive(Clone, Debug, Default)]
pub struct Document {
    pub(crate) source: String,
    pub(crate) extra: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) attributes: Vec<Attribute>,
    /// Names outside the table of known names, numbered after the known ones.
    pub(crate) names: Vec<Box<str>>,
    /// Source ranges of texts that are not one contiguous byte range, sorted by node.
    pub(crate) pieces: Vec<(u32, TextRange)>,
    pub(crate) quirks: Quirks,
    pub(crate) limits_hit: LimitsHit,
}

impl Document {
    /// The decoded source the page was parsed from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The number of nodes, the document included.
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is not even a document node, which is the case only before parsing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The limits that were hit while parsing. If there are any, the tree is not the whole page.
    pub fn limits_hit(&self) -> LimitsHit {
        self.limits_hit
    }

    /// The mode the document type puts a browser into.
    pub fn quirks(&self) -> Quirks {
        self.quirks
    }

    /// All nodes in preorder.
    #[inline]
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The kind of a node.
    #[inline]
    pub fn kind(&self, id: NodeId) -> NodeKind {
        self.node(id).kind
    }

    /// Whether a node is an element.
    #[inline]
    pub fn is_element(&self, id: NodeId) -> bool {
        self.node(id).kind == NodeKind::Element
    }

    /// Whether a node is a text node.
    #[inline]
    pub fn is_text(&self, id: NodeId) -> bool {
        self.node(id).kind == NodeKind::Text
    }

    /// The interned name of an element, [`Name::NONE`] for other nodes.
    #[inline]
    pub fn name(&self, id: NodeId) -> Name {
        self.node(id).name
    }

    /// The name of an HTML element, [`Name::NONE`] for everything else.
    #[inline]
    pub fn html_name(&self, id: NodeId) -> Name {
        let node = self.node(id);
        if node.namespace == Namespace::Html { node.name } else { Name::NONE }
    }

    /// The namespace of an element.
    #[inline]
    pub fn namespace(&self, id: NodeId) -> Namespace {
        self.node(id).namespace
    }

    /// The text of a name of this document.
    pub fn name_text(&self, name: Name) -> &str {
        let number = name.0 as usize;
        match KNOWN_NAMES.get(number) {
            Some(text) => text,
            None => &self.names[number - KNOWN_NAMES.len()],
        }
    }

    /// The interned name with this text, if this document has one.
    pub fn name_of(&self, text: &str) -> Option<Name> {
        Name::known(text).or_else(|| {
            let at = self.names.iter().position(|name| &**name == text)?;
            Some(Name((KNOWN_NAMES.len() + at) as u32))
        })
    }

    /// The depth of a node; the document has depth 0.
    pub fn depth(&self, id: NodeId) -> usize {
        self.node(id).depth as usize
    }

    /// The parent of a node.
    #[inline]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id.0 != 0).then(|| NodeId(self.node(id).parent))
    }

    /// The number after the last descendant of a node.
    #[inline]
    pub fn end(&self, id: NodeId) -> NodeId {
        NodeId(self.node(id).end)
    }

    /// A node and its descendants, as a range of indexes.
    #[inline]
    pub fn subtree(&self, id: NodeId) -> Range<usize> {
        id.index()..self.end(id).index()
    }

    /// The descendants of a node in preorder, without the node itself.
    #[inline]
    pub fn descendants(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (id.0 + 1..self.end(id).0).map(NodeId)
    }

    /// Whether `inner` is `outer` or one of its descendants.
    #[inline]
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner < self.end(outer)
    }

    /// The children of a node in order.
    #[inline]
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.end(id);
        let mut next = NodeId(id.0 + 1);
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.end(child);
                child
            })
        })
    }

    /// The ancestors of a node from its parent to the document.
    #[inline]
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |node| self.parent(*node))
    }

    /// The first HTML element with a name, in preorder.
    pub fn find(&self, name: Name) -> Option<NodeId> {
        let is_wanted = |node: &Node| node.name == name && node.namespace == Namespace::Html;
        self.nodes.iter().position(is_wanted).map(|at| NodeId(at as u32))
    }

    /// The attributes of an element in source order.
    #[inline]
    pub fn attributes(&self, id: NodeId) -> &[Attribute] {
        let node = self.node(id);
        if node.kind != NodeKind::Element {
            return &[];
        }
        &self.attributes[node.value.start as usize..node.value.end as usize]
    }

    /// The value of an attribute.
    #[inline]
    pub fn attribute(&self, id: NodeId, name: Name) -> Option<&str> {
        self.attributes(id).iter().find(|attribute| attribute.name == name).map(|attribute| self.value(attribute))
    }

    /// The decoded value of an attribute of this document.
    #[inline]
    pub fn value(&self, attribute: &Attribute) -> &str {
        self.slice(attribute.value)
    }

    /// The decoded text of a text node or comment. For a document type, its name, public identifier and system identifier,
    /// separated by line feeds. Empty for other nodes.
    #[inline]
    pub fn text(&self, id: NodeId) -> &str {
        let node = self.node(id);
        match node.kind {
            NodeKind::Text | NodeKind::Comment | NodeKind::ProcessingInstruction | NodeKind::Doctype => {
                self.slice(node.value)
            }
            _ => "",
        }
    }

    #[inline]
    pub(crate) fn slice(&self, range: TextRange) -> &str {
        slice(&self.source, &self.extra, range)
    }

    /// How a node relates to the source.
    pub fn placement(&self, id: NodeId) -> Placement {
        self.node(id).placement
    }

    /// The byte range of a node in the source, from the start of its start tag to the end of its end tag, or to the end of
    /// its content if it has no end tag. `None` for nodes the parser inserted or copied.
    pub fn span(&self, id: NodeId) -> Option<Range<usize>> {
        let node = self.node(id);
        match node.placement {
            Placement::Source | Placement::Moved => Some(node.span.start as usize..node.span.end as usize),
            Placement::Copied | Placement::Invented => None,
        }
    }

    /// The byte range of the source between the start tag and the end tag of an element.
    pub fn inner_span(&self, id: NodeId) -> Option<Range<usize>> {
        let node = self.node(id);
        self.span(id).map(|_| node.inner.start as usize..node.inner.end as usize)
    }

    /// Whether the bytes of [`Document::span`] belong to this node and its descendants and to no other node.
    pub fn owns_span(&self, id: NodeId) -> bool {
        self.node(id).owns_span
    }

    /// Appends the source ranges that belong to a node and its descendants and to no other node, unsorted.
    ///
    /// For most nodes that is [`Document::span`]. If the parser moved nodes out of or into the subtree, the ranges
    /// of its start tags, end tags, texts and comments are appended one by one.
    pub fn append_own_spans(&self, id: NodeId, spans: &mut Vec<Range<usize>>) {
        if self.node(id).owns_span {
            spans.extend(self.span(id));
            return;
        }
        let mut next = id.0;
        while next < self.end(id).0 {
            let node = self.node(NodeId(next));
            if node.owns_span {
                spans.extend(self.span(NodeId(next)));
                next = node.end;
                continue;
            }
            next += 1;
            self.append_single_spans(NodeId(next - 1), spans);
        }
    }

    /// Appends the source ranges of one node without its descendants: its tags or its text.
    pub(crate) fn append_single_spans(&self, id: NodeId, spans: &mut Vec<Range<usize>>) {
        let node = self.node(id);
        let mut append = |start: u32, end: u32| {
            if start < end {
                spans.push(start as usize..end as usize);
            }
        };
        match node.kind {
            NodeKind::Element => {
                // Copies have no start tag: only the end tag is left, if one closed them.
                append(node.span.start, node.inner.start);
                append(node.inner.end, node.span.end);
            }
            NodeKind::Text => {
                // Few texts are scattered, so their pieces are in one list for the whole document rather than in every node.
                let first = self.pieces.partition_point(|piece| piece.0 < id.0);
                let mut scattered = false;
                for piece in self.pieces[first..].iter().take_while(|piece| piece.0 == id.0) {
                    append(piece.1.start, piece.1.end);
                    scattered = true;
                }
                if !scattered {
                    append(node.span.start, node.span.end);
                }
            }
            _ => append(node.span.start, node.span.end),
        }
    }
}

/// The text of a range of the virtual text space.
#[inline]
pub(crate) fn slice<'a>(source: &'a str, extra: &'a str, range: TextRange) -> &'a str {
    let (start, end) = (range.start as usize, range.end as usize);
    // The second condition is for an empty range at the very end of the source.
    if start < source.len() || end <= source.len() {
        &source[start..end]
    } else {
        &extra[start - source.len()..end - source.len()]
    }
}
