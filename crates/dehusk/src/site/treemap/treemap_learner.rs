//! Keeps a sample of a site's pages and learns its templates.

use super::page_tree::PageTree;
use super::template_search::find_templates;
use super::treemap_detector::TreeMapTemplates;
use super::treemap_settings::TreeMapSettings;
use crate::dom::Document;
use crate::dom::hash::mix;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// Keeps a sample of a site's pages and learns its templates.
///
/// The sample are the pages with the smallest hashes of their keys, so that it does not depend on the order of pages, and two
/// learners that saw a half each merge to one that saw all.
#[derive(Clone, Debug, Default)]
pub struct TreeMapLearner {
    settings: TreeMapSettings,
    pages: u32,
    /// By the hash of the key and, should two keys have one, the class of the page.
    sample: BTreeMap<(u64, u64), PageTree>,
}

impl TreeMapLearner {
    /// Nothing visible yet.
    pub fn new(settings: TreeMapSettings) -> TreeMapLearner {
        TreeMapLearner { settings, ..TreeMapLearner::default() }
    }

    /// How many pages were visible.
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
        self.sample.insert((hash, tree.hash()), tree);
        self.shorten();
    }

    /// Adds what was visible elsewhere of the same site.
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
