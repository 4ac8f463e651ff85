//! Sites learned with every method, so that the methods can be compared on one page. This takes some seconds, so it is done on request, for
//! one site, and kept.

use super::crawl_index::CrawlIndex;
use super::row_query::{PageQuery, PageSort};
use crate::methods::METHODS;
use dehusk::{Extractor, Page, Scratch, SiteLearner, SiteTemplates};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Pages of a site that are learned from. The methods of the papers take 16 and 24.
const PAGES: usize = 48;
/// The site methods that are compared.
pub(crate) const COMPARED: [&str; 4] = ["sitelevel", "treemap", "align", "auto"];
/// Sites that are kept.
const KEPT: usize = 8;

/// What each method knows of a site, by the name of the method.
pub(crate) type MethodTemplates = Vec<(&'static str, SiteTemplates)>;

/// The sites that were learned.
#[derive(Default)]
pub(crate) struct SiteMethods {
    sites: Mutex<BTreeMap<String, Arc<MethodTemplates>>>,
}

impl SiteMethods {
    /// The templates of a site that was learned before, or nothing.
    pub(crate) fn known(&self, site: &str) -> Arc<MethodTemplates> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        sites.get(site).cloned().unwrap_or_default()
    }

    /// The templates of a site by every method, learned from the first pages of the crawl. Nothing if it has fewer than two pages.
    pub(crate) fn learn(
        &self,
        index: &CrawlIndex,
        extractor: &Extractor,
        site: &str,
        page: usize,
    ) -> Arc<MethodTemplates> {
        let known = self.known(site);
        if !known.is_empty() {
            return known;
        }
        let query =
            PageQuery { site: Some(site.to_string()), sort: PageSort::Number, limit: PAGES, ..PageQuery::default() };
        let rows = index.pages(&query);
        let numbers = rows["rows"].as_array().into_iter().flatten().filter_map(|row| row["number"].as_u64());
        let mut numbers: Vec<usize> = numbers.map(|number| number as usize).collect();
        // The page itself may not be among the first of its site.
        numbers.push(page);
        numbers.sort_unstable();
        numbers.dedup();
        let methods = COMPARED.into_iter().filter_map(|name| METHODS.site_method(name));
        let mut learners: Vec<_> = methods.map(|method| (method.name(), SiteLearner::new(method.clone()))).collect();
        let mut scratch = Scratch::default();
        for number in numbers {
            let Ok(stored) = index.page(number) else { continue };
            let page = Page::new(&stored.bytes).with_content_type(stored.content_type.as_deref());
            if let Ok(parsed) = extractor.parse(page, &mut scratch) {
                learners.iter_mut().for_each(|(_, learner)| learner.observe(&number.to_string(), &parsed));
            }
        }
        let learned = learners.into_iter().filter(|(_, learner)| learner.pages() >= 2);
        let templates = Arc::new(learned.map(|(name, learner)| (name, learner.finish(0))).collect::<Vec<_>>());
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= KEPT {
            // Any of them: learning it again takes only seconds.
            sites.pop_first();
        }
        sites.insert(site.to_string(), templates.clone());
        templates
    }
}
