//! Learns the templates of one kind of page, by every method that is used.

use super::min_support::min_support;
use super::sample_page::SamplePage;
use crate::site::templates::site_method::{Combination, SiteMethod};
use crate::site::templates::site_templates::NamedTemplate;

/// Learns the templates of pages of one kind, by the methods of a combination.
pub(crate) fn learn_kind(
    pages: &[&SamplePage],
    method: &SiteMethod,
    combination: &Combination,
    seed: u64,
) -> Vec<NamedTemplate> {
    if pages.len() < min_support(0) {
        return Vec::new();
    }
    let used = method.templates().iter().filter(|method| combination.contains(method.name()));
    used.map(|method| {
        let mut learner = method.learner();
        pages.iter().for_each(|page| learner.observe(&page.key, &page.parsed()));
        NamedTemplate { method: method.name(), template: learner.finish(seed) }
    })
    .collect()
}
