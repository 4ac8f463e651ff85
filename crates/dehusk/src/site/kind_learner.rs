//! Learning the template of one kind of page: what TreeMap and Align need.

use super::align::{AlignLearner, AlignSettings, AlignTemplate};
use super::group::least_pages;
use super::method::Rule;
use super::sample::Kept;
use super::treemap::{TreeMap, TreeMapLearner, TreeMapTemplates};

/// The templates of one kind of page, for the methods of a rule.
pub(super) fn learn_kind(pages: &[&Kept], rule: Rule, seed: u64) -> (TreeMapTemplates, AlignTemplate) {
    let (mut trees, mut tokens) = (TreeMapTemplates::default(), AlignTemplate::default());
    if pages.len() < least_pages(0) {
        return (trees, tokens);
    }
    if rule.tree_map {
        let mut learner = TreeMapLearner::new(TreeMap::default());
        pages.iter().for_each(|page| learner.observe(&page.key, &page.document));
        trees = learner.finish(seed);
    }
    if rule.align
        && let Ok(mut learner) = AlignLearner::new(AlignSettings::sections())
    {
        pages.iter().for_each(|page| learner.observe(&page.document, &page.key));
        tokens = learner.finish(seed);
    }
    (trees, tokens)
}
