//! Errors of PageLevel on hand-labelled pages: by page, by annotation, and without pages that have no annotated content.

use super::pages::{HandLabelled, Truth};
use super::{Found, Tally, said};
use dehusk_papers::pagelevel::PageScores;
use std::collections::BTreeMap;

/// The pages of a set with the most words wrongly dropped or kept.
pub(super) fn worst(pages: &[HandLabelled], scored: &[PageScores], threshold: f32) -> Vec<Vec<String>> {
    let mut rows: Vec<(f64, Vec<String>)> = Vec::new();
    for (page, scores) in pages.iter().zip(scored) {
        let mut found = Found::default();
        found.add(page, &|id| scores.is_template(id, threshold));
        let words = found.pooled[0];
        let cells = vec![
            page.id.clone(),
            words.hit.to_string(),
            words.alarm.to_string(),
            words.miss.to_string(),
            words.kept.to_string(),
        ];
        rows.push((words.alarm + words.miss, cells));
    }
    rows.sort_by(|one, two| two.0.total_cmp(&one.0));
    rows.into_iter().take(8).map(|row| row.1).collect()
}

/// Words found, missed, dropped and kept by their innermost annotation; most errors first.
pub(super) fn by_mark(part: &str, pages: &[HandLabelled], scored: &[PageScores], threshold: f32) -> Vec<Vec<String>> {
    let mut marks: BTreeMap<&str, Tally> = BTreeMap::new();
    for (page, scores) in pages.iter().zip(scored) {
        for (id, words, _) in page.texts() {
            let Some(mark) = page.segment[id.index()].and_then(|mark| page.marks[mark.index()].as_deref()) else {
                continue;
            };
            let is_template = match page.truth[id.index()] {
                Truth::Template => true,
                Truth::Content => false,
                Truth::Unlabelled | Truth::Ambiguous => continue,
            };
            marks.entry(mark).or_default().add(is_template, scores.is_template(id, threshold), f64::from(words));
        }
    }
    let mut marks: Vec<(&str, Tally)> = marks.into_iter().collect();
    marks.sort_by(|one, two| (two.1.alarm + two.1.miss).total_cmp(&(one.1.alarm + one.1.miss)));
    let row = |(mark, words): (&str, Tally)| {
        let counts = [words.hit, words.miss, words.alarm, words.kept].map(|count| count.to_string());
        [part.to_string(), mark.to_string()].into_iter().chain(counts).collect()
    };
    marks.into_iter().map(row).collect()
}

/// Results on the pages with annotated content: their number, and the cells of the measures.
pub(super) fn with_content(pages: &[HandLabelled], scored: &[PageScores], smooth: bool, threshold: f32) -> Vec<String> {
    let mut found = Found::default();
    let mut count = 0;
    for (page, scores) in pages.iter().zip(scored).filter(|(page, _)| page.has_content()) {
        found.add(page, &|id| said(scores, id, smooth, threshold));
        count += 1;
    }
    let mut cells = vec![count.to_string()];
    cells.extend(found.cells());
    cells
}
