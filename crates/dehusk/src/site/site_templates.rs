//! The templates of a site: what all its pages share, and one template for each page group.
//!
//! Assigns a page to the template that fits best, with a fit from 0 to 1, or to none. Then the detectors of the
//! combination run on the page and their results are combined. Learning is in `site_learner.rs`, the file format in
//! `templates_file.rs`.

use super::align::{AlignTemplate, detect_align};
use super::combine::combine;
use super::method::{Combination, Method};
use super::page_shape::Shape;
use super::rules::Rules;
use super::sitelevel::{SiteLevelSettings, detect_site_level};
use super::sitelevel_template::SiteLevelTemplate;
use super::skeleton::Skeleton;
use super::treemap::{TreeMapTemplates, detect_tree_map};
use crate::detection::{Detection, TemplateFit};
use crate::dom::{Document, Parser, Stats};
use crate::error::{Error, ErrorKind};
use crate::parsed_page::ParsedPage;

/// The templates of one site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteTemplates {
    /// The number of pages that contain each fingerprint, over all page groups.
    pub(super) counts: SiteLevelTemplate,
    pub(super) method: Method,
    pub(super) combination: Combination,
    /// Agreement of each combination with held-out pages, in thousandths; empty if nothing was compared.
    pub(super) agreement: Vec<(Combination, u32)>,
    /// Pages that were grouped, and how many of them are in no group.
    pub(super) grouped: u32,
    pub(super) single: u32,
    pub(super) groups: Vec<GroupTemplate>,
    /// Sample pages to continue learning with, if requested.
    pub(super) sample: Vec<(u64, String)>,
}

impl Default for Combination {
    fn default() -> Combination {
        Combination::SITE_LEVEL
    }
}

/// The template of one page group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupTemplate {
    /// The number of pages it was learned from.
    pub(super) pages: u32,
    /// The shape most of its pages have.
    pub(super) core: Shape,
    /// The median fit of the pages it was learned from, and the fit below which a page is not in the group; in
    /// thousandths.
    pub(super) usual_fit: u32,
    pub(super) min_fit: u32,
    pub(super) trees: TreeMapTemplates,
    pub(super) tokens: AlignTemplate,
    pub(super) skeleton: Skeleton,
}

impl GroupTemplate {
    /// The number of sample pages in this group.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The median fit of the pages it was learned from.
    pub fn usual_fit(&self) -> f32 {
        self.usual_fit as f32 / 1000.0
    }

    /// The minimum fit of a page of this group.
    pub fn min_fit(&self) -> f32 {
        self.min_fit as f32 / 1000.0
    }

    /// A page of this group reduced to its template, for a preview.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }
}

impl From<SiteLevelTemplate> for SiteTemplates {
    fn from(counts: SiteLevelTemplate) -> SiteTemplates {
        SiteTemplates { counts, ..SiteTemplates::default() }
    }
}

impl SiteTemplates {
    /// The name of the site, as given when it was learned.
    pub fn site(&self) -> &str {
        &self.counts.site
    }

    /// The day it was learned, as `2026-11-15`, or empty.
    pub fn learned(&self) -> &str {
        &self.counts.learned
    }

    /// Sets the name of the site.
    pub fn with_site(mut self, site: impl Into<String>) -> SiteTemplates {
        self.counts = self.counts.with_site(site);
        self
    }

    /// Sets the day it was learned; the library itself has no clock.
    pub fn with_learned(mut self, day: impl Into<String>) -> SiteTemplates {
        self.counts = self.counts.with_learned(day);
        self
    }

    /// The number of pages counted.
    pub fn pages(&self) -> u32 {
        self.counts.pages()
    }

    /// The counts over all pages.
    pub fn counts(&self) -> &SiteLevelTemplate {
        &self.counts
    }

    /// The requested method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The detectors that run on a page; for [`Method::Auto`], those that were chosen.
    pub fn combination(&self) -> Combination {
        self.combination
    }

