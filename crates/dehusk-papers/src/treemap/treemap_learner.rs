//! Collects a sample of a site's pages and learns its TreeMap templates.

use super::template_search::find_templates;
use super::treemap_detector::TreeMapTemplates;
use super::treemap_settings::TreeMapSettings;
use crate::dom::Document;
use crate::dom::hash::mix;
use dehusk::site::PageTree;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// Collects a sample of a site's pages and learns its TreeMap templates.
///
/// The sample consists of the pages with the smallest hashes of their keys. It does not depend on the order of pages,
/// and two learners that saw one half each merge into one that saw everything.
#[derive(Clone, Debug, Default)]
pub struct TreeMapLearner {
    settings: TreeMapSettings,
    pages: u32,
    /// By the hash of the key and, if two keys have the same hash, the hash of the page's tree. This is why it is not
    /// a `BoundedSample`.
    sample: BTreeMap<(u64, u64), PageTree>,
}

impl TreeMapLearner {
    /// Creates an empty learner.
    pub fn new(settings: TreeMapSettings) -> TreeMapLearner {
        TreeMapLearner { settings, ..TreeMapLearner::default() }
    }

    /// The number of pages seen.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Adds a page. `key` identifies it within its site, usually by its URL. The same page under the same key is
    /// stored once.
    pub fn observe(&mut self, key: &str, document: &Document) {
        self.pages += 1;
        let hash = xxh3_64(key.as_bytes());
        let full = self.sample.len() >= self.settings.sample;
        // The tree is built only if the page may be in the sample.
        if full && self.sample.last_key_value().is_none_or(|(last, _)| last.0 < hash) {
            return;
        }
        let tree = PageTree::of(document);
        self.sample.insert((hash, tree.hash()), tree);
        self.shorten();
    }

    /// Adds the pages of another learner of the same site.
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

    /// Learns the templates. The seed decides the order in which pages are compared.
    pub fn finish(self, seed: u64) -> TreeMapTemplates {
        let mut pages: Vec<(u64, &PageTree)> = self.sample.iter().map(|(key, tree)| (mix(key.0, seed), tree)).collect();
        // Stable: pages with equal hashes remain in the order of the sample.
        pages.sort_by_key(|(hash, _)| *hash);
        let pages: Vec<&PageTree> = pages.into_iter().map(|(_, tree)| tree).collect();
        let rules = self.settings.rules;
        TreeMapTemplates { pages: pages.len() as u32, templates: find_templates(&pages, &self.settings), rules }
    }
}
