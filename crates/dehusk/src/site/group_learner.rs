//! Learns the template of one page group: what TreeMap and Align need.

use super::align::{AlignLearner, AlignSettings, AlignTemplate};
use super::method::Combination;
use super::min_support::min_support;
use super::rules::Rules;
use super::sample_page::SamplePage;
use super::treemap::{TreeMapLearner, TreeMapSettings, TreeMapTemplates};

/// How a page group is learned.
#[derive(Clone, Copy)]
pub(super) struct LearnSettings {
    pub(super) seed: u64,
    pub(super) rules: Rules,
    /// The share of the pages that must have a token, for Align.
    pub(super) align_share: Option<f64>,
}

/// Learns the templates of one page group, for the detectors of a combination.
pub(super) fn learn_group(
    pages: &[&SamplePage],
    combination: Combination,
    settings: LearnSettings,
) -> (TreeMapTemplates, AlignTemplate) {
    let (mut trees, mut tokens) = (TreeMapTemplates::default(), AlignTemplate::default());
    if pages.len() < min_support(0) {
        return (trees, tokens);
    }
    let LearnSettings { seed, rules, align_share } = settings;
    if combination.tree_map {
        let mut learner = TreeMapLearner::new(TreeMapSettings { rules, ..TreeMapSettings::default() });
        pages.iter().for_each(|page| learner.observe(&page.key, &page.document));
        trees = learner.finish(seed);
    }
    let default = if rules == Rules::Paper { AlignSettings::as_in_paper() } else { AlignSettings::sections() };
    let align = AlignSettings { share: align_share.unwrap_or(default.share), ..default };
    if combination.align
        && let Ok(mut learner) = AlignLearner::new(align)
    {
        pages.iter().for_each(|page| learner.observe(&page.document, &page.key));
        tokens = learner.finish(seed);
    }
    (trees, tokens)
}
