//! Decides what to drop, given the nodes that are repeated on a site: the common last step of all site-level
//! detectors.
//!
//! Input: which nodes are template as a whole. Decides unit by unit (`units.rs`), so that no text is split. Does not
//! depend on how the template was found.

use super::units::{Unit, UnitKind, units};
use crate::detection::{Detection, Reason};
use crate::dom::elements::{heading_level, is_list};
use crate::dom::{Document, Name, NodeId, NodeKind, Stats};

/// A block of running text is dropped if at least this share of it is repeated and at most this many characters are
/// not: a counter or a year, but not the phone number after a long label (without the second rule, SWDE's
/// matchcollege lost its numbers).
const MIN_RUN_SHARE: f32 = 0.8;
const MAX_RUN_REST: u32 = 8;
/// A list of short items is dropped if half of its text and this share of its items are repeated (the active item of
/// a menu is not), or if a third of its text is repeated and the rest consists of links ("Previous: …", the open part
/// of a menu). Lists of labels with values (SWDE's aol) are kept.
const MIN_LIST_SHARE: f32 = 0.5;
const MIN_LINKS_SHARE: f32 = 0.33;
const MIN_LIST_ITEMS: f32 = 0.75;

/// Decides which nodes of the body to drop. `is_template` returns whether a node and its subtree are template. The
/// evidence of each node is already set in the detection.
pub fn decide(document: &Document, stats: &Stats, is_template: &impl Fn(NodeId) -> bool, detection: &mut Detection) {
    let Some(body) = document.find(Name::BODY) else { return };
    let page = BodyUnits { document, stats, body, covered: covered(document, body, is_template) };
    for unit in units(document, stats) {
        page.decide_unit(unit, is_template, detection);
    }
    page.drop_repeated_media(is_template, detection);
    page.drop_emptied(detection);
}

struct BodyUnits<'a> {
    document: &'a Document,
    stats: &'a Stats,
    body: NodeId,
    /// Nodes that are repeated as a whole, and their descendants.
    covered: Vec<bool>,
}

/// Returns which nodes of the body are repeated, or inside a repeated node.
fn covered(document: &Document, body: NodeId, is_template: &impl Fn(NodeId) -> bool) -> Vec<bool> {
    let mut covered = vec![false; document.len()];
    let mut until = body;
    for id in document.descendants(body) {
        if id >= until && is_template(id) {
            until = document.end(id);
        }
        covered[id.index()] = id < until;
    }
    covered
}

