//! The tree of a page that was read, written to a [`Document`] in preorder, with the source spans worked out.

use crate::arena::{Document, Node, NodeKind, Placement, TextRange};
use crate::tree::{Buffers, NIL, Piece, Raw, Tree};

impl Tree<'_> {
    /// Fills the document, whose source and decoded texts are set, and hands the buffers back.
    pub(crate) fn finish_into(mut self, document: &mut Document, buffers: &mut Buffers) {
        document.attributes = std::mem::take(&mut self.attributes);
        document.quirks = self.quirks;
        if let Some(limit_hit) = self.limit_hit {
            document.limits_hit.insert(limit_hit);
        }
        self.write(document);
        buffers.raws = self.raws;
        buffers.pieces = self.pieces;
        buffers.queue = self.queue;
    }

    /// Writes the tree to the document in preorder.
    fn write(&self, document: &mut Document) {
        document.nodes.clear();
        document.pieces.clear();
        document.nodes.reserve(self.raws.len());
        let mut writer = Writer { document, path: Vec::new(), cursor: 0, moved: Vec::new() };
        let mut at = 0u32;
        'walk: loop {
            writer.enter(&self.raws[at as usize], &self.pieces);
            if self.raws[at as usize].first != NIL {
                at = self.raws[at as usize].first;
                continue;
            }
            loop {
                writer.leave();
                if at == 0 {
                    break 'walk;
                }
                let Raw { next, parent, .. } = self.raws[at as usize];
                if next != NIL {
                    at = next;
                    continue 'walk;
                }
                at = parent;
            }
        }
        writer.mark_tidy();
    }
}

/// Puts nodes into preorder and works out their spans.
struct Writer<'d> {
    document: &'d mut Document,
    path: Vec<Open>,
    /// How far in the source the nodes written so far reach.
    cursor: u32,
    /// Where things stand that the parser moved: position, and the node that holds them now.
    moved: Vec<(u32, u32)>,
}

struct Open {
    id: u32,
    /// The end of what stands in it.
    content_end: u32,
    /// The place of its end tag.
    close: TextRange,
    /// The cursor to go back to after a moved subtree.
    outer_cursor: Option<u32>,
}

impl Writer<'_> {
    fn enter(&mut self, raw: &Raw, pieces: &[Piece]) {
        let id = self.document.nodes.len() as u32;
        let parent = self.path.last().map_or(0, |open| open.id);
        let mut node = Node {
            kind: raw.kind,
            placement: raw.placement,
            namespace: raw.namespace,
            tidy: false,
            depth: self.path.len() as u16,
            name: raw.name,
            parent,
            end: 0,
            value: raw.value,
            span: raw.span,
            inner: TextRange { start: raw.span.end, end: raw.span.end },
        };
        if raw.kind == NodeKind::Text {
            self.write_text(id, raw, pieces, &mut node);
        }
        let mut outer_cursor = None;
        if matches!(node.placement, Placement::Source | Placement::Moved) {
            if node.placement == Placement::Source && node.span.start < self.cursor {
                node.placement = Placement::Moved;
            }
            if node.placement == Placement::Moved {
                outer_cursor = Some(self.cursor);
                self.moved.push((node.span.start, id));
            }
            self.cursor = if node.kind == NodeKind::Element { node.inner.start } else { node.span.end };
        } else {
            // It begins where what it holds begins; `leave` knows where it ends.
            node.span.start = self.cursor;
            node.inner.start = self.cursor;
        }
        self.path.push(Open { id, content_end: self.cursor, close: raw.close, outer_cursor });
        self.document.nodes.push(node);
    }

    fn write_text(&mut self, id: u32, raw: &Raw, pieces: &[Piece], node: &mut Node) {
        let first = pieces[raw.first_piece as usize];
        node.value = first.value;
        node.span = first.span;
        if first.next == NIL {
            return;
        }
        let chain =
            std::iter::successors(Some(first), |piece| (piece.next != NIL).then(|| pieces[piece.next as usize]));
        let in_one_run = chain.clone().zip(chain.clone().skip(1)).all(|(one, two)| one.span.end == two.span.start);
        let start = self.document.source.len() + self.document.extra.len();
        for piece in chain {
            let Document { source, extra, .. } = &mut *self.document;
            let (from, to) = (piece.value.start as usize, piece.value.end as usize);
            if from < source.len() {
                extra.push_str(&source[from..to]);
            } else {
                extra.extend_from_within(from - source.len()..to - source.len());
            }
            if in_one_run {
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
        if node.kind != NodeKind::Text && node.kind != NodeKind::Comment && node.kind != NodeKind::Doctype {
            let content_end = open.content_end.max(node.inner.start);
            if open.close.end > 0 && open.close.start >= content_end {
                node.inner.end = open.close.start;
                node.span.end = open.close.end;
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
        if let Some(parent) = self.path.last_mut()
            && placement != Placement::Moved
        {
            parent.content_end = parent.content_end.max(span.end);
        }
    }

    /// Marks the nodes whose bytes are one run that holds nothing foreign.
    fn mark_tidy(&mut self) {
        let Document { nodes, pieces, .. } = &mut *self.document;
        let mut by_id: Vec<u32> = self.moved.iter().map(|moved| moved.1).collect();
        by_id.sort_unstable();
        self.moved.sort_unstable();
        let scattered = |id: u32| pieces.binary_search_by_key(&id, |piece| piece.0).is_ok();
        for id in 0..nodes.len() as u32 {
            let node = &nodes[id as usize];
            if !matches!(node.placement, Placement::Source | Placement::Moved) {
                continue;
            }
            let tidy = if self.moved.is_empty() {
                true
            } else if node.kind == NodeKind::Text {
                !scattered(id)
            } else {
                // What was moved out of these bytes, and what was moved into this subtree, must be the same things.
                let from = self.moved.partition_point(|moved| moved.0 <= node.span.start);
                let to = self.moved.partition_point(|moved| moved.0 < node.span.end);
                let first = by_id.partition_point(|moved| *moved <= id);
                let last = by_id.partition_point(|moved| *moved < node.end);
                // A long list is not worth the look: giving the ranges one by one is right too.
                to - from == last - first
                    && to - from <= 64
                    && self.moved[from..to].iter().all(|moved| (id + 1..node.end).contains(&moved.1))
            };
            nodes[id as usize].tidy = tidy;
        }
    }
}
