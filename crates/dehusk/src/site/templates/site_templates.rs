//! The templates of a site: what all its pages share, and one template for each kind of page.
//!
//! Assigns a page to the template that fits best, with a fit from 0 to 1, or to none. Then the detectors of the
//! combination run on the page and their results are combined. Learning is in `site_learner.rs`, the file format in
//! `templates_file.rs`.

use super::combine::combine;
use super::site_method::{COUNTS, Combination, SiteMethod, Template};
use super::sitelevel::{SiteLevelSettings, detect_site_level};
use super::sitelevel_template::SiteLevelTemplate;
use crate::detection::{Detection, TemplateFit};
use crate::dom::{Document, Parser, Stats};
use crate::error::{Error, ErrorKind};
use crate::read::parsed_page::ParsedPage;
use crate::site::learn::page_shape::Shape;
use crate::site::learn::skeleton::Skeleton;
use std::sync::Arc;

/// The templates of one site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteTemplates {
    /// The number of pages that contain each fingerprint, over all page kinds.
    pub(crate) counts: SiteLevelTemplate,
    pub(crate) method: SiteMethod,
    pub(crate) combination: Combination,
    /// Agreement of each combination with held-out pages, in thousandths; empty if nothing was compared.
    pub(crate) agreement: Vec<(Combination, u32)>,
    /// Pages of the sample, and how many of them are of no kind.
    pub(crate) in_sample: u32,
    pub(crate) of_no_kind: u32,
    pub(crate) kinds: Vec<KindTemplate>,
    /// Sample pages to continue learning with, if requested.
    pub(crate) sample: Vec<(u64, String)>,
}

/// A template of one kind of page, with the name of the method that learned it.
#[derive(Clone, Debug)]
pub(crate) struct NamedTemplate {
    pub(crate) method: &'static str,
    pub(crate) template: Arc<dyn Template>,
}

impl PartialEq for NamedTemplate {
    /// By what is written to files.
    fn eq(&self, other: &NamedTemplate) -> bool {
        let lines = |template: &dyn Template| {
            let mut out = String::new();
            template.append_lines(&mut out);
            out
        };
        self.method == other.method && lines(&*self.template) == lines(&*other.template)
    }
}

/// The template of one kind of page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KindTemplate {
    /// The number of pages it was learned from.
    pub(crate) pages: u32,
    /// The shape most of its pages have.
    pub(crate) core: Shape,
    /// The median fit of the pages it was learned from, and the fit below which a page is not in the kind; in
    /// thousandths.
    pub(crate) usual_fit: u32,
    pub(crate) min_fit: u32,
    pub(crate) templates: Vec<NamedTemplate>,
    pub(crate) skeleton: Skeleton,
}

impl KindTemplate {
    /// The number of sample pages in this kind.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The median fit of the pages it was learned from.
    pub fn usual_fit(&self) -> f32 {
        self.usual_fit as f32 / 1000.0
    }

    /// The minimum fit of a page of this kind.
    pub fn min_fit(&self) -> f32 {
        self.min_fit as f32 / 1000.0
    }

    /// A page of this kind reduced to its template, for a preview.
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
    pub fn method(&self) -> &SiteMethod {
        &self.method
    }

    /// The detectors that run on a page; for a method that chooses, those that were chosen.
    pub fn combination(&self) -> &Combination {
        &self.combination
    }

