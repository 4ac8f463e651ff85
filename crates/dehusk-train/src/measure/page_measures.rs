//! How well an extractor does on pages with reference texts: words kept and missed, page by page.

use crate::data::corrected_pages::CorrectedPage;
use crate::labels::word_measures::{WordMeasures, measure_text};
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
    /// F1, precision and recall of its words.
    pub words: WordMeasures,
}

impl PageMeasures {
    /// The means of F1, precision and recall over pages; 0 if there are none.
    #[must_use]
    pub fn mean<'a>(pages: impl Iterator<Item = &'a PageMeasures>) -> WordMeasures {
        let (mut sums, mut count) = ([0.0; 3], 0usize);
        for page in pages {
            sums.iter_mut().zip(page.words.to_array()).for_each(|(sum, value)| *sum += value);
            count += 1;
        }
        sums.map(|sum| sum / count.max(1) as f64).into()
    }
}

/// Measures the text that an extractor gives for each page. A page that it refuses counts as one without text.
#[must_use]
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
            words: measure_text(&text, &page.content),
        }
    };
    pages.par_iter().map(one).collect()
}
