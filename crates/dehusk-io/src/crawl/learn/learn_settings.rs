//! How sites are learned from samples of their pages.

use crate::crawl::learn::evidence::PageEvidence;
use crate::error::{Error, ErrorKind};
use dehusk::site::{DriftCounter, Verdict};
use dehusk::{SiteLearner, SiteMethod, SiteTemplates};

/// How sites are learned.
pub(crate) struct LearnSettings<'a> {
    pub(crate) method: &'a SiteMethod,
    /// All methods that templates of the store may have been learned with.
    pub(crate) known_methods: &'a [SiteMethod],
    pub(crate) seed: u64,
    pub(crate) day: &'a str,
    pub(crate) threads: usize,
}

impl LearnSettings<'_> {
    /// Learns several sites, each on a thread of its own: replaces their templates. A single page shares nothing with others,
    /// and changes no template.
    pub(crate) fn learn(&self, sites: &mut [(String, Vec<PageEvidence>, Vec<u8>)]) -> Result<(), Error> {
        let sites = sites.iter_mut().filter(|(_, sample, _)| sample.len() >= 2);
        if self.method.is_counts() {
            // Counting takes less time than starting a thread.
            for (site, sample, template) in sites {
                *template = self.learn_site(site, sample);
            }
            return Ok(());
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = sites
                .map(|(site, sample, template)| {
                    let (site, sample) = (&**site, &**sample);
                    (site, template, scope.spawn(move || self.learn_site(site, sample)))
                })
                .collect();
            for (site, template, thread) in threads {
                let broken = |_| format!("{site}: learning this site failed; please report it");
                *template = thread.join().map_err(|panic| Error::new(ErrorKind::Internal, broken(panic)))?;
            }
            Ok(())
        })
    }

    /// The template file of a site. A single page shares nothing with others.
    pub(crate) fn learn_sample(&self, site: &str, sample: &[PageEvidence]) -> Option<Vec<u8>> {
        (sample.len() >= 2).then(|| self.learn_site(site, sample))
    }

    fn learn_site(&self, site: &str, sample: &[PageEvidence]) -> Vec<u8> {
        let mut learner = SiteLearner::new(self.method.clone());
        for page in sample {
            learner.observe_parts(page.priority, &page.fingerprints, page.read_source());
        }
        learner.finish(self.seed).with_site(site).with_learned(self.day).to_bytes()
    }
}

/// Removes the known pages of templates that a site has stopped using: no page of the new sample fits them, though some should.
pub(crate) fn remove_stopped(known: &mut Vec<PageEvidence>, sample: &[PageEvidence], template: &SiteTemplates) {
    if template.templates().is_empty() {
        return;
    }
    let fit = |page: &PageEvidence| page.read_source().and_then(|source| template.fit_source(&source));
    let mut counter = DriftCounter::default();
    sample.iter().filter_map(fit).for_each(|fit| counter.observe(fit));
    let drift = counter.finish(template);
    let stopped =
        |number: u32| drift.templates.get(number as usize).is_some_and(|template| template.verdict == Verdict::Stopped);
    if drift.templates.iter().any(|template| template.verdict == Verdict::Stopped) {
        known.retain(|page| !fit(page).and_then(|fit| fit.template).is_some_and(stopped));
    }
}
