//! Learns a site from its pages, for every method.
//!
//! Every page is counted. A sample of them, the pages with the smallest hashes of their keys, is stored with their
//! source. At the end the sample is divided into kinds of pages, and each kind gets a template. Two learners that saw one half of a site
//! each merge into one that saw all of it. The order of pages does not matter.

use super::bounded_sample::BoundedSample;
use super::combination_choice::choose_combination;
use super::kind_learner::learn_kind;
use super::kinds::find_page_kinds;
use super::page_shape::Shape;
use super::sample_page::{SamplePage, page_source};
use super::skeleton::Skeleton;
use crate::dom::Parser;
use crate::dom::hash::mix;
use crate::error::Error;
use crate::read::parsed_page::ParsedPage;
use crate::site::mapping::page_tree::PageTree;
use crate::site::templates::site_method::SiteMethod;
use crate::site::templates::site_templates::{KindTemplate, KnownShape, SiteTemplates};
use crate::site::templates::sitelevel::{SiteLevelLearner, SiteLevelSettings, page_evidence};
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of pages in the sample of a site.
pub const MAX_SAMPLE_PAGES: usize = 48;
/// An element or a text belongs to the shape of a kind if at least this share of its pages has it.
const MIN_CORE_SHARE: f64 = 0.75;
/// Maximum number of elements, and of texts, of a shape; those with the smallest hashes are stored.
const MAX_CORE_HASHES: usize = 1024;
/// A page is in a kind if its fit is at most `FIT_SLACK` below that of the 10th percentile of the kind's pages. The
/// fit must be at least `MIN_FIT`, and `SUFFICIENT_FIT` is always enough. In thousandths.
const FIT_SLACK: u32 = 150;
const MIN_FIT: u32 = 400;
const SUFFICIENT_FIT: u32 = 700;

/// Learns the templates of a site.
#[derive(Clone, Debug, Default)]
pub struct SiteLearner {
    method: SiteMethod,
    counts: SiteLevelLearner,
    /// Sources of pages.
    sample: BoundedSample<String>,
}

impl SiteLearner {
    /// Creates an empty learner.
    pub fn new(method: SiteMethod) -> SiteLearner {
        SiteLearner { method, sample: BoundedSample::new(MAX_SAMPLE_PAGES), ..SiteLearner::default() }
    }

    /// Continues from templates written by [`finish_complete`](SiteLearner::finish_complete).
    pub fn from_templates(templates: SiteTemplates) -> Result<SiteLearner, Error> {
        let mut learner = SiteLearner::new(templates.method);
        learner.counts = SiteLevelLearner::from_template(templates.counts)?;
        templates.sample.into_iter().for_each(|(key, source)| learner.sample.insert(key, source));
        Ok(learner)
    }

    /// The method.
    pub fn method(&self) -> &SiteMethod {
        &self.method
    }

    /// The number of pages seen.
    pub fn pages(&self) -> u32 {
        self.counts.pages()
    }

    /// Adds a page. `key` identifies it within its site, usually by its URL.
    pub fn observe(&mut self, key: &str, page: &ParsedPage<'_>) {
        let key = xxh3_64(key.as_bytes());
        // Most pages of a large site are not in the sample; their sources are not needed.
        let source = if self.sample.has_room_for(key) { page_source(page.document) } else { None };
        self.observe_parts(key, &page_evidence(page), source);
    }

    /// Adds a page by values that were computed before: a hash of its key, its
    /// [`page_evidence`] and its [`page_source`].
    pub fn observe_parts(&mut self, key: u64, evidence: &[u64], source: Option<String>) {
        self.counts.observe(evidence);
        if let Some(source) = source {
            self.sample.insert(key, source);
        }
    }

    /// Adds the pages of another learner of the same site.
    pub fn merge(&mut self, other: SiteLearner) {
        self.counts.merge(other.counts);
        self.sample.merge(other.sample);
    }

    /// Learns the templates of the site. The seed decides the order in which pages are compared.
    pub fn finish(self, seed: u64) -> SiteTemplates {
        self.learn(seed, false)
    }

    /// The same with everything that was seen, so that it can be merged with others.
    pub fn finish_complete(self, seed: u64) -> SiteTemplates {
        self.learn(seed, true)
    }

    fn learn(self, seed: u64, complete: bool) -> SiteTemplates {
        let SiteLearner { method, counts, sample } = self;
        let sample = sample.into_pages();
        let mut parser = Parser::default();
        let mut order: Vec<(u64, u64)> = sample.keys().map(|key| (mix(*key, seed), *key)).collect();
        order.sort_unstable();
        let pages: Vec<SamplePage> =
            order.iter().filter_map(|(_, key)| SamplePage::parse(*key, &sample[key], &mut parser)).collect();
        let mut site =
            SiteTemplates { combination: method.combination(), method: method.clone(), ..SiteTemplates::default() };
        let kinds = find_kinds(&pages, &mut site);
        if method.chooses() {
            choose_combination(&mut site, &counts, &pages, &kinds, seed);
        }
        for (kind, numbers) in site.kinds.iter_mut().zip(&kinds) {
            let of_kind: Vec<&SamplePage> = numbers.iter().map(|number| &pages[*number]).collect();
            kind.templates = learn_kind(&of_kind, &method, &site.combination, seed);
        }
        site.counts = if complete { counts.finish_complete() } else { counts.finish() };
        add_skeletons(&mut site, &pages, &kinds);
        if complete {
            site.sample = sample.into_iter().collect();
        }
        site
    }
}