    /// Agreement of each combination with held-out pages, 0 to 1. [`Method::Auto`] chooses by it.
    pub fn agreement(&self) -> impl Iterator<Item = (Combination, f32)> + '_ {
        self.agreement.iter().map(|(combination, agreement)| (*combination, *agreement as f32 / 1000.0))
    }

    /// The templates of the page groups, largest group first. Empty if pages were only counted.
    pub fn templates(&self) -> &[GroupTemplate] {
        &self.groups
    }

    /// The number of pages that were grouped, and how many of them are in no group.
    pub fn grouped(&self) -> (u32, u32) {
        (self.grouped, self.single)
    }

    /// Returns an error if the templates were learned without what a method needs.
    pub fn check_method(&self, method: Method) -> Result<(), Error> {
        let has_rules = method.rules() == Rules::All || method == self.method;
        let covers = self.combination.covers(method.combination()) && has_rules;
        if method == Method::Auto || covers || method == Method::SiteLevel {
            return Ok(());
        }
        let message = format!(
            "this template was learned with {} and has only what {} needs: learn it again with {}",
            self.method.name(),
            self.combination,
            method.name()
        );
        Err(Error::new(ErrorKind::Incompatible, message))
    }

    /// Returns the template that fits a page best, if the page is in one of the groups. `None` if there are no
    /// groups.
    pub fn fit(&self, document: &Document, stats: &Stats) -> Option<TemplateFit> {
        if self.groups.is_empty() { None } else { Some(self.fit_shape(&Shape::of(document, stats))) }
    }

    /// The same for the output of [`page_source`](crate::methods::site::page_source).
    pub fn fit_source(&self, source: &str) -> Option<TemplateFit> {
        let document = Parser::default().parse(source).ok()?;
        self.fit(&document, &Stats::of(&document))
    }

    pub(super) fn fit_shape(&self, shape: &Shape) -> TemplateFit {
        let known = KnownShape::of(&self.groups, shape);
        let mut best = TemplateFit { template: None, fit: 0.0 };
        let mut nearest = 0.0f64;
        for (number, group) in self.groups.iter().enumerate() {
            let fit = known.fit(&group.core);
            let fits = fit * 1000.0 >= f64::from(group.min_fit);
            // A template that fits takes precedence over one that is closer but does not.
            let better = match (fits, best.template) {
                (true, None) => true,
                (false, Some(_)) => false,
                _ => fit > nearest,
            };
            if better {
                nearest = fit;
                best = TemplateFit { template: fits.then_some(number as u32), fit: fit as f32 };
            }
        }
        best
    }
}

/// The elements and texts of a page that are in any template of its site.
pub(super) struct KnownShape {
    shape: Shape,
    /// The sum of the weights of the elements, and the number of texts.
    element_weight: u32,
    texts: usize,
}

impl KnownShape {
    pub(super) fn of(groups: &[GroupTemplate], page: &Shape) -> KnownShape {
        let in_elements = |element: &&(u64, u32)| groups.iter().any(|group| has_element(&group.core, element.0));
        let in_texts = |text: &&u64| groups.iter().any(|group| group.core.texts.binary_search(text).is_ok());
        let elements: Vec<(u64, u32)> = page.elements.iter().filter(in_elements).copied().collect();
        let texts: Vec<u64> = page.texts.iter().filter(in_texts).copied().collect();
        let weight = elements.iter().map(|element| element.1).sum();
        KnownShape { element_weight: weight, texts: texts.len(), shape: Shape { elements, texts } }
    }

    /// Computes how well a page fits a template: of the elements that are in the template, or on the page and in any
    /// template of the site, the share that is in both. The same for texts. The fit is the mean of the two.
    pub(super) fn fit(&self, core: &Shape) -> f64 {
        let core_weight: u32 = core.elements.iter().map(|element| element.1).sum();
        let both = self
            .shape
            .elements
            .iter()
            .filter(|element| has_element(core, element.0))
            .map(|element| element.1)
            .sum::<u32>();
        let both_texts = self.shape.texts.iter().filter(|text| core.texts.binary_search(text).is_ok()).count();
        let share = |both: usize, one: usize, two: usize| both as f64 / (one + two - both).max(1) as f64;
        let elements = share(both as usize, core_weight as usize, self.element_weight as usize);
        if core.texts.is_empty() {
            return elements;
        }
        (elements + share(both_texts, core.texts.len(), self.texts)) / 2.0
    }
}

fn has_element(shape: &Shape, element: u64) -> bool {
    shape.elements.binary_search_by_key(&element, |element| element.0).is_ok()
}

impl SiteTemplates {
    /// Detects the template on a page, with a method or with the one the templates were learned with.
    pub fn detect(&self, page: &ParsedPage<'_>, method: Option<Method>, site_level: SiteLevelSettings) -> Detection {
        let combination = match method {
            None | Some(Method::Auto) => self.combination,
            Some(method) => method.combination(),
        };
        self.detect_by(page, combination, site_level)
    }

    /// Runs the detectors of a combination on a page.
    pub(super) fn detect_by(
        &self,
        page: &ParsedPage<'_>,
        combination: Combination,
        site_level: SiteLevelSettings,
    ) -> Detection {
        let (document, stats) = (page.document, page.stats());
        let fit = self.fit(document, stats);
        let group = fit.and_then(|fit| fit.template).and_then(|number| self.groups.get(number as usize));
        let mut detections = Vec::with_capacity(3);
        if combination.site_level {
            detections.push(detect_site_level(document, stats, page.fingerprints(), &self.counts, site_level));
        }
        if let Some(group) = group {
            if combination.tree_map {
                detections.push(detect_tree_map(document, stats, &group.trees));
            }
            if combination.align {
                detections.push(detect_align(document, stats, &group.tokens));
            }
        }
        let mut joined = match detections.is_empty() {
            true => Detection::keep_all(combination.detectors(), document),
            // If no template fits, the remaining detectors decide.
            false => combine(combination.detectors(), document, detections),
        };
        joined.fit = fit;
        joined
    }
}
