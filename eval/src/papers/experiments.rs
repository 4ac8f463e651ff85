//! The experiments of the five papers on our data, as one page of results.
//!
//! Two runs write the same bytes: what a paper shows as time is counted as work here, and seconds go to standard error.

use super::section::Section;
use super::{align, block, pagelevel, segmentation, treemap, uses};
use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::report::Results;
use std::fmt::Write as _;
use std::time::Instant;

type Report = fn(&Data, &mut Section) -> Result<(), Stop>;

/// The papers: name, title of the section, its experiments.
const PAPERS: &[(&str, &str, Report)] = &[
    (
        "pagelevel",
        "PageLevel: Page-level Template Detection via Isotonic Smoothing (Chakrabarti, Kumar, Punera 2007)",
        pagelevel::experiments::report,
    ),
    (
        "align",
        "Align: A Multi-sequence Alignment Algorithm for Web Template Detection (Geraci, Maggini 2011)",
        align::experiments::report,
    ),
    (
        "treemap",
        "TreeMap: A Fast and Robust Method for Web Page Template Detection and Removal (Vieira et al. 2006)",
        treemap::experiments::report,
    ),
    (
        "segment",
        "Segment: A Graph-Theoretic Approach to Webpage Segmentation (Chakrabarti, Kumar, Punera 2008)",
        segmentation::experiments::report,
    ),
    ("block", "Block: Site-independent template-block detection (Kolcz, Yih 2007)", block::experiments::report),
    ("uses", "What removal is worth: near-duplicates, classification, clusters, keywords", uses::report),
];

pub(crate) fn run(data: &Data, results: &Results, paper: Option<&str>) -> Result<(), Stop> {
    let mut page = String::new();
    for (name, title, report) in PAPERS {
        if paper.is_some_and(|paper| paper != *name) {
            continue;
        }
        let start = Instant::now();
        let mut section = Section::default();
        report(data, &mut section)?;
        eprintln!("{name}: {:.0} s", start.elapsed().as_secs_f64());
        let _ = writeln!(page, "## {title}\n\n{}", section.text);
        for (file, svg) in &section.plots {
            results.publish_file(file, svg)?;
        }
    }
    print!("{page}");
    if paper.is_some() {
        return Ok(());
    }
    let command = results.command("experiments");
    let head = format!("# The experiments of the papers, on our data\n\n- Command: `{command}`\n");
    results.publish_file("papers.md", &format!("{head}\n{page}"))
}