/// Finds the kinds of the pages and the shape of each. For a method that knows no kinds all pages are of one, and every page fits.
fn find_kinds(pages: &[SamplePage], site: &mut SiteTemplates) -> Vec<Vec<usize>> {
    if pages.len() < 2 {
        return Vec::new();
    }
    let shapes: Vec<Shape> = pages.iter().map(|page| page.shape.clone()).collect();
    let trees: Vec<PageTree> = pages.iter().map(|page| page.tree.clone()).collect();
    let has_one_kind = site.method.has_one_kind();
    let found = if has_one_kind { vec![(0..pages.len()).collect()] } else { find_page_kinds(&shapes, &trees) };
    let mut kinds = Vec::new();
    for kind in found {
        let core = core_of(&kind, &shapes);
        // Pages that share no text have nothing to remove.
        if core.texts.is_empty() && !has_one_kind {
            continue;
        }
        site.kinds.push(KindTemplate { pages: kind.len() as u32, core, ..KindTemplate::default() });
        kinds.push(kind);
    }
    site.in_sample = pages.len() as u32;
    site.of_no_kind = site.in_sample - kinds.iter().map(|pages| pages.len() as u32).sum::<u32>();
    let fits: Vec<(u32, u32)> =
        site.kinds.iter().zip(&kinds).map(|(kind, numbers)| usual_fits(kind, numbers, &site.kinds, &shapes)).collect();
    for (kind, (usual, min_fit)) in site.kinds.iter_mut().zip(fits) {
        (kind.usual_fit, kind.min_fit) = (usual, if has_one_kind { 0 } else { min_fit });
    }
    kinds
}

/// Returns the elements and texts that most pages of a kind have.
fn core_of(numbers: &[usize], shapes: &[Shape]) -> Shape {
    let min_pages = ((MIN_CORE_SHARE * numbers.len() as f64).ceil() as usize).max(2);
    let mut elements: HashMap<(u64, u32), usize> = HashMap::default();
    let mut texts: HashMap<u64, usize> = HashMap::default();
    for number in numbers {
        shapes[*number].elements.iter().for_each(|element| *elements.entry(*element).or_default() += 1);
        shapes[*number].texts.iter().for_each(|text| *texts.entry(*text).or_default() += 1);
    }
    let mut core = Shape {
        elements: elements.into_iter().filter(|(_, pages)| *pages >= min_pages).map(|(element, _)| element).collect(),
        texts: texts.into_iter().filter(|(_, pages)| *pages >= min_pages).map(|(text, _)| text).collect(),
    };
    core.elements.sort_unstable();
    core.elements.dedup_by_key(|element| element.0);
    core.elements.truncate(MAX_CORE_HASHES);
    core.texts.sort_unstable();
    core.texts.truncate(MAX_CORE_HASHES);
    core
}

/// Returns the median fit of a kind's own pages, and the minimum fit of a page of this kind; in thousandths.
fn usual_fits(kind: &KindTemplate, numbers: &[usize], kinds: &[KindTemplate], shapes: &[Shape]) -> (u32, u32) {
    let fit = |number: &usize| (KnownShape::of(kinds, &shapes[*number]).fit(&kind.core) * 1000.0).round() as u32;
    let mut fits: Vec<u32> = numbers.iter().map(fit).collect();
    fits.sort_unstable();
    let at = |share: f64| fits.get((share * fits.len() as f64) as usize).copied().unwrap_or(0);
    (at(0.5), at(0.1).saturating_sub(FIT_SLACK).clamp(MIN_FIT, SUFFICIENT_FIT))
}

/// Stores the skeleton of one page of each kind, the one that fits best.
fn add_skeletons(site: &mut SiteTemplates, pages: &[SamplePage], kinds: &[Vec<usize>]) {
    let mut skeletons = Vec::with_capacity(kinds.len());
    for (kind, numbers) in site.kinds.iter().zip(kinds) {
        let fit = |number: &usize| KnownShape::of(&site.kinds, &pages[*number].shape).fit(&kind.core);
        let best = numbers.iter().max_by(|one, two| fit(one).total_cmp(&fit(two)).then(two.cmp(one)));
        let skeleton = best.map(|number| {
            let page = &pages[*number];
            Skeleton::of(&page.document, &page.stats, &site.detect(&page.parsed(), None, SiteLevelSettings::default()))
        });
        skeletons.push(skeleton.unwrap_or_default());
    }
    for (kind, skeleton) in site.kinds.iter_mut().zip(skeletons) {
        kind.skeleton = skeleton;
    }
}

#[cfg(test)]
#[path = "site_learner_tests.rs"]
mod tests;
