//! Learning a site: a fold over its pages, whatever the method.
//!
//! Every page is counted; of some pages, those with the smallest hashes of their keys, the source is kept. At the end the
//! kept pages are grouped by kind, and each group gets a template. Two learners that saw a half of a site each merge to
//! one that saw all of it; the order of pages does not matter.

use super::auto_choice::choose_combination;
use super::bounded_sample::BoundedSample;
use super::group_learner::learn_group;
use super::method::Method;
use super::page_groups::group_pages;
use super::page_shape::Shape;
use super::sample_page::{SamplePage, page_source};
use super::site_templates::{GroupTemplate, KnownShape, SiteTemplates};
use super::sitelevel::{SiteLevelLearner, SiteLevelSettings, page_evidence};
use super::skeleton::Skeleton;
use super::treemap::PageTree;
use crate::dom::Parser;
use crate::dom::hash::mix;
use crate::error::Error;
use crate::parsed_page::ParsedPage;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Pages of a site that are kept.
pub const MAX_SAMPLE_PAGES: usize = 48;
/// A part belongs to the shape of a group when this share of its pages has it.
const MIN_CORE_SHARE: f64 = 0.75;
/// Parts and texts of a shape that are kept, those with the smallest hashes.
const MAX_CORE_HASHES: usize = 1024;
/// A page is of a group when it fits at most so much worse than the tenth part of the group's pages that fits worst, and never
/// when it fits worse than the first bound; fitting as well as the second is always enough. In thousandths.
const FIT_SLACK: u32 = 150;
const MIN_FIT: u32 = 400;
const SUFFICIENT_FIT: u32 = 700;

/// Learns what is to be known of a site.
#[derive(Clone, Debug, Default)]
pub struct SiteLearner {
    method: Method,
    counts: SiteLevelLearner,
    /// Sources of pages.
    sample: BoundedSample<String>,
}

impl SiteLearner {
    /// Nothing seen yet.
    pub fn new(method: Method) -> SiteLearner {
        SiteLearner { method, sample: BoundedSample::new(MAX_SAMPLE_PAGES), ..SiteLearner::default() }
    }

