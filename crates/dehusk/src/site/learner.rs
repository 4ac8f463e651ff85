//! Learning a site: a fold over its pages, whatever the method.
//!
//! Every page is counted; of some pages, those with the smallest hashes of their keys, the source is kept. At the end the
//! kept pages are grouped by kind, and each kind gets a template. Two learners that saw a half of a site each merge to
//! one that saw all of it; the order of pages does not matter.

use super::auto::choose;
use super::group::group_pages;
use super::kind_learner::learn_kind;
use super::method::Method;
use super::sample::{Kept, page_source};
use super::shape::Shape;
use super::sitelevel::{SiteLevel, SiteLevelLearner, page_evidence};
use super::skeleton::Skeleton;
use super::templates::{KindTemplate, Known, SiteTemplates};
use super::treemap::PageTree;
use crate::dom::Parser;
use crate::dom::hash::mix;
use crate::error::Error;
use crate::parsed_page::ParsedPage;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use xxhash_rust::xxh3::xxh3_64;

/// Pages of a site that are kept.
pub const KEPT_PAGES: usize = 48;
/// A part belongs to the shape of a kind when this share of its pages has it.
const CORE_SHARE: f64 = 0.75;
/// Parts and texts of a shape that are kept, those with the smallest hashes.
const MOST_CORE: usize = 1024;
/// A page is of a kind when it fits at most so much worse than the tenth part of the kind's pages that fits worst, and never
/// when it fits worse than the first bound; fitting as well as the second is always enough. In thousandths.
const FIT_SLACK: u32 = 150;
const LEAST_FIT: u32 = 400;
const ENOUGH_FIT: u32 = 700;

/// Learns what is to be known of a site.
#[derive(Clone, Debug, Default)]
pub struct SiteLearner {
    method: Method,
    counts: SiteLevelLearner,
    kept_pages: usize,
    sample: BTreeMap<u64, String>,
}

impl SiteLearner {
    /// Nothing seen yet.
    pub fn new(method: Method) -> SiteLearner {
        SiteLearner { method, kept_pages: KEPT_PAGES, ..SiteLearner::default() }
    }

    /// Goes on from templates that keep all they saw.
    pub fn from_templates(templates: SiteTemplates) -> Result<SiteLearner, Error> {
        let mut learner = SiteLearner::new(templates.method);
        learner.counts = SiteLevelLearner::from_template(templates.counts)?;
        templates.sample.into_iter().for_each(|(key, source)| learner.keep(key, source));
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
        let source = if self.has_room_for(key) { page_source(page.document) } else { None };
        self.observe_parts(key, &page_evidence(page), source);
    }

    /// Sees a page by what was taken from it before: a hash of its key, its [`page_evidence`](crate::page_evidence) and its
    /// [`page_source`].
    pub fn observe_parts(&mut self, key: u64, evidence: &[u64], source: Option<String>) {
        self.counts.observe(evidence);
        if let Some(source) = source {
            self.keep(key, source);
        }
    }

    fn has_room_for(&self, key: u64) -> bool {
        self.sample.len() < self.kept_pages || self.sample.last_key_value().is_some_and(|(last, _)| key <= *last)
    }

    fn keep(&mut self, key: u64, source: String) {
        match self.sample.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(source);
            }
            // Of two versions of a page the smaller stays, whichever came first.
            Entry::Occupied(mut entry) if source < *entry.get() => drop(entry.insert(source)),
            Entry::Occupied(_) => {}
        }
        if self.sample.len() > self.kept_pages {
            self.sample.pop_last();
        }
    }

    /// Adds what was seen elsewhere of the same site.
    pub fn merge(&mut self, other: SiteLearner) {
        self.counts.merge(other.counts);
        other.sample.into_iter().for_each(|(key, source)| self.keep(key, source));
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
        let mut parser = Parser::default();
        let mut order: Vec<(u64, u64)> = sample.keys().map(|key| (mix(*key, seed), *key)).collect();
        order.sort_unstable();
        let pages: Vec<Kept> =
            order.iter().filter_map(|(_, key)| Kept::read(*key, &sample[key], &mut parser)).collect();
        let mut site = SiteTemplates { method, rule: method.rule(), ..SiteTemplates::default() };
        let kinds = find_kinds(&pages, &mut site);
        if method == Method::Auto {
            choose(&mut site, &counts, &pages, &kinds, seed);
        }
        for (kind, numbers) in site.kinds.iter_mut().zip(&kinds) {
            let of_kind: Vec<&Kept> = numbers.iter().map(|number| &pages[*number]).collect();
            (kind.trees, kind.tokens) = learn_kind(&of_kind, site.rule, seed);
        }
        site.counts = if complete { counts.finish_complete() } else { counts.finish() };
        draw(&mut site, &pages, &kinds);
        if complete {
            site.sample = sample.into_iter().collect();
        }
        site
    }
}

