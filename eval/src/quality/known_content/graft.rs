//! Short texts in the pages of real sites: how much of the text is kept, and how much else.

use super::bag::Bag;
use super::outputs::{Pages, Way};
use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::report::table;
use crate::shared::site_pages::text_of;
use dehusk::{Options, OutputFormat};
use dehusk_train::{WordMeasures, measure_words};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Sums over the pages of a site.
#[derive(Default)]
struct Sums {
    pages: usize,
    measures: [f64; 3],
    empty: usize,
}

impl Sums {
    fn add(&mut self, measures: [f64; 3], is_empty: bool) {
        self.pages += 1;
        self.measures.iter_mut().zip(measures).for_each(|(sum, value)| *sum += value);
        self.empty += is_empty as usize;
    }

    fn cells(&self) -> impl Iterator<Item = String> {
        let means = self.measures.map(|sum| format!("{:.4}", sum / self.pages as f64));
        means.into_iter().chain([self.empty.to_string()])
    }
}

pub(super) fn measure(data: &Data, work: &Path) -> Result<String, Stop> {
    let pages = Pages::read(data.list("graft", ".jsonl.zst")?)?;
    let mut sites: BTreeMap<&str, [Sums; 2]> = BTreeMap::new();
    for (number, way) in Way::ALL.into_iter().enumerate() {
        let texts = pages.run(way, OutputFormat::Text, Options::new(), work)?;
        for (page, text) in pages.list.iter().zip(texts) {
            let (measures, is_empty) = score(&page.record, &text);
            sites.entry(&page.site).or_default()[number].add(measures, is_empty);
            sites.entry("all").or_default()[number].add(measures, is_empty);
        }
    }
    let rows = sites.iter().map(|(site, sums)| {
        let head = [site.to_string(), sums[0].pages.to_string()];
        head.into_iter().chain(sums.iter().flat_map(Sums::cells)).collect()
    });
    let head =
        ["site", "pages", "extract: F1", "precision", "recall", "empty", "clean: F1", "precision", "recall", "empty"];
    let rows: Vec<Vec<String>> = rows.collect();
    Ok(format!(
        "## Short texts in real pages\n\n{}\n`graft`: words of the text output against the words of the text that was put in, mean over \
         pages. Lines equal to the title count neither way. Empty: nothing else is left of the page.\n",
        table(&head, &rows)
    ))
}

/// F1, precision and recall of the words of a page, and whether there are none.
fn score(record: &Value, text: &str) -> ([f64; 3], bool) {
    let title = text_of(record, "title");
    let lines: Vec<&str> = text.lines().filter(|line| line.trim() != title.trim()).collect();
    let kept: Bag = measure_words(&lines.join("\n")).into_iter().collect();
    let wanted: Bag = measure_words(&text_of(record, "content")).into_iter().collect();
    let measures = WordMeasures::of_counts(kept.shared(&wanted), kept.len(), wanted.len());
    (measures.to_array(), kept.len() == 0)
}
