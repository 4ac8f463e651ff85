//! SITELEVEL on the themes of `dup`, where the template is known exactly, and on the sites of SWDE, where the values to keep
//! are known.

use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use crate::shared::report::{Results, table};
use crate::shared::site_pages::{Page, Words, measure_survival, name_of, shuffled, text_of};
use dehusk::dom::Parser;
use dehusk::site::SiteLevelLearner;
use std::path::Path;

const THRESHOLDS: [f64; 3] = [0.1, 0.3, 0.5];
const SAMPLES: [usize; 2] = [24, 100];

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let mut themes = Vec::new();
    for file in data.list("dup", ".jsonl.zst")? {
        themes.extend(measure_theme(&file)?);
    }
    let values = measure_swde(data)?;
    let mut body = String::from("## Template words of `dup`, by theme\n\n");
    body += &table(&["theme", "pages", "θ", "precision", "recall", "content words lost"], &themes);
    body += "\nWords outside the content region are template; words of the title are not counted. Precision: share of dropped words \
             that are template. Recall: share of template words that are dropped. Pages are drawn with a fixed seed and tested with the \
             template learned from the same pages. Each page has a list \"Popular in <group>\" that repeats only within its group; \
             thresholds above the group's share of the pages keep it.\n\n";
    body += "## SWDE attribute values kept\n\n";
    body +=
        &table(&["θ", "values", "kept", "lost, on ≥ θ of pages", "lost, others", "text kept", "worst sites"], &values);
    body += "\nA value that appears on at least a fraction θ of its site's pages (a genre, a publisher) is template by definition. \
             Those values are counted separately.\n";
    results.publish("sitelevel", "SITELEVEL", "dup, sites (SWDE)", &body)
}

fn measure_theme(file: &Path) -> Result<Vec<Vec<String>>, Stop> {
    let theme = name_of(file);
    let mut records = Vec::new();
    read_records(file, |record| records.push(record))?;
    let order = shuffled(records.len());
    let mut parser = Parser::default();
    let mut rows = Vec::new();
    for sample in SAMPLES {
        let mut pages = Vec::new();
        let mut learner = SiteLevelLearner::new();
        for number in order.iter().take(sample) {
            let page = Page::read(&mut parser, &text_of(&records[*number], "html"))?;
            learner.observe(&page.evidence());
            pages.push((page, &records[*number]));
        }
        let template = learner.finish();
        for threshold in THRESHOLDS {
            let mut sum = Words::default();
            for (page, record) in &pages {
                sum.add(page, record, &page.detect(&template, threshold));
            }
            rows.push(vec![
                theme.clone(),
                pages.len().to_string(),
                threshold.to_string(),
                format!("{:.4}", sum.precision()),
                format!("{:.4}", sum.recall()),
                sum.dropped_content.to_string(),
            ]);
        }
    }
    Ok(rows)
}

fn measure_swde(data: &Data) -> Result<Vec<Vec<String>>, Stop> {
    measure_survival(data, &THRESHOLDS, None, |pages, threshold| {
        let mut learner = SiteLevelLearner::new();
        pages.iter().for_each(|(page, _)| learner.observe(&page.evidence()));
        let template = learner.finish();
        Ok(pages.iter().map(|(page, _)| page.detect(&template, threshold)).collect())
    })
}
