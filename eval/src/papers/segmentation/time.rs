//! The time of a page by its number of nodes, and pages made to be slow.

use crate::shared::report::table;
use dehusk::{Page, PageSegmenter};
use dehusk_papers::segment::{ModelSegmenter, SegmentMethod};
use dehusk_train::MarkedPage;
use std::sync::Arc;
use std::time::Instant;

pub(super) fn report(pages: &[MarkedPage]) -> String {
    let mut text =
        String::from("## Time\n\nMilliseconds per page with estimated boxes, parsing included, one thread.\n\n");
    let sources: Vec<(usize, &str)> = pages.iter().map(|page| (page.document.len(), page.document.source())).collect();
    let mut rows = Vec::new();
    for method in SegmentMethod::ALL {
        let segmenter = PageSegmenter::new(Arc::new(ModelSegmenter::new(method)));
        let mut times: Vec<(usize, f64)> =
            sources.iter().map(|(nodes, source)| (*nodes, milliseconds(&segmenter, source))).collect();
        times.sort_by(|one, two| one.1.total_cmp(&two.1));
        let median = times[times.len() / 2].1;
        let slowest = times.last().copied().unwrap_or_default();
        let of_size = |from: usize, to: usize| {
            let chosen: Vec<f64> =
                times.iter().filter(|(nodes, _)| (from..to).contains(nodes)).map(|(_, time)| *time).collect();
            if chosen.is_empty() {
                "-".into()
            } else {
                format!("{:.1}", chosen.iter().sum::<f64>() / chosen.len() as f64)
            }
        };
        rows.push(vec![
            method.to_string(),
            format!("{median:.1}"),
            of_size(0, 500),
            of_size(500, 1500),
            of_size(1500, 3000),
            of_size(3000, usize::MAX),
            format!("{:.1} ({} nodes)", slowest.1, slowest.0),
        ]);
    }
    text += &table(&["method", "median", "< 500 nodes", "< 1,500", "< 3,000", "more", "slowest"], &rows);
    text += "\nPages made to be large or slow:\n\n";
    let hostile = hostile();
    let mut rows = Vec::new();
    for (name, source) in &hostile {
        let mut row = vec![name.to_string()];
        for method in SegmentMethod::ALL {
            let segmenter = PageSegmenter::new(Arc::new(ModelSegmenter::new(method)));
            let start = Instant::now();
            let found = segmenter.segment(Page::new(source));
            let time = start.elapsed().as_secs_f64();
            row.push(match found {
                Ok(found) => {
                    let flag = if found.segmentation.is_complete { "" } else { ", limit hit" };
                    format!("{time:.2} s, {} segments{flag}", found.segmentation.segments.len())
                }
                Err(error) => format!("{time:.2} s, {error}"),
            });
        }
        rows.push(row);
    }
    let head = ["page", "best", "gcuts", "cclus", "sections"];
    text + &table(&head, &rows) + "\n"
}

fn milliseconds(segmenter: &PageSegmenter, source: &str) -> f64 {
    let once = || {
        let start = Instant::now();
        let _ = segmenter.segment(Page::new(source));
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..3).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn hostile() -> Vec<(&'static str, String)> {
    let card = "<div class=card><h3>Title</h3><p>Some text of a card.</p><a href=x>more</a></div>";
    let article = "<div><p>Text of a paragraph with a <b>bold</b> word.</p><ul><li>One</li><li>Two</li></ul></div>";
    vec![
        ("5,000 nodes", article.repeat(385)),
        ("100,000 siblings", "<p>x</p>".repeat(100_000)),
        ("50,000 cards", card.repeat(50_000)),
        ("nested 20,000 deep", format!("{}x", "<div>a".repeat(20_000))),
        ("one word in 200,000 spans", "<span>a</span>".repeat(200_000)),
        (
            "table of 300 by 300",
            format!("<table>{}</table>", format!("<tr>{}</tr>", "<td>1</td>".repeat(300)).repeat(300)),
        ),
    ]
}
