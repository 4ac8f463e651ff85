//! Which decisions the corrections of a page request for its text blocks.
//!
//! Takes a corrected page, returns the requested decision of each block, or that of the reference text where nobody clicked. Whether a
//! model decides so is measured elsewhere (`measure/correction_tally.rs`).

use crate::data::corrected_pages::CorrectedPage;
use crate::labels::fusion_examples::Example;
use dehusk::Decision;
use dehusk::detect::fusion::{FusionModel, FusionPage, FusionSettings, Odds, detect_fusion};
use dehusk::dom::elements::is_unseen;
use dehusk::dom::{Document, NodeId, Parser};
use dehusk::settle::settle;

/// On a page without clicks, a block is to be kept if at least this share of its words is in the reference text, and to be dropped if at most
/// the other share is. Nothing is requested for blocks between the two, about which the text says nothing clear.
const MIN_KEPT_SHARE: f32 = 0.8;
const MAX_DROPPED_SHARE: f32 = 0.2;

/// The decisions that are requested for the blocks of a page.
#[derive(Clone, Debug)]
pub(crate) struct RequestedDecisions {
    pub(crate) document: Document,
    /// The page, with the features of its blocks.
    pub(crate) page: FusionPage,
    /// For each block the requested decision, if there is one.
    pub(crate) blocks: Vec<Option<Decision>>,
    /// For each block the number of the correction that requests it, if it was a correction.
    pub(crate) corrections: Vec<Option<usize>>,
    /// For each correction why it requests nothing of any block, if so.
    pub(crate) without_effect: Vec<Option<&'static str>>,
}

impl RequestedDecisions {
    /// The requests of a page; none if it cannot be parsed.
    pub(crate) fn of(corrected: &CorrectedPage, odds: &Odds) -> Option<RequestedDecisions> {
        let document = Parser::default().parse(&corrected.page.html).ok()?;
        let mut page = FusionPage::default();
        page.describe(&document, odds);
        let mut requested = RequestedDecisions {
            blocks: vec![None; page.len()],
            corrections: vec![None; page.len()],
            without_effect: Vec::new(),
            document,
            page,
        };
        if corrected.corrections.is_empty() {
            let example = Example::of(&corrected.page)?;
            let decision = |block: usize| match example.label(block) {
                _ if example.words_of(block) == 0 => None,
                share if share >= MIN_KEPT_SHARE => Some(Decision::Keep),
                share if share <= MAX_DROPPED_SHARE => Some(Decision::Drop),
                _ => None,
            };
            requested.blocks = (0..requested.page.len()).map(decision).collect();
        } else {
            requested.apply(corrected);
        }
        Some(requested)
    }

    /// Requests what the corrections say. Of nested ones the innermost counts, of several for one node the last.
    fn apply(&mut self, corrected: &CorrectedPage) {
        let nodes = corrected.nodes(&self.document);
        let mut order: Vec<(usize, NodeId)> =
            nodes.iter().enumerate().filter_map(|(number, node)| Some((number, (*node)?))).collect();
        // Outer ones come first and are then replaced. A node comes before those in it, so that its number is lower.
        order.sort_by_key(|(number, node)| (node.0, *number));
        for (number, node) in order {
            for block in self.blocks_in(node) {
                self.corrections[block] = Some(number);
                self.blocks[block] = Some(corrected.corrections[number].decision);
            }
        }
        let without_effect = |(number, node): (usize, &Option<NodeId>)| match node {
            _ if self.corrections.contains(&Some(number)) => None,
            None => Some("it is not on the page"),
            Some(node) if !self.blocks_in(*node).is_empty() => Some("other corrections cover all of it"),
            Some(node) if self.has_text(*node) => Some("it is only a part of a block of text"),
            Some(_) => Some("it has no visible text"),
        };
        self.without_effect = nodes.iter().enumerate().map(without_effect).collect();
    }

    /// The blocks that lie in a node.
    fn blocks_in(&self, node: NodeId) -> std::ops::Range<usize> {
        let end = self.document.end(node);
        let count = |is_before: &dyn Fn(usize) -> bool| {
            let (mut low, mut high) = (0, self.page.len());
            while low < high {
                let middle = (low + high) / 2;
                if is_before(middle) { low = middle + 1 } else { high = middle }
            }
            low
        };
        let first = count(&|block| self.page.span(block).0 < node);
        let last = count(&|block| self.page.span(block).1 <= end);
        first..last.max(first)
    }

    fn has_text(&self, node: NodeId) -> bool {
        let document = &self.document;
        let is_seen = |id: NodeId| document.ancestors(id).all(|outer| !is_unseen(document.html_name(outer)));
        let mut ids = std::iter::once(node).chain(document.descendants(node));
        ids.any(|id| document.is_text(id) && !document.text(id).trim().is_empty() && is_seen(id))
    }

    /// For each block whether a model keeps it, as the extractor decides.
    pub(crate) fn kept_by(&self, model: &FusionModel) -> Vec<bool> {
        let mut page = FusionPage::default();
        let mut detection = detect_fusion(&self.document, model, None, FusionSettings::default(), &mut page);
        settle(&self.document, &mut detection);
        let shows = |block: usize| {
            let (first, end) = self.page.span(block);
            let mut ids = (first.0..end.0).map(NodeId);
            ids.any(|id| self.document.is_text(id) && !detection.is_dropped(id))
        };
        (0..self.page.len()).map(shows).collect()
    }
}
