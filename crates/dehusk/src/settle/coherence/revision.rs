//! A detection that is being revised, and the visible text of its page.

use crate::detection::{Detection, Reason};
use crate::dom::elements::{heading_level, is_hidden, is_list, is_never_shown, is_preformatted, is_replaced};
use crate::dom::{Document, Name, Namespace, NodeId, NodeKind};
use crate::records::columns::Unit;
use std::ops::Range;

/// A detection that is being revised.
pub(super) struct Revision<'a> {
    pub(super) document: &'a Document,
    pub(super) body: NodeId,
    pub(super) elements: Elements,
    detection: &'a mut Detection,
    /// The visible texts of the page.
    texts: Vec<NodeId>,
    /// For each node the number of visible texts before it.
    texts_before: Vec<u32>,
    /// Bytes of the first texts, by their number: of all, and of those that were kept when they were last counted.
    text_sums: Vec<u32>,
    kept_sums: Vec<u32>,
    /// Nodes that were dropped and are kept now, with their former score and reason.
    kept_again: Vec<(NodeId, f32, Reason)>,
}

/// The elements that rules are about, in page order. They are collected once, because there are few of them.
#[derive(Default)]
pub(super) struct Elements {
    pub(super) tables: Vec<NodeId>,
    /// Tables and groups of rows.
    pub(super) row_groups: Vec<NodeId>,
    pub(super) codes: Vec<NodeId>,
    /// Lists, and lists of definitions.
    pub(super) lists: Vec<NodeId>,
    pub(super) headings: Vec<NodeId>,
}

impl Elements {
    fn add(&mut self, id: NodeId, name: Name) {
        match name {
            Name::TABLE => {
                self.tables.push(id);
                self.row_groups.push(id);
            }
            Name::TBODY | Name::THEAD | Name::TFOOT => self.row_groups.push(id),
            Name::DL => self.lists.push(id),
            _ if is_list(name) => self.lists.push(id),
            _ if is_preformatted(name) => self.codes.push(id),
            _ if heading_level(name).is_some() => self.headings.push(id),
            _ => {}
        }
    }
}

