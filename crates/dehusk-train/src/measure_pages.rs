//! How well an extractor does on pages with reference texts: words kept and missed, page by page.

use crate::asked::Followed;
use crate::corrected_pages::CorrectedPage;
use crate::evaluate::measure_text;
use dehusk::methods::fusion::FusionModel;
use dehusk::{Extractor, Page};
use rayon::prelude::*;

/// How well a page was extracted.
#[derive(Clone, Debug, PartialEq)]
pub struct PageMeasures {
    /// Its name in the corpus.
    pub id: String,
    /// Its address.
    pub url: String,
    /// Its type; empty where the corpus has none.
    pub page_type: String,
    /// F measure, precision and recall of its words.
    pub measures: [f64; 3],
}

impl PageMeasures {
    /// The means of F measure, precision and recall over some pages; 0 if there are none.
    pub fn mean<'a>(pages: impl Iterator<Item = &'a PageMeasures>) -> [f64; 3] {
        let (mut sums, mut count) = ([0.0; 3], 0usize);
        for page in pages {
            sums.iter_mut().zip(page.measures).for_each(|(sum, value)| *sum += value);
            count += 1;
        }
        sums.map(|sum| sum / count.max(1) as f64)
    }
}

/// Measures the text that an extractor gives for each page. A page that it refuses has no text.
pub fn measure_pages(extractor: &Extractor, pages: &[CorrectedPage]) -> Vec<PageMeasures> {
    let one = |corrected: &CorrectedPage| {
        let page = &corrected.page;
        // The source is text already, whatever encoding it names.
        let source = Page::new(page.html.as_bytes()).with_content_type(Some("text/html; charset=utf-8"));
        let text = extractor.extract_owned(source).map_or_else(|_| String::new(), |found| found.text());
        PageMeasures {
            id: page.id.clone(),
            url: page.url.clone(),
            page_type: page.page_type.clone(),
            measures: measure_text(&text, &page.content),
        }
    };
    pages.par_iter().map(one).collect()
}

/// How far a model follows the corrections of those pages that have any; none if no page has.
pub fn follow_corrections(model: &FusionModel, pages: &[CorrectedPage]) -> Option<Followed> {
    let corrected: Vec<CorrectedPage> = pages.iter().filter(|page| !page.corrections.is_empty()).cloned().collect();
    (!corrected.is_empty()).then(|| Followed::by(model, &corrected))
}