impl BodyUnits<'_> {
    /// Keeps or drops a unit.
    fn decide_unit(&self, unit: Unit, is_template: &impl Fn(NodeId) -> bool, detection: &mut Detection) {
        let characters = self.stats.range(unit.start, unit.end).characters;
        if characters == 0 {
            return;
        }
        // A node that is repeated as a whole is dropped with all units in it.
        let whole = unit.block.or(self.document.parent(unit.start));
        if whole.is_some_and(|id| self.covered[id.index()]) {
            self.drop_unit(unit, None, detection);
            return;
        }
        let repeated = self.repeated_characters(unit, is_template);
        let share = repeated as f32 / characters as f32;
        let enough = match unit.kind {
            // The title of a page is in many link lists of its site. It is dropped only if it is repeated as a
            // heading.
            UnitKind::Run if unit.block.is_some_and(|id| heading_level(self.document.html_name(id)).is_some()) => false,
            UnitKind::Run => share >= MIN_RUN_SHARE && characters - repeated <= MAX_RUN_REST,
            UnitKind::List => {
                (share >= MIN_LIST_SHARE && self.repeated_items(unit) >= MIN_LIST_ITEMS)
                    || (share >= MIN_LINKS_SHARE && self.rest_is_links(unit, is_template))
            }
            // A table is dropped only if nothing in it is this page's own.
            UnitKind::Table => repeated == characters,
        };
        if enough {
            self.drop_unit(unit, Some(share), detection);
        } else if repeated > 0 {
            self.keep_unit(unit, share, is_template, detection);
        }
    }

    /// Returns the share of a list's items that are repeated, or inside a repeated node.
    fn repeated_items(&self, unit: Unit) -> f32 {
        let (mut items, mut repeated) = (0, 0);
        for id in (unit.start.0..unit.end.0).map(NodeId) {
            if matches!(self.document.html_name(id), Name::LI | Name::OPTION) {
                items += 1;
                repeated += self.is_covered_item(id) as u32;
            }
        }
        repeated as f32 / items.max(1) as f32
    }

    /// Whether everything in a unit that is not repeated is inside links.
    fn rest_is_links(&self, unit: Unit, is_template: &impl Fn(NodeId) -> bool) -> bool {
        let document = self.document;
        let mut at = unit.start;
        while at < unit.end {
            if is_template(at) || document.html_name(at) == Name::A {
                at = document.end(at);
            } else if document.is_text(at) && self.stats.subtree(document, at).characters > 0 {
                return false;
            } else {
                at.0 += 1;
            }
        }
        true
    }

    /// Whether the contents of an item, apart from nested lists, are repeated.
    fn is_covered_item(&self, id: NodeId) -> bool {
        let document = self.document;
        self.covered[id.index()]
            || document.children(id).all(|child| {
                self.covered[child.index()]
                    || is_list(document.html_name(child))
                    || self.stats.subtree(document, child).characters == 0
            })
    }

    fn drop_unit(&self, unit: Unit, share: Option<f32>, detection: &mut Detection) {
        let mut at = unit.start;
        while at < unit.end {
            if let Some(share) = share
                && !detection.reason(at).is_own_evidence()
            {
                detection.set_evidence(at, share, Reason::MostlyTemplate { share });
            }
            detection.drop_subtree(self.document, at);
            at = self.document.end(at);
        }
    }

    /// Sets the reason why repeated nodes of a unit are kept.
    fn keep_unit(&self, unit: Unit, share: f32, is_template: &impl Fn(NodeId) -> bool, detection: &mut Detection) {
        let whole = unit.block.unwrap_or(unit.start);
        for at in unit.start.0..unit.end.0 {
            if is_template(NodeId(at)) {
                detection.set_evidence(NodeId(at), share, Reason::PartOf(whole));
            }
        }
    }

    /// Counts the characters of a unit that are in repeated nodes.
    fn repeated_characters(&self, unit: Unit, is_template: &impl Fn(NodeId) -> bool) -> u32 {
        let mut sum = 0;
        let mut at = unit.start;
        while at < unit.end {
            if is_template(at) {
                sum += self.stats.subtree(self.document, at).characters;
                at = self.document.end(at);
            } else {
                at.0 += 1;
            }
        }
        sum
    }

    /// Drops repeated images, forms and iframes that are not part of a unit with text. Cells are kept: they define
    /// the shape of a table.
    fn drop_repeated_media(&self, is_template: &impl Fn(NodeId) -> bool, detection: &mut Detection) {
        let mut at = NodeId(self.body.0 + 1);
        let end = self.document.end(self.body);
        while at < end {
            let counts = self.stats.subtree(self.document, at);
            if detection.is_dropped(at) {
                at = self.document.end(at);
            } else if is_template(at)
                && counts.characters == 0
                && counts.pictures > 0
                && !matches!(self.document.html_name(at), Name::TD | Name::TH | Name::TR)
            {
                detection.drop_subtree(self.document, at);
                at = self.document.end(at);
            } else {
                at.0 += 1;
            }
        }
    }

    /// Drops containers whose text was dropped completely.
    fn drop_emptied(&self, detection: &mut Detection) {
        let document = self.document;
        // Kept characters per subtree, summed from the leaves.
        let mut kept = vec![0u32; document.len()];
        let mut dropped = vec![false; document.len()];
        for id in document.ids().rev() {
            let at = id.index();
            if detection.is_dropped(id) {
                kept[at] = 0;
                dropped[at] = true;
            } else if document.kind(id) == NodeKind::Text {
                kept[at] = self.stats.subtree(document, id).characters;
            } else if is_media(document, id) {
                // A kept image counts as content.
                kept[at] += 1;
            }
            if let Some(parent) = document.parent(id) {
                kept[parent.index()] += kept[at];
                dropped[parent.index()] |= dropped[at];
            }
        }
        let mut at = NodeId(self.body.0 + 1);
        while at < document.end(self.body) {
            if detection.is_dropped(at) {
                at = document.end(at);
                continue;
            }
            if dropped[at.index()] && kept[at.index()] == 0 && self.stats.subtree(document, at).characters > 0 {
                if !detection.reason(at).is_own_evidence() {
                    detection.set_evidence(at, 1.0, Reason::NothingLeft);
                }
                detection.drop_subtree(document, at);
                at = document.end(at);
            } else {
                at.0 += 1;
            }
        }
    }
}

/// Elements that are content without any text. `elements::is_media_or_control` also has form fields, which are not.
fn is_media(document: &Document, id: NodeId) -> bool {
    matches!(document.html_name(id), Name::IMG | Name::VIDEO | Name::AUDIO | Name::IFRAME | Name::OBJECT | Name::CANVAS)
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
