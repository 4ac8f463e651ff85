//! A detection that is being revised, and the visible text of its page.

use crate::detection::{Detection, Reason};
use crate::dom::elements::{is_hidden, is_never_shown, is_replaced};
use crate::dom::{Document, Name, Namespace, NodeId, NodeKind};

/// A detection that is being revised.
pub(super) struct Revision<'a> {
    pub(super) document: &'a Document,
    pub(super) body: NodeId,
    detection: &'a mut Detection,
    /// For each node the bytes of visible text before it, and those that were kept when they were last counted.
    text_before: Vec<u32>,
    kept_before: Vec<u32>,
    /// The visible texts of the page.
    pub(super) texts: Vec<NodeId>,
    /// Nodes that were dropped and are kept now, with their former score and reason.
    kept_again: Vec<(NodeId, f32, Reason)>,
}

impl<'a> Revision<'a> {
    /// Reads the visible text of a page. `None` if nothing is dropped.
    pub(super) fn new(document: &'a Document, detection: &'a mut Detection) -> Option<Revision<'a>> {
        let body = document.find(Name::BODY)?;
        if !document.descendants(body).any(|id| detection.is_dropped(id)) {
            return None;
        }
        let mut texts = Vec::new();
        let mut at = body;
        while at < document.end(body) {
            let is_skipped = match document.kind(at) {
                NodeKind::Text => {
                    if !document.text(at).trim().is_empty() {
                        texts.push(at);
                    }
                    false
                }
                NodeKind::Element => {
                    let name = document.html_name(at);
                    is_never_shown(name)
                        || document.namespace(at) == Namespace::Svg
                        || is_replaced(document, at, name)
                        || (!document.attributes(at).is_empty() && is_hidden(document, at))
                }
                NodeKind::Fragment => true,
                _ => false,
            };
            at = if is_skipped { document.end(at) } else { NodeId(at.0 + 1) };
        }
        let text_before = sums(document, &texts, |_| true);
        let mut page =
            Revision { document, body, detection, text_before, kept_before: Vec::new(), texts, kept_again: Vec::new() };
        page.count_kept();
        Some(page)
    }

    /// Counts the kept text anew.
    pub(super) fn count_kept(&mut self) {
        self.kept_before = sums(self.document, &self.texts, |id| !self.detection.is_dropped(id));
    }

    /// Bytes of visible text between two nodes.
    pub(super) fn text_between(&self, start: NodeId, end: NodeId) -> u32 {
        self.text_before[end.index()].saturating_sub(self.text_before[start.index()])
    }

    /// Bytes of visible text in a node.
    pub(super) fn text(&self, id: NodeId) -> u32 {
        self.text_between(id, self.document.end(id))
    }

    /// Bytes of visible text between two nodes that were kept when they were last counted.
    pub(super) fn kept_text_between(&self, start: NodeId, end: NodeId) -> u32 {
        self.kept_before[end.index()].saturating_sub(self.kept_before[start.index()])
    }

    /// Bytes of visible text in a node that were kept when they were last counted.
    pub(super) fn kept_text(&self, id: NodeId) -> u32 {
        self.kept_text_between(id, self.document.end(id))
    }

    /// The last visible text before a node.
    pub(super) fn text_ahead_of(&self, id: NodeId) -> Option<NodeId> {
        let at = self.texts.partition_point(|text| *text < id);
        at.checked_sub(1).map(|at| self.texts[at])
    }

    /// The first visible text at or after a node.
    pub(super) fn text_from(&self, id: NodeId) -> Option<NodeId> {
        self.texts.get(self.texts.partition_point(|text| *text < id)).copied()
    }

    pub(super) fn is_dropped(&self, id: NodeId) -> bool {
        self.detection.is_dropped(id)
    }

    pub(super) fn reason(&self, id: NodeId) -> Reason {
        self.detection.reason(id)
    }

    /// Keeps a node as part of another one: its visible text and the elements around that. Images stay as they were decided.
    pub(super) fn keep(&mut self, id: NodeId, whole: NodeId) {
        let document = self.document;
        let start = self.texts.partition_point(|text| *text < id);
        let end = self.texts.partition_point(|text| *text < document.end(id));
        for at in start..end {
            self.keep_empty(self.texts[at], whole);
        }
    }

    /// Keeps the white space and line breaks between two kept texts.
    pub(super) fn keep_white_space(&mut self) {
        let document = self.document;
        // The number of texts before the node.
        let mut texts = 0;
        let mut is_after_kept = false;
        for id in document.descendants(self.body) {
            if self.texts.get(texts) == Some(&id) {
                texts += 1;
                is_after_kept = !self.is_dropped(id);
                continue;
            }
            let is_space = match document.kind(id) {
                NodeKind::Text => document.text(id).trim().is_empty(),
                _ => matches!(document.html_name(id), Name::BR | Name::WBR),
            };
            if is_space
                && is_after_kept
                && self.is_dropped(id)
                && document.parent(id).is_some_and(|parent| !self.is_dropped(parent))
                && let Some(next) = self.texts.get(texts).copied().filter(|next| !self.is_dropped(*next))
            {
                self.keep_alone(id, next);
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

/// For each node the bytes of some texts before it.
fn sums(document: &Document, texts: &[NodeId], counts: impl Fn(NodeId) -> bool) -> Vec<u32> {
    let mut sums = Vec::with_capacity(document.len() + 1);
    let mut total = 0u32;
    for id in texts {
        sums.resize(id.index() + 1, total);
        if counts(*id) {
            total = total.saturating_add(document.text(*id).trim().len() as u32);
        }
    }
    sums.resize(document.len() + 1, total);
    sums
}