    /// Agreement of each combination with held-out pages, 0 to 1. Methods that choose do so by it.
    pub fn agreement(&self) -> impl Iterator<Item = (&Combination, f32)> + '_ {
        self.agreement.iter().map(|(combination, agreement)| (combination, *agreement as f32 / 1000.0))
    }

    /// The templates of the page kinds, largest kind first. Empty if pages were only counted.
    pub fn templates(&self) -> &[KindTemplate] {
        &self.kinds
    }

    /// The number of sample pages.
    pub fn sampled_pages(&self) -> u32 {
        self.in_sample
    }

    /// How many of the sample pages are of no kind.
    pub fn pages_of_no_kind(&self) -> u32 {
        self.of_no_kind
    }

    /// Returns an error if the templates were learned without what a method needs.
    ///
    /// # Errors
    /// If the method needs templates that were not learned.
    pub fn check_method(&self, method: &SiteMethod) -> Result<(), Error> {
        if method.chooses() || method.is_counts() || self.combination.covers(&method.combination()) {
            return Ok(());
        }
        let message = format!(
            "this template was learned with {} and has only what {} needs: learn it again with {method}",
            self.method, self.combination
        );
        Err(Error::new(ErrorKind::Incompatible, message))
    }

    /// Returns the template that fits a page best, if the page is in one of the kinds. `None` if there are no
    /// kinds.
    pub fn fit(&self, document: &Document, stats: &Stats) -> Option<TemplateFit> {
        if self.kinds.is_empty() { None } else { Some(self.fit_shape(&Shape::of(document, stats))) }
    }

    /// The same for the output of [`page_source`](crate::site::page_source).
    pub fn fit_source(&self, source: &str) -> Option<TemplateFit> {
        let document = Parser::default().parse(source).ok()?;
        self.fit(&document, &Stats::of(&document))
    }

    pub(crate) fn fit_shape(&self, shape: &Shape) -> TemplateFit {
        let known = KnownShape::of(&self.kinds, shape);
        let mut best = TemplateFit { template: None, fit: 0.0 };
        let mut nearest = 0.0f64;
        for (number, kind) in self.kinds.iter().enumerate() {
            let fit = known.fit(&kind.core);
            let fits = fit * 1000.0 >= f64::from(kind.min_fit);
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
pub(crate) struct KnownShape {
    shape: Shape,
    /// The sum of the weights of the elements, and the number of texts.
    element_weight: u32,
    texts: usize,
}

impl KnownShape {
    pub(crate) fn of(kinds: &[KindTemplate], page: &Shape) -> KnownShape {
        let in_elements = |element: &&(u64, u32)| kinds.iter().any(|kind| has_element(&kind.core, element.0));
        let in_texts = |text: &&u64| kinds.iter().any(|kind| kind.core.texts.binary_search(text).is_ok());
        let elements: Vec<(u64, u32)> = page.elements.iter().filter(in_elements).copied().collect();
        let texts: Vec<u64> = page.texts.iter().filter(in_texts).copied().collect();
        let weight = elements.iter().map(|element| element.1).sum();
        KnownShape { element_weight: weight, texts: texts.len(), shape: Shape { elements, texts } }
    }

    /// Computes how well a page fits a template: of the elements that are in the template, or on the page and in any
    /// template of the site, the share that is in both. The same for texts. The fit is the mean of the two.
    pub(crate) fn fit(&self, core: &Shape) -> f64 {
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
    pub fn detect(
        &self,
        page: &ParsedPage<'_>,
        method: Option<&SiteMethod>,
        site_level: SiteLevelSettings,
    ) -> Detection {
        match method.filter(|method| !method.chooses()) {
            None => self.detect_by(page, &self.combination, site_level),
            Some(method) => self.detect_by(page, &method.combination(), site_level),
        }
    }

    /// Runs the methods of a combination on a page.
    pub(crate) fn detect_by(
        &self,
        page: &ParsedPage<'_>,
        combination: &Combination,
        site_level: SiteLevelSettings,
    ) -> Detection {
        let (document, stats) = (page.document, page.stats());
        let fit = self.fit(document, stats);
        let kind = fit.and_then(|fit| fit.template).and_then(|number| self.kinds.get(number as usize));
        let mut detections = Vec::with_capacity(combination.names().len());
        if combination.contains(COUNTS) {
            detections.push(detect_site_level(document, stats, page.fingerprints(), &self.counts, site_level));
        }
        let templates = kind.into_iter().flat_map(|kind| &kind.templates);
        for template in templates.filter(|template| combination.contains(template.method)) {
            detections.push(template.template.detect(page));
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
