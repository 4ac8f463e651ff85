//! Finds the template that covers most of a page, and the nodes it covers.

use super::template_search::{Matched, Template};
use super::treemap_settings::name;
use crate::dom::{Document, NodeId, Stats};
use crate::rules::{Rules, drop_nodes};
use dehusk::detection::{Detection, Reason};
use dehusk::site::PageTree;
use dehusk::site::decide;
use dehusk::site::match_filled_blocks;

/// The TreeMap templates of one site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeMapTemplates {
    pub(crate) pages: u32,
    pub(crate) templates: Vec<Template>,
    /// The rules they were learned with, which detection follows, too.
    pub(crate) rules: Rules,
}

impl TreeMapTemplates {
    /// The number of pages they were learned from.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The number of templates.
    pub fn len(&self) -> usize {
        self.templates.len()
    }

    /// Whether there are no templates.
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty()
    }

    /// The number of pages that fit a template. The first template has the most.
    pub fn support(&self, template: usize) -> Option<u32> {
        self.templates.get(template).map(|template| template.support)
    }

    /// The common tree of a template: texts, images and form fields that all its pages share, with their ancestors.
    pub fn tree(&self, template: usize) -> Option<&PageTree> {
        self.templates.get(template).map(|template| &template.tree)
    }

    /// Returns the template that covers most characters of a page, and the nodes it covers in the page's tree.
    fn best_for(&self, page: &PageTree, stats: &Stats) -> Option<(usize, Matched)> {
        let mut best: Option<(u32, usize, Matched)> = None;
        for (number, template) in self.templates.iter().enumerate() {
            let Some(matched) = template.matched(page, self.rules) else { continue };
            let covered = (0..page.len() as u32).filter(|at| matched.nodes[*at as usize] && page.is_visible(*at));
            let characters = covered.map(|at| own(stats, page.node(at)).characters).sum();
            // Ties go to the template with more pages.
            if best.as_ref().is_none_or(|(covered, ..)| characters > *covered) {
                best = Some((characters, number, matched));
            }
        }
        best.map(|(_, number, matched)| (number, matched))
    }
}

/// The counts of a node without its descendants.
fn own(stats: &Stats, id: NodeId) -> crate::dom::Counts {
    stats.range(id, NodeId(id.0 + 1))
}

/// Finds the nodes of a page that are in the template that covers most of it. Keeps everything if no template fits.
pub fn detect_tree_map(document: &Document, stats: &Stats, templates: &TreeMapTemplates) -> Detection {
    let mut detection = Detection::keep_all(name(templates.rules), document);
    let page = PageTree::of(document);
    let Some((number, matched)) = templates.best_for(&page, stats) else { return detection };
    let mut is_matched = vec![false; document.len()];
    for at in (0..page.len() as u32).filter(|at| matched.nodes[*at as usize]) {
        is_matched[page.node(at).index()] = true;
    }
    match_filled_blocks(document, stats, &matched.filled, &mut is_matched);
    let whole = wholly_matched(document, stats, &is_matched);
    let support = templates.templates[number].support;
    let reason = Reason::InTemplate { template: number as u32, support, of: templates.pages };
    let score = support as f32 / templates.pages.max(1) as f32;
    for id in document.ids().filter(|id| whole[id.index()]) {
        detection.set_evidence(id, score.min(1.0), reason);
    }
    let is_template = |id: NodeId| whole[id.index()];
    match templates.rules {
        Rules::Paper => drop_nodes(document, &is_template, &mut detection),
        _ => decide(document, stats, &is_template, &mut detection),
    }
    detection
}

/// Returns the nodes with visible content, all of which is matched.
fn wholly_matched(document: &Document, stats: &Stats, is_matched: &[bool]) -> Vec<bool> {
    // Visible items that are matched and that are not, per subtree, summed from the leaves.
    let mut sums = vec![(0u32, 0u32); document.len()];
    for id in document.ids().rev() {
        let counts = own(stats, id);
        if counts.characters > 0 || counts.pictures > 0 {
            match is_matched[id.index()] {
                true => sums[id.index()].0 += 1,
                false => sums[id.index()].1 += 1,
            }
        }
        if let Some(parent) = document.parent(id) {
            let (matched, open) = sums[id.index()];
            sums[parent.index()].0 += matched;
            sums[parent.index()].1 += open;
        }
    }
    sums.into_iter().map(|(matched, open)| matched > 0 && open == 0).collect()
}
