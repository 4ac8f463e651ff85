//! Sites learned with every method, so that the methods can be compared on one page. This takes some seconds, so it is done on request, for
//! one site, and kept.

use super::crawl_index::CrawlIndex;
use super::row_query::{PageQuery, PageSort};
use dehusk::{Extractor, Method, Page, Scratch, SiteLearner, SiteTemplates};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Pages of a site that are learned from. The methods of the papers take 16 and 24.
const PAGES: usize = 48;
/// Sites that are kept.
const KEPT: usize = 8;

/// The sites that were learned.
#[derive(Default)]
pub(crate) struct SiteMethods {
    sites: Mutex<BTreeMap<String, Arc<SiteTemplates>>>,
}

impl SiteMethods {
    /// The templates of a site by every method, learned from the first pages of the crawl. None if it has fewer than two pages.
    pub(crate) fn learn(
        &self,
        index: &CrawlIndex,
        extractor: &Extractor,
        site: &str,
        page: usize,
    ) -> Option<Arc<SiteTemplates>> {
        let known = || self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(templates) = known().get(site) {
            return Some(templates.clone());
        }
        let query =
            PageQuery { site: Some(site.to_string()), sort: PageSort::Number, limit: PAGES, ..PageQuery::default() };
        let rows = index.pages(&query);
        let numbers = rows["rows"].as_array()?.iter().filter_map(|row| row["number"].as_u64());
        let mut numbers: Vec<usize> = numbers.map(|number| number as usize).collect();
        numbers.push(page);
        numbers.sort_unstable();
        numbers.dedup();
        let (mut learner, mut scratch) = (SiteLearner::new(Method::Auto), Scratch::default());
        for number in numbers {
            let Ok(stored) = index.page(number) else { continue };
            let page = Page::new(&stored.bytes).with_content_type(stored.content_type.as_deref());
            if let Ok(parsed) = extractor.parse(page, &mut scratch) {
                learner.observe(&number.to_string(), &parsed);
            }
        }
        if learner.pages() < 2 {
            return None;
        }
        let templates = Arc::new(learner.finish(0).with_site(site));
        let mut sites = known();
        if sites.len() >= KEPT {
            sites.pop_first();
        }
        sites.insert(site.to_string(), templates.clone());
        Some(templates)
    }
}
