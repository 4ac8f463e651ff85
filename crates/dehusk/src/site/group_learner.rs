//! Learns the template of one page group: what TreeMap and Align need.

use super::align::{AlignLearner, AlignSettings, AlignTemplate};
use super::method::Combination;
use super::min_support::min_support;
use super::sample_page::SamplePage;
use super::treemap::{TreeMapLearner, TreeMapSettings, TreeMapTemplates};

/// Learns the templates of one page group, for the detectors of a combination.
pub(super) fn learn_group(
    pages: &[&SamplePage],
    combination: Combination,
    seed: u64,
) -> (TreeMapTemplates, AlignTemplate) {
    let (mut trees, mut tokens) = (TreeMapTemplates::default(), AlignTemplate::default());
    if pages.len() < min_support(0) {
        return (trees, tokens);
    }
    if combination.tree_map {
        let mut learner = TreeMapLearner::new(TreeMapSettings::default());
        pages.iter().for_each(|page| learner.observe(&page.key, &page.document));
        trees = learner.finish(seed);
    }
    if combination.align
        && let Ok(mut learner) = AlignLearner::new(AlignSettings::sections())
    {
        pages.iter().for_each(|page| learner.observe(&page.document, &page.key));
        tokens = learner.finish(seed);
    }
    (trees, tokens)
}
