//! SITELEVEL(θ): what is on at least a share θ of a site's pages, and on at least two, is template.
//!
//! Learning counts the pages that contain each exact fingerprint. It is a fold: the counts of two halves of a site
//! add up to the counts of the whole. Detection looks up every node of a page, then decides unit by unit
//! (`decide.rs`), so that no text is split. PageLevel §3 and Block §4 describe the method; units are ours.

use super::site_method::COUNTS;
use super::sitelevel_template::SiteLevelTemplate;
use crate::detection::{Detection, Reason};
use crate::dom::hash::NumberMap;
use crate::dom::{Document, Fingerprints, Name, NodeId, Stats};
use crate::error::{Error, ErrorKind};
use crate::read::parsed_page::ParsedPage;
use crate::site::decide::decide;
use crate::site::learn::min_support::min_support;

/// Settings of SITELEVEL.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SiteLevelSettings {
    /// The share of a site's pages that must contain a node for it to be template.
    pub threshold: f64,
}

impl Default for SiteLevelSettings {
    fn default() -> SiteLevelSettings {
        SiteLevelSettings { threshold: 0.1 }
    }
}

/// Returns the evidence of a page about its site: the fingerprints of its nodes with text or images, sorted, each
/// once.
pub fn page_evidence(page: &ParsedPage<'_>) -> Vec<u64> {
    let (document, stats, fingerprints) = (page.document, page.stats(), page.fingerprints());
    let Some(body) = document.find(Name::BODY) else { return Vec::new() };
    let shows = |id: &NodeId| {
        let counts = stats.subtree(document, *id);
        counts.characters > 0 || counts.pictures > 0
    };
    let mut evidence: Vec<u64> = document
        .descendants(body)
        .filter(shows)
        .map(|id| fingerprints.exact[id.index()])
        .filter(|fingerprint| *fingerprint != 0)
        .collect();
    evidence.sort_unstable();
    evidence.dedup();
    evidence
}

/// Counts the fingerprints of a site's pages.
#[derive(Clone, Debug, Default)]
pub struct SiteLevelLearner {
    pages: u32,
    support: NumberMap<u64, u32>,
}

impl SiteLevelLearner {
    /// Creates an empty learner.
    pub fn new() -> SiteLevelLearner {
        SiteLevelLearner::default()
    }

    /// Continues from a template written by [`finish_complete`](SiteLevelLearner::finish_complete).
    pub fn from_template(template: SiteLevelTemplate) -> Result<SiteLevelLearner, Error> {
        if !template.is_complete() {
            let message = "this template does not keep what it saw on one page only, so it cannot be merged";
            return Err(Error::new(ErrorKind::Incompatible, message));
        }
        let (pages, support) = template.into_support();
        Ok(SiteLevelLearner { pages, support })
    }

    /// The number of pages seen.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Counts a page by its [`page_evidence`].
    pub fn observe(&mut self, evidence: &[u64]) {
        for fingerprint in evidence {
            *self.support.entry(*fingerprint).or_default() += 1;
        }
        self.pages += 1;
    }

    /// Subtracts a page that was counted.
    pub(crate) fn remove(&mut self, evidence: &[u64]) {
        for fingerprint in evidence {
            if let Some(pages) = self.support.get_mut(fingerprint) {
                *pages = pages.saturating_sub(1);
            }
        }
        self.pages = self.pages.saturating_sub(1);
    }

    /// Adds the counts of other pages of the same site.
    pub fn merge(&mut self, other: SiteLevelLearner) {
        self.pages += other.pages;
        let (mut large, small) = match self.support.len() >= other.support.len() {
            true => (std::mem::take(&mut self.support), other.support),
            false => (other.support, std::mem::take(&mut self.support)),
        };
        #[allow(clippy::iter_over_hash_type, reason = "sums do not depend on the order")]
        for (fingerprint, pages) in small {
            *large.entry(fingerprint).or_default() += pages;
        }
        self.support = large;
    }

    /// Returns the template. Fingerprints on one page only are left out, since no threshold can make them template.
    pub fn finish(mut self) -> SiteLevelTemplate {
        self.support.retain(|_, pages| *pages > 1);
        SiteLevelTemplate::new(self.pages, false, self.support)
    }

    /// Returns the template with all counts, so that it can be merged with others.
    pub fn finish_complete(self) -> SiteLevelTemplate {
        SiteLevelTemplate::new(self.pages, true, self.support)
    }
}

/// Finds the nodes of a page that it shares with the other pages of its site.
pub fn detect_site_level(
    document: &Document,
    stats: &Stats,
    fingerprints: &Fingerprints,
    template: &SiteLevelTemplate,
    settings: SiteLevelSettings,
) -> Detection {
    let mut detection = Detection::keep_all(COUNTS, document);
    let of = template.pages();
    let min_pages = ((settings.threshold * of as f64).ceil() as u32).max(min_support(of as usize) as u32);
    let support: Vec<u32> =
        fingerprints.exact.iter().map(|hash| if *hash == 0 { 0 } else { template.support(*hash) }).collect();
    let is_template = |id: NodeId| support[id.index()] >= min_pages;
    for id in document.ids() {
        if support[id.index()] > 0 && of > 0 {
            let pages = support[id.index()].min(of);
            detection.set_evidence(id, pages as f32 / of as f32, Reason::Repeated { pages, of });
        }
    }
    decide(document, stats, &is_template, &mut detection);
    detection
}