/// Groups the pages by kind and finds the shape of each kind.
fn find_kinds(pages: &[Kept], site: &mut SiteTemplates) -> Vec<Vec<usize>> {
    if pages.len() < 2 {
        return Vec::new();
    }
    let shapes: Vec<Shape> = pages.iter().map(|page| page.shape.clone()).collect();
    let trees: Vec<PageTree> = pages.iter().map(|page| page.tree.clone()).collect();
    let mut kinds = Vec::new();
    for group in group_pages(&shapes, &trees) {
        let core = core_of(&group.pages, &shapes);
        // Pages that share no text have nothing that could be removed.
        if core.texts.is_empty() {
            continue;
        }
        site.kinds.push(KindTemplate { pages: group.pages.len() as u32, core, ..KindTemplate::default() });
        kinds.push(group.pages);
    }
    site.grouped = pages.len() as u32;
    site.single = site.grouped - kinds.iter().map(|pages| pages.len() as u32).sum::<u32>();
    let fits: Vec<(u32, u32)> =
        site.kinds.iter().zip(&kinds).map(|(kind, numbers)| usual_fits(kind, numbers, &site.kinds, &shapes)).collect();
    for (kind, (usual, least)) in site.kinds.iter_mut().zip(fits) {
        (kind.usual_fit, kind.least_fit) = (usual, least);
    }
    kinds
}

/// What most pages of a kind have.
fn core_of(numbers: &[usize], shapes: &[Shape]) -> Shape {
    let least = ((CORE_SHARE * numbers.len() as f64).ceil() as usize).max(2);
    let mut parts: FxHashMap<(u64, u32), usize> = FxHashMap::default();
    let mut texts: FxHashMap<u64, usize> = FxHashMap::default();
    for number in numbers {
        shapes[*number].parts.iter().for_each(|part| *parts.entry(*part).or_default() += 1);
        shapes[*number].texts.iter().for_each(|text| *texts.entry(*text).or_default() += 1);
    }
    let mut core = Shape {
        parts: parts.into_iter().filter(|(_, pages)| *pages >= least).map(|(part, _)| part).collect(),
        texts: texts.into_iter().filter(|(_, pages)| *pages >= least).map(|(text, _)| text).collect(),
    };
    core.parts.sort_unstable();
    core.parts.dedup_by_key(|part| part.0);
    core.parts.truncate(MOST_CORE);
    core.texts.sort_unstable();
    core.texts.truncate(MOST_CORE);
    core
}

/// The middle fit of a kind's own pages, and the least fit a page of this kind may have; in thousandths.
fn usual_fits(kind: &KindTemplate, numbers: &[usize], kinds: &[KindTemplate], shapes: &[Shape]) -> (u32, u32) {
    let fit = |number: &usize| (Known::of(kinds, &shapes[*number]).fit(&kind.core) * 1000.0).round() as u32;
    let mut fits: Vec<u32> = numbers.iter().map(fit).collect();
    fits.sort_unstable();
    let at = |share: f64| fits.get((share * fits.len() as f64) as usize).copied().unwrap_or(0);
    (at(0.5), at(0.1).saturating_sub(FIT_SLACK).clamp(LEAST_FIT, ENOUGH_FIT))
}

/// Draws a page of each kind, the one that fits best.
fn draw(site: &mut SiteTemplates, pages: &[Kept], kinds: &[Vec<usize>]) {
    let mut skeletons = Vec::with_capacity(kinds.len());
    for (kind, numbers) in site.kinds.iter().zip(kinds) {
        let fit = |number: &usize| Known::of(&site.kinds, &pages[*number].shape).fit(&kind.core);
        let best = numbers.iter().max_by(|one, two| fit(one).total_cmp(&fit(two)).then(two.cmp(one)));
        let skeleton = best.map(|number| {
            let page = &pages[*number];
            Skeleton::of(&page.document, &page.stats, &site.detect(&page.parsed(), None, SiteLevel::default()))
        });
        skeletons.push(skeleton.unwrap_or_default());
    }
    for (kind, skeleton) in site.kinds.iter_mut().zip(skeletons) {
        kind.skeleton = skeleton;
    }
}
