//! Writes the finished tree to a [`Document`] in preorder and computes the source spans of its nodes.

use crate::document::{Document, Node, NodeKind, Placement, TextRange};
use crate::parse::build_tree::{Buffers, BuildNode, NO_LINK, TextPiece, Tree};

impl Tree<'_> {
    /// Fills the document, whose source and decoded texts are already set, and returns the buffers.
    pub(crate) fn finish_into(mut self, document: &mut Document, buffers: &mut Buffers) {
        document.attributes = std::mem::take(&mut self.attributes);
        document.quirks = self.quirks;
        if let Some(limit_hit) = self.limit_hit {
            document.limits_hit.insert(limit_hit);
        }
        self.write(document);
        buffers.nodes = self.nodes;
        buffers.pieces = self.pieces;
        buffers.pending_texts = self.pending_texts;
    }

    /// Writes the tree to the document in preorder.
    fn write(&self, document: &mut Document) {
        document.nodes.clear();
        document.pieces.clear();
        document.nodes.reserve(self.nodes.len());
        let mut writer = Writer { document, path: Vec::new(), cursor: 0, moved: Vec::new() };
        let mut at = 0u32;
        // Not recursive, so that a deeply nested page cannot exhaust the stack.
        'walk: loop {
            writer.enter(&self.nodes[at as usize], &self.pieces);
            if self.nodes[at as usize].first != NO_LINK {
                at = self.nodes[at as usize].first;
                continue;
            }
            loop {
                writer.leave();
                if at == 0 {
                    break 'walk;
                }
                let BuildNode { next, parent, .. } = self.nodes[at as usize];
                if next != NO_LINK {
                    at = next;
                    continue 'walk;
                }
                at = parent;
            }
        }
        writer.mark_owned_spans();
    }
}

/// Puts nodes into preorder and computes their spans.
struct Writer<'d> {
    document: &'d mut Document,
    path: Vec<Open>,
    /// The end of the source range covered by the nodes written so far.
    cursor: u32,
    /// Nodes and text pieces that the parser moved: source position and node.
    moved: Vec<(u32, u32)>,
}

struct Open {
    id: u32,
    /// The end of its content in the source.
    content_end: u32,
    /// The range of its end tag.
    end_tag: TextRange,
    /// The cursor to go back to after a moved subtree.
    outer_cursor: Option<u32>,
}

