//! Duplicates found by the text of the largest segment, as in table 2 of the paper, on `graft` and `dup`.

use crate::Stop;
use crate::corpus::{Data, read_records};
use crate::report::table;
use dehusk::{Page, SegmentMethod, SegmentedPage, Segmenter};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use xxhash_rust::xxh3::xxh3_64;

/// Words of a shingle, shingles kept of a text, and shared ones that make two texts duplicates.
const SHINGLE: usize = 6;
const KEPT: usize = 8;
const SHARED: usize = 4;

struct Source {
    doc: String,
    site: String,
    group: String,
    html: String,
}

pub(super) fn report(data: &Data) -> Result<String, Stop> {
    let mut text = format!(
        "## Duplicates from the largest segment\n\nTwo pages are taken for duplicates if at least {SHARED} of the {KEPT} smallest hashes of \
         {SHINGLE}-word shingles are equal. Found: of the pairs with the same text on different sites. Told apart: of the pairs with different \
         texts of the same site and group.\n\n"
    );
    let mut rows = Vec::new();
    for corpus in ["graft", "dup"] {
        let sources = read(data, corpus)?;
        let mut add = |name: &str, texts: Vec<String>| {
            let (found, apart) = score(&sources, &texts);
            rows.push(vec![corpus.into(), name.into(), format!("{found:.3}"), format!("{apart:.3}")]);
        };
        for method in SegmentMethod::ALL {
            let segmenter = Segmenter::new(method);
            let largest = |source: &Source| match segmenter.segment(Page::new(&source.html)) {
                Ok(found) => found.segmentation.largest().map_or(String::new(), |largest| found.text(largest)),
                Err(_) => String::new(),
            };
            add(&format!("largest segment, {method}"), sources.par_iter().map(largest).collect());
        }
        let best = Segmenter::new(SegmentMethod::Best);
        let main = |source: &Source| match best.segment(Page::new(&source.html)) {
            Ok(found) => found.segmentation.main().map_or(String::new(), |main| found.text(main)),
            Err(_) => String::new(),
        };
        add("main segment, best", sources.par_iter().map(main).collect());
        let whole = |found: &SegmentedPage| -> String {
            (0..found.segmentation.segments.len()).map(|segment| found.text(segment)).collect()
        };
        let full = Segmenter::new(SegmentMethod::Sections);
        add(
            "full text",
            sources
                .par_iter()
                .map(|source| full.segment(Page::new(&source.html)).map_or(String::new(), |found| whole(&found)))
                .collect(),
        );
        let extracted =
            |source: &Source| dehusk::extract(Page::new(&source.html)).map_or(String::new(), |found| found.text());
        add("default extractor", sources.par_iter().map(extracted).collect());
    }
    text += &table(&["corpus", "text", "duplicates found", "others told apart"], &rows);
    Ok(text + "\nThe paper (LYRICS): GCUTS 0.617/0.999, CCLUS 0.343/0.949, full text 0.309/0.887.\n\n")
}

fn read(data: &Data, corpus: &str) -> Result<Vec<Source>, Stop> {
    let folder = data.find(corpus)?;
    let mut files: Vec<_> = std::fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut sources = Vec::new();
    for file in files.iter().filter(|file| file.to_string_lossy().contains(".jsonl")) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().to_string();
        read_records(file, |record| {
            let text = |key: &str| record[key].as_str().unwrap_or_default().to_string();
            let group = if record["group"].is_string() { text("group") } else { text("category") };
            sources.push(Source { doc: text("doc"), site: name.clone(), group, html: text("html") });
        })?;
    }
    Ok(sources)
}

fn fingerprint(text: &str) -> BTreeSet<u64> {
    let words: Vec<String> = text
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let hashes: BTreeSet<u64> = words.windows(SHINGLE).map(|window| xxh3_64(window.join(" ").as_bytes())).collect();
    hashes.into_iter().take(KEPT).collect()
}

fn score(sources: &[Source], texts: &[String]) -> (f64, f64) {
    let prints: Vec<BTreeSet<u64>> = texts.iter().map(|text| fingerprint(text)).collect();
    let is_duplicate = |one: usize, two: usize| prints[one].intersection(&prints[two]).count() >= SHARED;
    let mut by_doc: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut by_site: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, source) in sources.iter().enumerate() {
        by_doc.entry(&source.doc).or_default().push(at);
        by_site.entry((&source.site, &source.group)).or_default().push(at);
    }
    let share = |groups: Vec<&Vec<usize>>, wanted: bool| {
        let (mut hits, mut all) = (0.0, 0.0);
        for group in groups {
            for (place, one) in group.iter().enumerate() {
                for two in &group[..place] {
                    if !wanted && sources[*one].doc == sources[*two].doc {
                        continue;
                    }
                    all += 1.0;
                    hits += f64::from(u8::from(is_duplicate(*one, *two) == wanted));
                }
            }
        }
        hits / f64::max(all, 1.0)
    };
    (share(by_doc.values().collect(), true), share(by_site.values().collect(), false))
}
