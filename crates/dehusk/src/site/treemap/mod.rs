//! TreeMap: templates as the common tree of a few pages.
//!
//! Takes pages of one site as trees (`tree.rs`), maps them to each other from the root down (`mapping.rs`), keeps what all of them
//! share (`find.rs`) and finds it again in a page by one pass (`align.rs` aligns the children). A site may have
//! several templates; a page gets the one that covers most of it, or none. Vieira et al., "A fast and robust method for web page
//! template detection and removal" (CIKM 2006).

mod align;
mod file;
mod find;
mod mapping;
#[cfg(test)]
mod oracle;
mod tree;

pub use mapping::{TreeMapping, map_trees, mapping_distance, mapping_similarity};
pub use tree::PageTree;

use super::decide::decide;
use super::places::match_filled_blocks;
use crate::detection::{Detection, Reason};
use crate::dom::fingerprint::mix;
use crate::dom::{Document, NodeId, Stats};
use find::{Matched, Template, find_templates};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// The settings of the method.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TreeMap {
    /// Pages that are kept to learn from.
    pub sample: usize,
    /// Pages that are mapped for one template at most.
    pub max_pages: u32,
    /// The share of a template's pages something must stand on, at one kind of place, to go although not all of them have
    /// it. More than 1 turns this off.
    pub alternatives: f64,
}

impl Default for TreeMap {
    fn default() -> TreeMap {
        TreeMap { sample: 100, max_pages: 24, alternatives: 0.1 }
    }
}

/// Keeps a sample of a site's pages and learns its templates.
///
/// The sample are the pages with the smallest hashes of their keys, so that it does not depend on the order of pages, and two
/// learners that saw a half each merge to one that saw all.
#[derive(Clone, Debug, Default)]
pub struct TreeMapLearner {
    settings: TreeMap,
    pages: u32,
    /// By the hash of the key and, should two keys have one, the class of the page.
    sample: BTreeMap<(u64, u64), PageTree>,
}

impl TreeMapLearner {
    /// Nothing seen yet.
    pub fn new(settings: TreeMap) -> TreeMapLearner {
        TreeMapLearner { settings, ..TreeMapLearner::default() }
    }

    /// How many pages were seen.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Sees a page. The key names it among the pages of its site: its address, as a rule. The same page under the same key is
    /// kept once.
    pub fn observe(&mut self, key: &str, document: &Document) {
        self.pages += 1;
        let hash = xxh3_64(key.as_bytes());
        let full = self.sample.len() >= self.settings.sample;
        // The tree is made only if it may stay.
        if full && self.sample.last_key_value().is_none_or(|(last, _)| last.0 < hash) {
            return;
        }
        let tree = PageTree::of(document);
        self.sample.insert((hash, tree.class()), tree);
        self.shorten();
    }

    /// Adds what was seen elsewhere of the same site.
    pub fn merge(&mut self, other: TreeMapLearner) {
        self.pages += other.pages;
        self.sample.extend(other.sample);
        self.shorten();
    }

    fn shorten(&mut self) {
        while self.sample.len() > self.settings.sample {
            self.sample.pop_last();
        }
    }

    /// The templates. The seed says in which order pages are looked at.
    pub fn finish(self, seed: u64) -> TreeMapTemplates {
        let mut pages: Vec<(u64, &PageTree)> = self.sample.iter().map(|(key, tree)| (mix(key.0, seed), tree)).collect();
        // Stable: pages with equal hashes stay in the order of the sample.
        pages.sort_by_key(|(hash, _)| *hash);
        let pages: Vec<&PageTree> = pages.into_iter().map(|(_, tree)| tree).collect();
        TreeMapTemplates { pages: pages.len() as u32, templates: find_templates(&pages, &self.settings) }
    }
}

/// The templates of one site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeMapTemplates {
    pages: u32,
    templates: Vec<Template>,
}

impl TreeMapTemplates {
    /// How many pages they were learned from.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// How many templates there are.
    pub fn len(&self) -> usize {
        self.templates.len()
    }

    /// Whether there is no template.
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty()
    }

    /// How many pages fit a template; the first has the most.
    pub fn support(&self, template: usize) -> Option<u32> {
        self.templates.get(template).map(|template| template.support)
    }

    /// What all pages of a template share: texts, pictures, form fields and the elements above them.
    pub fn tree(&self, template: usize) -> Option<&PageTree> {
        self.templates.get(template).map(|template| &template.tree)
    }

    /// The template that covers most characters of a page, and which nodes of the page's tree it covers.
    fn best_for(&self, page: &PageTree, stats: &Stats) -> Option<(usize, Matched)> {
        let mut best: Option<(u32, usize, Matched)> = None;
        for (number, template) in self.templates.iter().enumerate() {
            let Some(matched) = template.matched(page) else { continue };
            let covered = (0..page.len() as u32).filter(|at| matched.nodes[*at as usize] && page.is_seen(*at));
            let characters = covered.map(|at| own(stats, page.node(at)).characters).sum();
            // Of equals, the one with more pages.
            if best.as_ref().is_none_or(|(most, ..)| characters > *most) {
                best = Some((characters, number, matched));
            }
        }
        best.map(|(_, number, matched)| (number, matched))
    }
}

/// What was counted at a node, without its descendants.
fn own(stats: &Stats, id: NodeId) -> crate::dom::Counts {
    stats.range(id, NodeId(id.0 + 1))
}

/// Finds what a page shares with the pages of its site by the template that covers most of it. Keeps all where none fits.
pub fn detect_tree_map(document: &Document, stats: &Stats, templates: &TreeMapTemplates) -> Detection {
    let mut detection = Detection::keep_all("treemap", document);
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
    decide(document, stats, &|id: NodeId| whole[id.index()], &mut detection);
    detection
}

/// Nodes that show something, all of which is matched.
fn wholly_matched(document: &Document, stats: &Stats, is_matched: &[bool]) -> Vec<bool> {
    // Things shown that are matched and that are not, by subtree, summed from the leaves.
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