impl Writer<'_> {
    fn enter(&mut self, built: &BuildNode, pieces: &[TextPiece]) {
        let id = self.document.nodes.len() as u32;
        let parent = self.path.last().map_or(0, |open| open.id);
        let mut node = Node {
            kind: built.kind,
            placement: built.placement,
            namespace: built.namespace,
            owns_span: false,
            depth: self.path.len() as u16,
            name: built.name,
            parent,
            end: 0,
            value: built.value,
            span: built.span,
            inner: TextRange { start: built.span.end, end: built.span.end },
        };
        if built.kind == NodeKind::Text {
            self.write_text(id, built, pieces, &mut node);
        }
        let mut outer_cursor = None;
        if matches!(node.placement, Placement::Source | Placement::Moved) {
            // The rules for misnested formatting move nodes without saying so; one that starts before what has been written was moved.
            if node.placement == Placement::Source && node.span.start < self.cursor {
                node.placement = Placement::Moved;
            }
            if node.placement == Placement::Moved {
                outer_cursor = Some(self.cursor);
                self.moved.push((node.span.start, id));
            }
            self.cursor = if node.kind == NodeKind::Element { node.inner.start } else { node.span.end };
        } else {
            // It starts where its content starts; `leave` sets its end.
            node.span.start = self.cursor;
            node.inner.start = self.cursor;
        }
        self.path.push(Open { id, content_end: self.cursor, end_tag: built.end_tag, outer_cursor });
        self.document.nodes.push(node);
    }

    fn write_text(&mut self, id: u32, built: &BuildNode, pieces: &[TextPiece], node: &mut Node) {
        let first = pieces[built.first_piece as usize];
        node.value = first.value;
        node.span = first.span;
        if first.next == NO_LINK {
            return;
        }
        let chain =
            std::iter::successors(Some(first), |piece| (piece.next != NO_LINK).then(|| pieces[piece.next as usize]));
        let is_contiguous = chain.clone().zip(chain.clone().skip(1)).all(|(one, two)| one.span.end == two.span.start);
        // A text is one range, so its pieces are joined at the end of the side buffer.
        let start = self.document.source.len() + self.document.extra.len();
        for piece in chain {
            let Document { source, extra, .. } = &mut *self.document;
            let (from, to) = (piece.value.start as usize, piece.value.end as usize);
            if from < source.len() {
                extra.push_str(&source[from..to]);
            } else {
                extra.extend_from_within(from - source.len()..to - source.len());
            }
            if is_contiguous {
                node.span.end = piece.span.end;
            } else {
                self.document.pieces.push((id, piece.span));
                if piece.span.start != first.span.start {
                    self.moved.push((piece.span.start, id));
                }
            }
        }
        node.value = TextRange::new(start, self.document.source.len() + self.document.extra.len());
    }

    fn leave(&mut self) {
        let Some(open) = self.path.pop() else { return };
        let end = self.document.nodes.len() as u32;
        let node = &mut self.document.nodes[open.id as usize];
        node.end = end;
        if matches!(node.kind, NodeKind::Document | NodeKind::Element | NodeKind::Fragment) {
            let content_end = open.content_end.max(node.inner.start);
            // Content can follow the end tag: text after `</body>` still goes into the body.
            if open.end_tag.end > 0 && open.end_tag.start >= content_end {
                node.inner.end = open.end_tag.start;
                node.span.end = open.end_tag.end;
            } else {
                node.inner.end = content_end;
                node.span.end = content_end;
            }
        }
        let (span, placement) = (node.span, node.placement);
        match open.outer_cursor {
            Some(cursor) => self.cursor = cursor,
            None => self.cursor = self.cursor.max(span.end),
        }
        // A moved node is somewhere else in the source, not within the content of its parent.
        if let Some(parent) = self.path.last_mut()
            && placement != Placement::Moved
        {
            parent.content_end = parent.content_end.max(span.end);
        }
    }

    /// Marks the nodes whose bytes are one contiguous range without bytes of other nodes.
    fn mark_owned_spans(&mut self) {
        let Document { nodes, pieces, .. } = &mut *self.document;
        let mut by_id: Vec<u32> = self.moved.iter().map(|moved| moved.1).collect();
        // Two orders, so that both counts below are found by binary search: by node, and by place in the source.
        by_id.sort_unstable();
        self.moved.sort_unstable();
        let scattered = |id: u32| pieces.binary_search_by_key(&id, |piece| piece.0).is_ok();
        for id in 0..nodes.len() as u32 {
            let node = &nodes[id as usize];
            if !matches!(node.placement, Placement::Source | Placement::Moved) {
                continue;
            }
            let owns_span = if self.moved.is_empty() {
                true
            } else if node.kind == NodeKind::Text {
                !scattered(id)
            } else {
                // The nodes moved out of these bytes and the nodes moved into this subtree must be the same.
                let from = self.moved.partition_point(|moved| moved.0 <= node.span.start);
                let to = self.moved.partition_point(|moved| moved.0 < node.span.end);
                let first = by_id.partition_point(|moved| *moved <= id);
                let last = by_id.partition_point(|moved| *moved < node.end);
                // A long list is not worth checking: appending the ranges one by one is also correct.
                to - from == last - first
                    && to - from <= 64
                    && self.moved[from..to].iter().all(|moved| (id + 1..node.end).contains(&moved.1))
            };
            nodes[id as usize].owns_span = owns_span;
        }
    }
}