impl<'a> Revision<'a> {
    /// Reads the visible text of a page. `None` if nothing is dropped.
    pub(super) fn new(document: &'a Document, detection: &'a mut Detection) -> Option<Revision<'a>> {
        let body = document.find(Name::BODY)?;
        if !document.descendants(body).any(|id| detection.is_dropped(id)) {
            return None;
        }
        let mut page = Revision {
            document,
            body,
            elements: Elements::default(),
            detection,
            texts: Vec::new(),
            texts_before: vec![0; body.index()],
            text_sums: vec![0],
            kept_sums: Vec::new(),
            kept_again: Vec::new(),
        };
        page.read();
        page.count_kept();
        Some(page)
    }

    /// Finds the visible texts and the elements that rules are about.
    fn read(&mut self) {
        let document = self.document;
        let mut total = 0u32;
        // The node after an element that is not shown.
        let mut hidden_until = self.body;
        for id in document.subtree(self.body).map(|at| NodeId(at as u32)) {
            self.texts_before.push(self.texts.len() as u32);
            let is_shown = id >= hidden_until;
            match document.kind(id) {
                NodeKind::Text if is_shown => {
                    let length = trim(document.text(id)).len();
                    if length > 0 {
                        total = total.saturating_add(length as u32);
                        self.texts.push(id);
                        self.text_sums.push(total);
                    }
                }
                NodeKind::Element => {
                    let name = document.html_name(id);
                    if id != self.body {
                        self.elements.add(id, name);
                    }
                    if is_shown && is_not_shown(document, id, name) {
                        hidden_until = document.end(id);
                    }
                }
                NodeKind::Fragment if is_shown => hidden_until = document.end(id),
                _ => {}
            }
        }
        self.texts_before.resize(document.len() + 1, self.texts.len() as u32);
    }

    /// Counts the kept text again.
    pub(super) fn count_kept(&mut self) {
        self.kept_sums.clear();
        self.kept_sums.push(0);
        let mut total = 0u32;
        for (id, sums) in self.texts.iter().zip(self.text_sums.windows(2)) {
            if !self.detection.is_dropped(*id) {
                total = total.saturating_add(sums[1] - sums[0]);
            }
            self.kept_sums.push(total);
        }
    }

    /// The numbers of the visible texts between two nodes.
    fn texts_between(&self, start: NodeId, end: NodeId) -> Range<usize> {
        self.texts_before[start.index()] as usize..self.texts_before[end.index()] as usize
    }

    /// Bytes of visible text between two nodes.
    pub(super) fn text_between(&self, start: NodeId, end: NodeId) -> u32 {
        let texts = self.texts_between(start, end);
        self.text_sums[texts.end].saturating_sub(self.text_sums[texts.start])
    }

    /// Bytes of visible text in a node.
    pub(super) fn text(&self, id: NodeId) -> u32 {
        self.text_between(id, self.document.end(id))
    }

    /// Bytes of visible text between two nodes that were kept when they were last counted.
    pub(super) fn kept_text_between(&self, start: NodeId, end: NodeId) -> u32 {
        let texts = self.texts_between(start, end);
        self.kept_sums[texts.end].saturating_sub(self.kept_sums[texts.start])
    }

    /// Bytes of visible text in a node that were kept when they were last counted.
    pub(super) fn kept_text(&self, id: NodeId) -> u32 {
        self.kept_text_between(id, self.document.end(id))
    }

    /// The visible texts of the page with their bytes.
    pub(super) fn units(&self) -> impl Iterator<Item = Unit> {
        let weights = self.text_sums.windows(2).map(|sums| sums[1] - sums[0]);
        self.texts.iter().zip(weights).map(|(node, weight)| Unit { node: *node, weight })
    }

    /// The last visible text before a node.
    pub(super) fn text_ahead_of(&self, id: NodeId) -> Option<NodeId> {
        let before = self.texts_before[id.index()] as usize;
        before.checked_sub(1).map(|at| self.texts[at])
    }

    /// The first visible text at or after a node.
    pub(super) fn text_from(&self, id: NodeId) -> Option<NodeId> {
        self.texts.get(self.texts_before[id.index()] as usize).copied()
    }

    pub(super) fn is_dropped(&self, id: NodeId) -> bool {
        self.detection.is_dropped(id)
    }

    pub(super) fn reason(&self, id: NodeId) -> Reason {
        self.detection.reason(id)
    }

    /// Keeps a node as part of another one: its visible text and the elements around that. Images stay as they were decided.
    pub(super) fn keep(&mut self, id: NodeId, whole: NodeId) {
        for at in self.texts_between(id, self.document.end(id)) {
            self.keep_empty(self.texts[at], whole);
        }
    }

    /// Keeps the white space and line breaks between two kept texts.
    pub(super) fn keep_white_space(&mut self) {
        let document = self.document;
        for next in 1..self.texts.len() {
            let (before, after) = (self.texts[next - 1], self.texts[next]);
            if self.is_dropped(before) || self.is_dropped(after) {
                continue;
            }
            for id in (before.0 + 1..after.0).map(NodeId) {
                let is_space = || match document.kind(id) {
                    NodeKind::Text => trim(document.text(id)).is_empty(),
                    _ => matches!(document.html_name(id), Name::BR | Name::WBR),
                };
                // The elements around it contain no text of their own: highlighted code has spaces in elements.
                if self.is_dropped(id) && is_space() {
                    self.keep_empty(id, after);
                }
            }
        }
    }

    /// Keeps a node and the elements around it, but not what is in it.
    pub(super) fn keep_empty(&mut self, id: NodeId, whole: NodeId) {
        let mut next = Some(id);
        while let Some(at) = next
            && self.is_dropped(at)
        {
            self.keep_alone(at, whole);
            next = self.document.parent(at);
        }
    }

    fn keep_alone(&mut self, id: NodeId, whole: NodeId) {
        self.kept_again.push((id, self.detection.score(id), self.detection.reason(id)));
        self.detection.keep_node(id, Reason::PartOf(whole));
    }

    /// Drops a node for a reason.
    pub(super) fn drop(&mut self, id: NodeId, reason: Reason) {
        self.detection.set_evidence(id, self.detection.score(id), reason);
        self.detection.drop_subtree(self.document, id);
    }

    /// Corrects the reasons of nodes inside a dropped node that is kept now.
    pub(super) fn finish(mut self) {
        if self.kept_again.is_empty() {
            return;
        }
        self.kept_again.sort_unstable_by_key(|former| former.0);
        let mut root = NodeId::DOCUMENT;
        let mut root_end = NodeId::DOCUMENT;
        for id in self.document.descendants(self.body) {
            if !self.detection.is_dropped(id) {
                continue;
            }
            if id >= root_end {
                (root, root_end) = (id, self.document.end(id));
            }
            let Reason::Inside(outer) = self.detection.reason(id) else { continue };
            if self.detection.is_dropped(outer) {
                continue;
            }
            match self.former_evidence(outer) {
                Some((score, reason)) if id == root => self.detection.set_evidence(id, score, reason),
                _ if id != root => self.detection.set_evidence(id, self.detection.score(id), Reason::Inside(root)),
                _ => {}
            }
        }
    }

    /// Why a node that is kept now was dropped.
    fn former_evidence(&self, id: NodeId) -> Option<(f32, Reason)> {
        let mut at = id;
        loop {
            let found = self.kept_again.binary_search_by_key(&at, |former| former.0).ok()?;
            let (_, score, reason) = self.kept_again[found];
            match reason {
                Reason::Inside(outer) if outer < at => at = outer,
                _ => return Some((score, reason)),
            }
        }
    }
}

/// Whether a page does not show an element or its text.
fn is_not_shown(document: &Document, id: NodeId, name: Name) -> bool {
    is_never_shown(name)
        || document.namespace(id) == Namespace::Svg
        || is_replaced(document, id, name)
        || (!document.attributes(id).is_empty() && is_hidden(document, id))
}

/// A text without the white space around it. Nearly all of that is ASCII, for which there is a quicker way.
fn trim(text: &str) -> &str {
    text.trim_ascii().trim()
}
