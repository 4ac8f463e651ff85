//! Whether the roles of segments would help the default extractor: its text with and without what is in segments of a role.

use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use crate::shared::report::table;
use dehusk::SegmentRole;
use dehusk::dom::NodeId;
use dehusk_papers::layout::estimate;
use dehusk_papers::segment::ModelSegmenter;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Corpora and the key of their reference text.
const CORPORA: [(&str, &str); 4] = [
    ("graft", "content"),
    ("dup", "content"),
    ("articles", "main_content"),
    // The default detector has seen these pages: only whether it is harmed can be told.
    ("wcxb-dev.jsonl.zst", "main_content"),
];

/// What is dropped beside what the extractor drops.
const DROPPED: [(&str, &[SegmentRole]); 6] = [
    ("nothing", &[]),
    ("footer", &[SegmentRole::Footer]),
    ("navigation", &[SegmentRole::Navigation]),
    ("navigation, header, footer", &[SegmentRole::Navigation, SegmentRole::Header, SegmentRole::Footer]),
    (
        "all but main and comments",
        &[
            SegmentRole::Navigation,
            SegmentRole::Header,
            SegmentRole::Footer,
            SegmentRole::Sidebar,
            SegmentRole::Advertisement,
            SegmentRole::Form,
        ],
    ),
    (MOSTLY_TEMPLATE, &[]),
];

/// Segments other than the main one of which less than half is content.
const MOSTLY_TEMPLATE: &str = "segments less than half content";

pub(super) fn report(data: &Data) -> Result<String, Stop> {
    let mut rows = Vec::new();
    for (corpus, key) in CORPORA {
        let mut pages: Vec<(String, String)> = Vec::new();
        let path = data.find(corpus)?;
        let mut files = vec![path.clone()];
        if path.is_dir() {
            files = std::fs::read_dir(path)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
            files.sort();
        }
        for file in files.iter().filter(|file| file.to_string_lossy().contains(".jsonl")) {
            read_records(file, |record| {
                let text = |key: &str| record[key].as_str().unwrap_or_default().to_string();
                pages.push((text("html"), text(key)));
            })?;
        }
        // Every third page is enough.
        let scores: Vec<[f64; DROPPED.len()]> =
            pages.par_iter().step_by(3).filter_map(|(html, reference)| page_scores(html, reference)).collect();
        let mean = |at: usize| scores.iter().map(|score| score[at]).sum::<f64>() / scores.len().max(1) as f64;
        let mut row = vec![corpus.to_string(), scores.len().to_string()];
        row.extend((0..DROPPED.len()).map(|at| format!("{:.4}", mean(at))));
        rows.push(row);
    }
    let head: Vec<&str> = ["corpus", "pages"].into_iter().chain(DROPPED.map(|dropped| dropped.0)).collect();
    Ok(format!(
        "## Roles as evidence for the default extractor\n\nMean F1 of kept words if segments of a role are dropped beside what the default \
         extractor drops. Neither model was trained on these pages, but for wcxb-dev, which the default detector has seen.\n\n{}\n",
        table(&head, &rows)
    ))
}

fn page_scores(html: &str, reference: &str) -> Option<[f64; DROPPED.len()]> {
    let found = dehusk::extract(html).ok()?;
    let document = found.document();
    let split = ModelSegmenter::default().segment_document(document, &estimate(document), None);
    let reference = words(reference);
    // Texts of leaves only: scripts and the head are no text of the page.
    let is_leaf_text = |id: &NodeId| {
        document.is_text(*id) && document.parent(*id).is_some_and(|parent| split.leaf_segment(parent).is_some())
    };
    let kept: Vec<NodeId> =
        document.ids().filter(|id| is_leaf_text(id) && !found.detection().is_dropped(*id)).collect();
    Some(DROPPED.each_ref().map(|(name, roles)| {
        let stays = |id: &&NodeId| {
            let segment = document.parent(**id).and_then(|parent| split.leaf_segment(parent));
            segment.is_none_or(|segment| {
                let own = &split.segments[segment];
                let is_template = *name == MOSTLY_TEMPLATE
                    && split.main() != Some(segment)
                    && own.content_characters < 0.5 * own.characters as f32;
                !is_template && !roles.contains(&own.role)
            })
        };
        let text: String = kept.iter().filter(stays).map(|id| format!("{} ", document.text(*id))).collect();
        f1(&words(&text), &reference)
    }))
}

fn words(text: &str) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for word in text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *counts.entry(word.to_lowercase()).or_default() += 1.0;
    }
    counts
}

fn f1(found: &BTreeMap<String, f64>, reference: &BTreeMap<String, f64>) -> f64 {
    let shared: f64 = found.iter().map(|(word, count)| count.min(reference.get(word).copied().unwrap_or(0.0))).sum();
    let total = found.values().sum::<f64>() + reference.values().sum::<f64>();
    if total > 0.0 { 2.0 * shared / total } else { 1.0 }
}