    /// Goes on from templates that keep all they saw.
    pub fn from_templates(templates: SiteTemplates) -> Result<SiteLearner, Error> {
        let mut learner = SiteLearner::new(templates.method);
        learner.counts = SiteLevelLearner::from_template(templates.counts)?;
        templates.sample.into_iter().for_each(|(key, source)| learner.sample.insert(key, source));
        Ok(learner)
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// How many pages were seen.
    pub fn pages(&self) -> u32 {
        self.counts.pages()
    }

    /// Sees a page. The key names it among the pages of its site: its address, as a rule.
    pub fn observe(&mut self, key: &str, page: &ParsedPage<'_>) {
        let key = xxh3_64(key.as_bytes());
        // Most pages of a large site are not in the sample, and their sources are never needed.
        let source = if self.sample.has_room_for(key) { page_source(page.document) } else { None };
        self.observe_parts(key, &page_evidence(page), source);
    }

    /// Sees a page by what was taken from it before: a hash of its key, its [`page_evidence`](crate::page_evidence) and its
    /// [`page_source`].
    pub fn observe_parts(&mut self, key: u64, evidence: &[u64], source: Option<String>) {
        self.counts.observe(evidence);
        if let Some(source) = source {
            self.sample.insert(key, source);
        }
    }

    /// Adds what was seen elsewhere of the same site.
    pub fn merge(&mut self, other: SiteLearner) {
        self.counts.merge(other.counts);
        self.sample.merge(other.sample);
    }

    /// What is known of the site. The seed says in which order pages are looked at.
    pub fn finish(self, seed: u64) -> SiteTemplates {
        self.learn(seed, false)
    }

    /// The same with all that was seen, so that it can be merged with others.
    pub fn finish_complete(self, seed: u64) -> SiteTemplates {
        self.learn(seed, true)
    }

    fn learn(self, seed: u64, complete: bool) -> SiteTemplates {
        let SiteLearner { method, counts, sample, .. } = self;
        let sample = sample.into_pages();
        let mut parser = Parser::default();
        let mut order: Vec<(u64, u64)> = sample.keys().map(|key| (mix(*key, seed), *key)).collect();
        order.sort_unstable();
        let pages: Vec<SamplePage> =
            order.iter().filter_map(|(_, key)| SamplePage::read(*key, &sample[key], &mut parser)).collect();
        let mut site = SiteTemplates { method, combination: method.combination(), ..SiteTemplates::default() };
        let groups = find_groups(&pages, &mut site);
        if method == Method::Auto {
            choose_combination(&mut site, &counts, &pages, &groups, seed);
        }
        for (group, numbers) in site.groups.iter_mut().zip(&groups) {
            let of_group: Vec<&SamplePage> = numbers.iter().map(|number| &pages[*number]).collect();
            (group.trees, group.tokens) = learn_group(&of_group, site.combination, seed);
        }
        site.counts = if complete { counts.finish_complete() } else { counts.finish() };
        draw(&mut site, &pages, &groups);
        if complete {
            site.sample = sample.into_iter().collect();
        }
        site
    }
}

/// Groups the pages by group and finds the shape of each group.
fn find_groups(pages: &[SamplePage], site: &mut SiteTemplates) -> Vec<Vec<usize>> {
    if pages.len() < 2 {
        return Vec::new();
    }
    let shapes: Vec<Shape> = pages.iter().map(|page| page.shape.clone()).collect();
    let trees: Vec<PageTree> = pages.iter().map(|page| page.tree.clone()).collect();
    let mut groups = Vec::new();
    for group in group_pages(&shapes, &trees) {
        let core = core_of(&group.pages, &shapes);
        // Pages that share no text have nothing that could be removed.
        if core.texts.is_empty() {
            continue;
        }
        site.groups.push(GroupTemplate { pages: group.pages.len() as u32, core, ..GroupTemplate::default() });
        groups.push(group.pages);
    }
    site.grouped = pages.len() as u32;
    site.single = site.grouped - groups.iter().map(|pages| pages.len() as u32).sum::<u32>();
    let fits: Vec<(u32, u32)> = site
        .groups
        .iter()
        .zip(&groups)
        .map(|(group, numbers)| usual_fits(group, numbers, &site.groups, &shapes))
        .collect();
    for (group, (usual, min_fit)) in site.groups.iter_mut().zip(fits) {
        (group.usual_fit, group.min_fit) = (usual, min_fit);
    }
    groups
}

/// What most pages of a group have.
fn core_of(numbers: &[usize], shapes: &[Shape]) -> Shape {
    let min_pages = ((MIN_CORE_SHARE * numbers.len() as f64).ceil() as usize).max(2);
    let mut elements: FxHashMap<(u64, u32), usize> = FxHashMap::default();
    let mut texts: FxHashMap<u64, usize> = FxHashMap::default();
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

/// The middle fit of a group's own pages, and the min_pages fit a page of this group may have; in thousandths.
fn usual_fits(group: &GroupTemplate, numbers: &[usize], groups: &[GroupTemplate], shapes: &[Shape]) -> (u32, u32) {
    let fit = |number: &usize| (KnownShape::of(groups, &shapes[*number]).fit(&group.core) * 1000.0).round() as u32;
    let mut fits: Vec<u32> = numbers.iter().map(fit).collect();
    fits.sort_unstable();
    let at = |share: f64| fits.get((share * fits.len() as f64) as usize).copied().unwrap_or(0);
    (at(0.5), at(0.1).saturating_sub(FIT_SLACK).clamp(MIN_FIT, SUFFICIENT_FIT))
}

/// Draws a page of each kind, the one that fits best.
fn draw(site: &mut SiteTemplates, pages: &[SamplePage], groups: &[Vec<usize>]) {
    let mut skeletons = Vec::with_capacity(groups.len());
    for (group, numbers) in site.groups.iter().zip(groups) {
        let fit = |number: &usize| KnownShape::of(&site.groups, &pages[*number].shape).fit(&group.core);
        let best = numbers.iter().max_by(|one, two| fit(one).total_cmp(&fit(two)).then(two.cmp(one)));
        let skeleton = best.map(|number| {
            let page = &pages[*number];
            Skeleton::of(&page.document, &page.stats, &site.detect(&page.parsed(), None, SiteLevelSettings::default()))
        });
        skeletons.push(skeleton.unwrap_or_default());
    }
    for (group, skeleton) in site.groups.iter_mut().zip(skeletons) {
        group.skeleton = skeleton;
    }
}
