//! Compares how well recent pages fit a site's templates with the pages these were learned from.
//!
//! A fold over the fits of pages. It does not depend on time: a template has stopped fitting when some of the recent
//! pages should have had it, given its former share, and none did.

use crate::detection::TemplateFit;
use crate::site::templates::site_templates::SiteTemplates;

/// A template is missed only if at least this many recent pages should have had it, by its share of the pages it was
/// learned from. If nothing had changed, the probability of seeing none is below 1 in 100 (e⁻⁵).
const MIN_EXPECTED_PAGES: f64 = 5.0;
/// A template fits worse if the mean fit of the pages that have it fell by more than this, in thousandths.
const MAX_FIT_LOSS: u32 = 100;
/// Minimum number of pages for a meaningful mean.
const MIN_PAGES: u32 = 3;
/// The share of pages that fit no template may grow by this much.
const MAX_UNFIT_GROWTH: f64 = 0.2;

/// How well recent pages fit a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// Pages fit it as well as those it was learned from.
    Fits,
    /// Pages still have it, but fit it worse.
    Weaker,
    /// No page has it any more. Learning retires it.
    Stopped,
    /// Too few pages to decide.
    Unknown,
}

impl Verdict {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Fits => "fits",
            Verdict::Weaker => "weaker",
            Verdict::Stopped => "stopped",
            Verdict::Unknown => "unknown",
        }
    }
}

/// Counts the fits of recent pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriftCounter {
    /// The number of pages that fit and the sum of their fits in thousandths, by template.
    templates: Vec<(u32, u64)>,
    unfit: u32,
}

impl DriftCounter {
    /// Continues from counts: for each template the number of pages that fit and the sum of their fits in
    /// thousandths, and the number of pages that fit none.
    pub fn of_counts(templates: &[(u32, u64)], unfit: u32) -> DriftCounter {
        DriftCounter { templates: templates.to_vec(), unfit }
    }

    /// Counts a page.
    pub fn observe(&mut self, fit: TemplateFit) {
        match fit.template {
            None => self.unfit += 1,
            Some(number) => {
                // A template number is small: it counts the templates of one site.
                let number = number as usize;
                if self.templates.len() <= number {
                    self.templates.resize(number + 1, (0, 0));
                }
                self.templates[number].0 += 1;
                self.templates[number].1 += (fit.fit * 1000.0).round() as u64;
            }
        }
    }

    /// Adds the counts of another counter.
    pub fn merge(&mut self, other: DriftCounter) {
        self.unfit += other.unfit;
        if self.templates.len() < other.templates.len() {
            self.templates.resize(other.templates.len(), (0, 0));
        }
        for (sum, more) in self.templates.iter_mut().zip(other.templates) {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }

    /// Compares the counts with the pages the templates were learned from.
    pub fn finish(&self, site: &SiteTemplates) -> Drift {
        let (sampled, of_no_kind) = (site.sampled_pages(), site.pages_of_no_kind());
        let pages = self.unfit + self.templates.iter().map(|template| template.0).sum::<u32>();
        let kinds = site.templates().iter().enumerate().map(|(number, kind)| {
            let (seen, sum) = self.templates.get(number).copied().unwrap_or_default();
            let expected = f64::from(pages) * f64::from(kind.pages()) / f64::from(sampled.max(1));
            let fit = (sum / u64::from(seen.max(1))) as u32;
            let verdict = match seen {
                0 if expected >= MIN_EXPECTED_PAGES => Verdict::Stopped,
                0 => Verdict::Unknown,
                _ if seen >= MIN_PAGES && fit + MAX_FIT_LOSS < kind.usual_fit => Verdict::Weaker,
                _ => Verdict::Fits,
            };
            TemplateDrift {
                learned_pages: kind.pages(),
                usual_fit: kind.usual_fit(),
                pages: seen,
                fit: fit as f32 / 1000.0,
                verdict,
            }
        });
        Drift {
            pages,
            unfit: self.unfit,
            usual_unfit: of_no_kind as f32 / sampled.max(1) as f32,
            templates: kinds.collect(),
        }
    }
}

/// How well recent pages fit the templates of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    /// The number of recent pages.
    pub pages: u32,
    /// Of these, the pages that fit no template.
    pub unfit: u32,
    /// The share of such pages among those the templates were learned from.
    pub usual_unfit: f32,
    /// By template.
    pub templates: Vec<TemplateDrift>,
}

/// How well recent pages fit one template.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TemplateDrift {
    /// The number of pages it was learned from.
    pub learned_pages: u32,
    /// The median fit of these pages.
    pub usual_fit: f32,
    /// The number of recent pages that have it.
    pub pages: u32,
    /// Their mean fit.
    pub fit: f32,
    /// The verdict from these numbers.
    pub verdict: Verdict,
}

impl Drift {
    /// The share of recent pages that fit no template.
    pub fn unfit_share(&self) -> f32 {
        self.unfit as f32 / self.pages.max(1) as f32
    }

    /// Whether many more pages than before fit no template.
    pub fn has_unknown_pages(&self) -> bool {
        f64::from(self.pages) >= MIN_EXPECTED_PAGES
            && f64::from(self.unfit_share() - self.usual_unfit) > MAX_UNFIT_GROWTH
    }

    /// What changed, one sentence each. Empty if the templates fit as before.
    pub fn findings(&self) -> Vec<String> {
        let mut findings = Vec::new();
        for (number, template) in self.templates.iter().enumerate() {
            let TemplateDrift { learned_pages, usual_fit, pages, fit, verdict } = template;
            match verdict {
                Verdict::Stopped => findings.push(format!(
                    "template {number} stopped fitting: none of {} pages has it, {learned_pages} did when it was learned",
                    self.pages
                )),
                Verdict::Weaker => findings.push(format!(
                    "template {number} fits worse: {fit:.2} on {pages} pages, {usual_fit:.2} when it was learned"
                )),
                _ => {}
            }
        }
        if self.has_unknown_pages() {
            findings.push(format!(
                "{} of {} pages fit no template, {:.0} % did when it was learned",
                self.unfit,
                self.pages,
                self.usual_unfit * 100.0
            ));
        }
        findings
    }

    /// Whether the site should be learned again.
    pub fn has_drifted(&self) -> bool {
        self.has_unknown_pages()
            || self.templates.iter().any(|template| matches!(template.verdict, Verdict::Weaker | Verdict::Stopped))
    }
}
